import type { Client, OperationDescriptor } from '@concord/runtime'

/** The generated code under test. To plant a mistake, pass a changed copy. */
export interface GeneratedCode {
  readonly operations: { readonly [id: string]: OperationDescriptor }
  /** Every export of the validators package, including schemas. */
  readonly validators: { readonly [name: string]: unknown }
  /** Every export of the client's `checks.gen.ts`, including quick checks. */
  readonly checks: { readonly [name: string]: unknown }
  /**
   * Creates the API object of a changed copy. The methods of this object send operations with `exchange`. The tests
   * call these methods. Unchanged code doesn't need `createApi`, because the tests call the client's own methods.
   * In a copy without `createApi`, only a descriptor was changed. The tests send the operation of that descriptor
   * directly.
   */
  readonly createApi?: (exchange: Client['exchange']) => object
}
