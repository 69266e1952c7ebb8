import type { SecretPlace } from '../http/credential.ts'

/** The facts of a contract that a generated client class needs, as plain data. @public */
export interface ClientFacts {
  /** The name of the class. */
  readonly name: string
  /** The beginning of the names of its environment variables: `TIDES`. */
  readonly prefix: string
  /**
   * The documented addresses, by the option that replaces them and then by their own names. Options without any address have
   * no default.
   */
  readonly servers: Readonly<Record<string, Readonly<Record<string, ServerFacts>>>>
  /** How credentials are sent, by option. */
  readonly credentials: Readonly<Record<string, CredentialFacts>>
}

/** One documented address. @public */
export interface ServerFacts {
  /** Absolute; parts in braces are variables. */
  readonly url: string
  readonly variables?: Readonly<
    Record<string, { readonly default?: string; readonly enum?: readonly string[] }>
  >
}

/** How the credential of a security scheme is sent. @public */
export type CredentialFacts =
  | { readonly scheme: string; readonly kind: 'secret'; readonly place: SecretPlace }
  | { readonly scheme: string; readonly kind: 'basic' }
  /** The contract doesn't say; the caller passes a whole credential. */
  | { readonly scheme: string; readonly kind: 'custom' }
