import type { CheckDescriptor } from './schema.ts'

/** The HTTP methods that a contract can name. @public */
export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS'

/**
 * All that the runtime has to know of one operation, as plain data generated from the contract.
 *
 * `Input` is `{ path, query, headers, body }`, each part only where the operation has it. `Output` is the body
 * of a success, `ErrorBody` that of a documented error. The three exist for the compiler only.
 *
 * @public
 */
export interface OperationDescriptor<Input = unknown, Output = unknown, ErrorBody = unknown> {
  /** The operationId of the contract. */
  readonly id: string
  readonly method: HttpMethod
  /** The path template as the contract has it, trailing slash included: `/v1/jobs/{job_id}`. */
  readonly path: string
  /** Which of the client's base addresses it is sent to. */
  readonly server: string
  /** The names of the security schemes, of which one is used; empty for a public operation. */
  readonly security: readonly string[]
  /** Whether it may be called without a credential. A client that has one sends it. Default: false. */
  readonly securityOptional?: boolean
  readonly parameters: readonly ParameterDescriptor[]
  readonly body?: BodyDescriptor
  /** Checks the whole input, before anything is sent. */
  readonly check?: CheckDescriptor
  /** By status as a number, and `default`. */
  readonly responses: { readonly [status: string]: ResponseDescriptor }
  readonly retry: RetryRule
  /** What its answer proves, and what to do without one; for operations that change something. */
  readonly outcome?: OutcomeDescriptor
  readonly waiter?: WaiterDescriptor
  /** Names of properties and parameters whose values are never shown; `*` where a whole body is not. */
  readonly secrets: readonly string[]
  /** For the compiler only; never set. */
  readonly types?: { readonly input: Input; readonly output: Output; readonly error: ErrorBody }
}

/** Where a parameter goes. @public */
export interface ParameterDescriptor {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  /**
   * The value of a required header that the contract settles. It is sent with every call, unless a header of the same
   * name that the client or the call is given takes its place.
   */
  readonly value?: string
}

/** How a request body is written. @public */
export interface BodyDescriptor {
  readonly kind: 'json' | 'multipart' | 'binary' | 'text'
  readonly contentType: string
  readonly required: boolean
  /** Multipart only: the documented parts. Parts that are not listed may be passed through. */
  readonly parts?: { readonly [name: string]: PartDescriptor }
}

/** One documented part of a multipart form. @public */
export interface PartDescriptor {
  readonly kind: 'file' | 'text' | 'json'
  /** Media types that the contract accepts for a file part. */
  readonly contentTypes?: readonly string[]
}

/** How one documented answer is read and checked. @public */
export interface ResponseDescriptor {
  /** `any`: JSON where the answer is JSON, text where it is not, `undefined` where it is empty. */
  readonly kind: 'json' | 'text' | 'binary' | 'empty' | 'any'
  readonly contentType?: string
  /**
   * On a success: the documentation does not tell its status, so any other success without an entry of its own is
   * read and checked as this one, and is no drift. From `x-not-shown` of the answer.
   */
  readonly openStatus?: boolean
  /** Whether the documentation leaves the body open, so that a success without one is fine: its data is `undefined`. */
  readonly openBody?: boolean
  /** Checks the body. */
  readonly check?: CheckDescriptor
  /** Enums that the contract leaves open: a value outside `values` passes and is reported. */
  readonly openEnums?: readonly OpenEnumDescriptor[]
  /** On a 429: what it can mean, in the order in which they are tried. */
  readonly rateMeanings?: readonly RateMeaningDescriptor[]
}

/** Where an open enum stands in a body: property names, `*` for every item of an array or map. @public */
export interface OpenEnumDescriptor {
  readonly path: readonly string[]
  readonly values: readonly string[]
}

/** One meaning of a 429, from `x-rate-meaning`. @public */
export interface RateMeaningDescriptor {
  readonly meaning: RateMeaning
  /** Whether the same request can succeed later without anything else changing. */
  readonly retryHelps: boolean
  /** The meaning holds when the value at this JSON pointer of the body equals this. Without it: always. */
  readonly match?: { readonly pointer: string; readonly equals: string }
}

/** What a 429 can mean. @public */
export type RateMeaning = 'request-rate' | 'page-quota' | 'page-count' | 'daily-generations' | 'connections'

/** Whether an operation may be sent again, from `x-retry`. @public */
export interface RetryRule {
  readonly class: 'safe' | 'unsent-only' | 'never'
  /** The statuses that the documentation says are worth a retry. */
  readonly statuses?: readonly number[]
}

/** What is known of a call by its answer, and what to do if the answer is lost, from `x-outcome`. @public */
export interface OutcomeDescriptor {
  /** JSON pointer to the id in the body of a success. A success without it doesn't prove that the call was accepted. */
  readonly id?: string
  /** The operationId that shows whether the call took effect. */
  readonly lookUp?: string
  /**
   * What another call means. `harmless`: nothing is done or billed twice. `spent`: what was sent works once, and may be
   * used up. `repeats`, the default: the same work may be done, and billed, twice.
   */
  readonly again?: 'harmless' | 'spent' | 'repeats'
}

/** How an operation's answer tells the state of a longer piece of work, from `x-waiter`. @public */
export interface WaiterDescriptor {
  /** JSON pointer to the status. */
  readonly status: string
  readonly success: readonly string[]
  readonly failure: readonly string[]
  readonly pending: readonly string[]
  readonly firstDelayMs?: number
  readonly minDelayMs?: number
  readonly maxDelayMs?: number
  readonly limitMs?: number
}

/** The input type of a descriptor. @public */
export type InputOf<Descriptor> =
  Descriptor extends OperationDescriptor<infer Input, unknown, unknown> ? Input : never
/** The output type of a descriptor. @public */
export type OutputOf<Descriptor> =
  Descriptor extends OperationDescriptor<infer _Input, infer Output, unknown> ? Output : never
