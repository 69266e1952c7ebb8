import type { Credentials } from '../oracle/security.ts'

/** The input of one call, made from the spec. @public */
export interface CallInput {
  readonly path: { readonly [name: string]: unknown }
  readonly query: { readonly [name: string]: unknown }
  readonly headers: { readonly [name: string]: unknown }
  /** Present if the operation has cookie parameters. */
  readonly cookies?: { readonly [name: string]: unknown }
  /**
   * A JSON value, or, for a multipart form, an object with one entry per part: a `File` for a part that holds
   * bytes, otherwise a JSON value. For other media types a `Uint8Array` or a string. Absent if the request has none.
   */
  readonly body?: unknown
  /** The media type in which the body must be sent. */
  readonly contentType?: string
  /** The media type to ask for, if the documented success has several. */
  readonly accept?: string
}

/** Where a call goes, and with which secrets. @public */
export interface CallTarget {
  /** The address of the operation's own server. It has a path, to which the operation's path is to be appended. */
  readonly baseUrl: string
  /** The address of each server that the document names, by its address template (`servers[].url`). */
  readonly servers: { readonly [template: string]: string }
  /** The secrets to use, by the name of the security scheme. */
  readonly credentials: Credentials
}

/** A difference between a response and the contract that the client reported. @public */
export interface Drift {
  /** JSON pointer to the place. */
  readonly path: string
  readonly reason: string
}

/** The result of a call. @public */
export type Outcome =
  | {
      readonly kind: 'data'
      readonly status: number
      /** The body as the caller gets it: a JSON value, a string, or bytes. */
      readonly data: unknown
      /** The drift that the client reported; empty if the answer follows the contract. */
      readonly drift: readonly Drift[]
    }
  | {
      readonly kind: 'error'
      /** The names of the error's class and of those above it, the most specific one first. */
      readonly errorNames: readonly string[]
      /** Absent if no answer came, or nothing was sent. */
      readonly status?: number
      /** The body of the error answer, as the caller gets it. */
      readonly body?: unknown
      /** The meaning that the client found in a 429. */
      readonly meaning?: string
      readonly drift: readonly Drift[]
      /** For findings: what the error says. */
      readonly message?: string
    }

/**
 * A package as its contract test passes it: the client under test, and the validators that are published with it.
 * Nothing in it says what has to be covered; that is listed from the spec.
 *
 * @public
 */
export interface ContractSubject {
  /** The name that the report shows. */
  readonly service: string
  /**
   * Makes one call, and never a second one: retries must be off. Answers that differ from the contract are to be
   * reported in `drift`, and nothing is to be thrown: every error of the client is an outcome.
   */
  call(operationId: string, input: CallInput, target: CallTarget): Promise<Outcome>
  /** The verdict of the validator of each component schema, by the name of the component. */
  readonly validators: { readonly [component: string]: (value: unknown) => boolean }
  /**
   * The verdicts of the client's own checks, by the name of the component, if the client doesn't check with the
   * published validator. Components may be missing.
   */
  readonly checks?: { readonly [component: string]: (value: unknown) => boolean }
  /** The verdict of the validator of each webhook's body, by the name of the webhook. */
  readonly webhooks?: { readonly [webhook: string]: (body: unknown) => boolean }
  /**
   * Returns the name of the class that an error with this status and body must have. If it returns undefined, the class is
   * not checked.
   */
  errorName?(status: number, body: unknown): string | undefined
}
