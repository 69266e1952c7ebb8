import type { Credentials } from '../oracle/security.ts'

/** The input of one call. @public */
export interface CallInput {
  readonly path: { readonly [name: string]: unknown }
  readonly query: { readonly [name: string]: unknown }
  readonly headers: { readonly [name: string]: unknown }
  /** Absent if the call passes no cookie parameters. */
  readonly cookies?: { readonly [name: string]: unknown }
  /**
   * For JSON or a URL-encoded form, a JSON value. For a multipart form, an object with one entry per part: a `File`,
   * an array of `File` objects, or a JSON value. For other media types, a `Uint8Array` or a string. Absent if the
   * request has no body.
   */
  readonly body?: unknown
  /** The media type in which the body must be sent. */
  readonly contentType?: string
  /** The media type to ask for in the `Accept` header, if the documented success response has several media types. */
  readonly accept?: string
}

/** The destination of a call, and the credentials to use. @public */
export interface CallTarget {
  /**
   * The base URL of the operation's server. It already has a path. The client must append the operation's path to it.
   */
  readonly baseUrl: string
  /** The base URL of every server that an operation uses. Each key is a server's URL template (`servers[].url`). */
  readonly servers: { readonly [template: string]: string }
  /** The secrets to use, by the name of the security scheme. */
  readonly credentials: Credentials
}

/** A difference between a response and the contract. The client reports it. @public */
export interface Drift {
  /** JSON pointer to the difference in the body. */
  readonly path: string
  readonly reason: string
}

/** The result of a call. @public */
export type Outcome =
  | {
      readonly kind: 'data'
      readonly status: number
      /** The body as the caller receives it: a JSON value, a string, or bytes. */
      readonly data: unknown
      /** The drift that the client reported; empty if the response conforms to the contract. */
      readonly drift: readonly Drift[]
    }
  | {
      readonly kind: 'error'
      /** The names of the error's class and its superclasses, the most specific one first. */
      readonly errorNames: readonly string[]
      /** Absent if no response arrived, or nothing was sent. */
      readonly status?: number
      /** The body of the error response, as the caller receives it. */
      readonly body?: unknown
      /** For a 429: the kind of limit that was exceeded, according to the client (see `x-rate-meaning`). */
      readonly meaning?: string
      /** Absent if the client doesn't check the bodies of errors. */
      readonly drift?: readonly Drift[]
      /** The error's message, quoted in findings. */
      readonly message?: string
    }

/**
 * An adapter through which the suite uses your client: a function that makes one call, and the client's validators.
 * The contract, not the adapter, defines what the suite covers.
 *
 * @public
 */
export interface ContractSubject {
  /** The name that the report shows. */
  readonly service: string
  /**
   * Makes exactly one call: switch off the client's retries. If the client throws an error, return it as an outcome;
   * don't throw it. If the client reports that a response differs from the contract, return the differences in
   * `drift`.
   */
  call(operationId: string, input: CallInput, target: CallTarget): Promise<Outcome>
  /** The published validator of each component schema, by component name. Absent if the client publishes none. */
  readonly validators?: { readonly [component: string]: (value: unknown) => boolean }
  /**
   * The client's internal checks, by component name. Needed only for components whose internal check isn't the
   * published validator.
   */
  readonly checks?: { readonly [component: string]: (value: unknown) => boolean }
  /** The validator of each webhook's body, by webhook name. */
  readonly webhooks?: { readonly [webhook: string]: (body: unknown) => boolean }
  /**
   * Returns the name of the class that an error with this status and body must be an instance of. If it returns
   * undefined, the class isn't checked.
   */
  errorName?(status: number, body: unknown): string | undefined
}
