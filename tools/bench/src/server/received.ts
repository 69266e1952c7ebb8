/** What the upload server saw of the last upload. */
export interface Received {
  readonly path: string
  readonly bodyBytes: number
  /** The length that was announced; absent where none was. */
  readonly declaredBytes?: number
  /** The file in the form; only of small uploads. */
  readonly file?: { readonly name: string; readonly sha256: string }
}
