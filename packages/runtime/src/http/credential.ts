/**
 * How a security scheme of the contract is met: which header, and where its value comes from.
 *
 * @public
 */
export interface Credential {
  readonly in: 'header'
  /** The header's name. */
  readonly name: string
  /** Stands before the value: `'Bearer '`, `'Token '`. Default: nothing. */
  readonly prefix?: string
  /** The secret itself, or a function that gives it; the function is called for every request. */
  readonly value: string | (() => string | Promise<string>)
  /**
   * Called when a 401 refused this value. Answering `true` says that a fresh one is to be had: the call is then
   * sent once more, with a value read anew. Without it a 401 is final.
   */
  readonly refused?: (value: string) => boolean | Promise<boolean>
}
