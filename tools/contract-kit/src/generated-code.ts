import type { Client, OperationDescriptor } from '@concord/runtime'

/** The generated code under test. To plant a mistake, pass a changed copy. */
export interface GeneratedCode {
  readonly operations: { readonly [id: string]: OperationDescriptor }
  /** Every export of the validators package, including schemas. */
  readonly validators: { readonly [name: string]: unknown }
  /** Every export of the client's `checks.gen.ts`, including quick checks. */
  readonly checks: { readonly [name: string]: unknown }
  /**
   * Creates the generated API object from a function that sends one operation. The tests then call the methods of this
   * object. Without `createApi`, the tests call the methods of the client if the code is unchanged. If the code is a
   * changed copy, the tests send the changed operation directly.
   */
  readonly createApi?: (exchange: Client['exchange']) => object
}
