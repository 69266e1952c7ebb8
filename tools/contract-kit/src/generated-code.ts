import type { Client, OperationDescriptor } from '@concord/runtime'

/** The generated code that is put to the test; mistakes are planted by handing in changed copies. */
export interface GeneratedCode {
  readonly operations: { readonly [id: string]: OperationDescriptor }
  /** Every export of the validators package; schemas among them. */
  readonly validators: { readonly [name: string]: unknown }
  /** Every export of the client's `checks.gen.ts`; quick checks among them. */
  readonly checks: { readonly [name: string]: unknown }
  /** Makes the generated face out of what exchanges one operation. Default: that of the client. */
  readonly face?: (exchange: Client['exchange']) => object
}
