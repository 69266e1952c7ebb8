import type { Client, OperationDescriptor } from '@concord/runtime'

/** The generated code under test, or a copy with a planted mistake. */
export interface GeneratedCode {
  readonly operations: { readonly [id: string]: OperationDescriptor }
  /** Every export of the validators package, including schemas. */
  readonly validators: { readonly [name: string]: unknown }
  /** Every export of the client's `checks.gen.ts`, including quick checks. */
  readonly checks: { readonly [name: string]: unknown }
  /**
   * Creates an API object, whose methods send operations with `exchange`. Only copies from `changedCopy` have this
   * function.
   */
  readonly createApi?: (exchange: Client['exchange']) => object
}
