import type { CheckDescriptor } from './check.ts'

/** The HTTP methods that a contract can name. @public */
export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS'

/**
 * Everything the runtime needs to know about one operation, as plain data generated from the contract.
 *
 * `Input` is `{ path, query, headers, cookies, contentType, body }`, with only the parts that the operation has. `Output` is
 * the body of a success, `ErrorBodies` has the bodies of the documented errors by status, such as `{ 404: Problem }`,
 * `HeaderValues` the documented headers of a success, and `ErrorHeaders` those of errors, by status.
 * The five exist for the compiler only.
 *
 * @public
 */
export interface OperationDescriptor<
  Input = unknown,
  Output = unknown,
  ErrorBodies = unknown,
  HeaderValues = unknown,
  ErrorHeaders = unknown,
> {
  /** The operationId in the contract. */
  readonly id: string
  /** One of the usual methods, or any other, such as `QUERY`. */
  readonly method: HttpMethod | 'QUERY' | (string & {})
  /** The path template as written in the contract, trailing slash included: `/v1/jobs/{job_id}`. */
  readonly path: string
  /** The name of the client's base URL that it is sent to. */
  readonly server: string
  /** Credentials: one of these alternatives is used. Empty for a public operation. */
  readonly security: readonly SecurityRequirement[]
  /** Whether it may be called without a credential. A client that has a credential sends it. Default: false. */
  readonly securityOptional?: boolean
  readonly parameters: readonly ParameterDescriptor[]
  readonly body?: BodyDescriptor
  /** Validates the whole input before anything is sent. */
  readonly check?: CheckDescriptor
  /** By status, range of statuses (`4XX`), and `default`; the first of these that fits counts. */
  readonly responses: { readonly [status: string]: ResponseDescriptor }
  readonly retry: RetryRule
  /** How a success is proven, and how to proceed if the response is lost; for operations that change something. */
  readonly outcome?: OutcomeDescriptor
  readonly waiter?: WaiterDescriptor
  /** Names of properties and parameters whose values are never shown; `*` if a whole body is secret. */
  readonly secrets: readonly string[]
  /** For the compiler only; never set. */
  readonly types?: {
    readonly input: Input
    readonly output: Output
    readonly errors: ErrorBodies
    readonly headers: HeaderValues
    readonly errorHeaders: ErrorHeaders
  }
}

/**
 * The name of a security scheme, or the names of several whose credentials are sent together.
 *
 * @public
 */
export type SecurityRequirement = string | readonly string[]

/** The location of a parameter in the request. @public */
export interface ParameterDescriptor {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  /**
   * Writes a value that isn't written in the ordinary way: escaped, and in a query repeated for each item of an
   * array. Returns undefined if nothing is sent.
   */
  readonly write?: (name: string, value: unknown) => string | undefined
  /**
   * The value of a required header that the contract fixes. It is sent with every call, unless the client or the call
   * sets a header of the same name.
   */
  readonly value?: string
}

/** How a request body is encoded. @public */
export interface BodyDescriptor {
  /** `form`: `application/x-www-form-urlencoded`. */
  readonly kind: 'json' | 'multipart' | 'form' | 'binary' | 'text'
  readonly contentType: string
  readonly required: boolean
  /** Of a form: the documented parts. Parts that are not listed may be passed through. */
  readonly parts?: { readonly [name: string]: PartDescriptor }
  /** The other media types of the body, which a caller chooses with `contentType`; ranges such as `image/*` at the end. */
  readonly others?: readonly BodyDescriptor[]
}

/** One documented part of a multipart form. @public */
export interface PartDescriptor {
  readonly kind: 'file' | 'text' | 'json'
  /** Whether each item of an array becomes a part. It always does, unless the part is JSON. */
  readonly isList?: true
  /**
   * The alternative to a file. `json`: an object, a list or a number, which is sent as JSON. `text`: a string,
   * too, so that a path must be passed as `{ content: path }`. Absent: a string is the path of the file.
   */
  readonly alternative?: 'json' | 'text'
  /** Media types that the contract accepts for a file part. */
  readonly contentTypes?: readonly string[]
  /** `application/x-www-form-urlencoded` only: how a value is written, if it isn't just repeated for each item. */
  readonly write?: ParameterDescriptor['write']
}

/** How one documented response is read and validated. @public */
export interface ResponseDescriptor {
  /**
   * `any`: JSON if the response is JSON, a string if it isn't, `undefined` if it is empty. `items`: an `ItemStream`, and
   * `check` validates each item.
   */
  readonly kind: 'json' | 'text' | 'binary' | 'empty' | 'any' | 'items'
  readonly items?: ItemsDescriptor
  readonly contentType?: string
  /**
   * On a success: the documentation doesn't say its status, so any other success without an entry of its own is read
   * and validated like this one, and isn't drift. From `x-not-shown` of the response.
   */
  readonly openStatus?: boolean
  /**
   * Whether the documentation leaves the body open, so that a success without one is valid: its data is `undefined`.
   */
  readonly openBody?: boolean
  /**
   * Whether the body must be audio, video or an image, although the contract leaves its media type open: HTML, JSON,
   * XML and an empty body are rejected.
   */
  readonly isMedia?: boolean
  /** Validates the body. */
  readonly check?: CheckDescriptor
  /** Open enums of the contract: a value outside `values` passes and is reported. */
  readonly openEnums?: readonly OpenEnumDescriptor[]
  /** On a 429: its possible meanings, in the order in which they are tried. */
  readonly rateMeanings?: readonly RateMeaningDescriptor[]
  /** Its documented headers, for `headerValues` of the exchange or of the error. */
  readonly headers?: HeadersDescriptor
  /** On a success: how its other media types are read, which a caller asks for with `accept`. */
  readonly others?: { readonly [contentType: string]: ResponseDescriptor }
}

/** How the documented headers of a response are read and validated. @public */
export interface HeadersDescriptor {
  /** Reads the values; only clients that have such headers contain the function. */
  readonly read: (
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
    kinds: { readonly [name: string]: HeaderKind },
  ) => Readonly<Record<string, unknown>>
  readonly kinds: { readonly [name: string]: HeaderKind }
  /** Validates the values. */
  readonly check: CheckDescriptor
}

/** The values that the text of a header is read as; the plural ones are arrays, separated by commas. @public */
export type HeaderKind = 'string' | 'number' | 'boolean' | 'strings' | 'numbers' | 'booleans' | 'json'

/** How the items of a stream are written. @public */
export interface ItemsDescriptor {
  /** `sse`: `text/event-stream` (WHATWG HTML, section 9.2); `lines`: JSON Lines; `sequence`: RFC 7464. */
  readonly format: 'sse' | 'lines' | 'sequence'
  /**
   * The items of `sse`: the data of an event as JSON, which is the default, or as text, or the event with its data as text
   * or as JSON.
   */
  readonly item?: 'json' | 'text' | 'event' | 'json-event'
}

/** The location of an open enum in a body: property names, `*` for every item of an array or map. @public */
export interface OpenEnumDescriptor {
  readonly path: readonly string[]
  readonly values: readonly string[]
}

/** One meaning of a 429, from `x-rate-meaning`. @public */
export interface RateMeaningDescriptor {
  /** The contract's own word, such as `request-rate`. */
  readonly meaning: string
  /** Whether the same request can succeed later even if nothing else changes. */
  readonly retryHelps: boolean
  /** The meaning holds when the value at this JSON pointer of the body equals this. Without it: always. */
  readonly match?: { readonly pointer: string; readonly equals: string | number | boolean }
}

/** Whether an operation may be sent again, from `x-retry`. @public */
export interface RetryRule {
  readonly class: 'safe' | 'unsent-only' | 'never'
  /** The statuses that the documentation says are worth a retry. */
  readonly statuses?: readonly number[]
}

/**
 * The known outcome of a call that changes something or costs money.
 *
 * - `not-sent`: no byte of it can have reached the service.
 * - `denied`: the service responded with a rejection.
 * - `accepted`: the service did it, and its response proves it.
 * - `uncertain`: it may have been done. No response arrived, or none that proves either.
 *
 * @public
 */
export type Outcome = 'not-sent' | 'denied' | 'accepted' | 'uncertain'

/** How a success is proven, and how to proceed if the response is lost, from `x-outcome`. @public */
export interface OutcomeDescriptor {
  /** JSON pointer to the id in the body of a success. A success without it doesn't prove that the call was accepted. */
  readonly id?: string
  /** The operationId of the operation that shows whether the call took effect. */
  readonly lookUp?: string
  /**
   * The effect of another call. `harmless`: nothing is done or billed twice. `spent`: the input works only once, and
   * may be used up. `repeats`, the default: the same work may be done, and billed, twice.
   */
  readonly again?: 'harmless' | 'spent' | 'repeats'
}

/** How an operation's response shows the state of long-running work, from `x-waiter`. @public */
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

/**
 * An operation whose success has several media types. `Accepts` has the type of the success for each of them.
 *
 * @public
 */
export interface NegotiatedOperation<
  Input = unknown,
  Output = unknown,
  ErrorBodies = unknown,
  Accepts = unknown,
  HeaderValues = unknown,
  ErrorHeaders = unknown,
> extends OperationDescriptor<Input, Output, ErrorBodies, HeaderValues, ErrorHeaders> {
  /** For the compiler only; never set. */
  readonly acceptTypes?: Accepts
}

/** An operation whose success is a page of a list. @public */
export interface PagedOperation<
  Input = unknown,
  Output = unknown,
  ErrorBodies = unknown,
  Item = unknown,
  HeaderValues = unknown,
  ErrorHeaders = unknown,
> extends OperationDescriptor<Input, Output, ErrorBodies, HeaderValues, ErrorHeaders> {
  readonly pagination: PaginationDescriptor
  /** For the compiler only; never set. */
  readonly itemType?: Item
}

/** How to get the next page of a list, from `x-pagination`. Pointers are JSON pointers into the body of a success. @public */
export interface PaginationDescriptor {
  readonly by: 'cursor' | 'page' | 'offset' | 'link' | 'url'
  /** Pointer to the items; empty if the body is the list. */
  readonly items: string
  /** The parameter that is changed for the next page. */
  readonly parameter?: string
  /** Where the parameter is. Default: `query`. */
  readonly in?: 'query' | 'body'
  /** Pointer to the next cursor or address. */
  readonly next?: string
  /** The number of the first page. Default: 1. */
  readonly first?: number
  /** Pointer to a boolean that is false on the last page. */
  readonly more?: string
  /** Pointer to the number of all pages, or, for an offset, of all items. */
  readonly total?: string
}

/** The type of the items at a JSON pointer in a page. @public */
export type PageItem<Page, Pointer extends string> = Known<ItemAt<Page, Pointer>>

type ItemAt<Page, Pointer extends string> = Pointer extends `/${infer Name}/${infer Rest}`
  ? ItemAt<MemberOf<Page, Name>, `/${Rest}`>
  : Pointer extends `/${infer Name}`
    ? ItemAt<MemberOf<Page, Name>, ''>
    : Page extends readonly (infer Item)[]
      ? Item
      : never

type MemberOf<Value, Name extends string> = Value extends object
  ? Name extends keyof Value
    ? NonNullable<Value[Name]>
    : never
  : never

type Known<Item> = [Item] extends [never] ? unknown : Item

/** The input type of a descriptor. @public */
export type InputOf<Descriptor> =
  Descriptor extends OperationDescriptor<infer Input, unknown, unknown> ? Input : never
/** The output type of a descriptor. @public */
export type OutputOf<Descriptor> =
  Descriptor extends OperationDescriptor<infer _Input, infer Output, unknown> ? Output : never

/**
 * Everything the runtime needs to know about one WebSocket channel, as plain data generated from the contract.
 *
 * `Query` is the query of the handshake. `Sends` and `Receives` map the message keys of the contract to their payloads,
 * from the client's point of view: a JSON message to its value, another text message to a string, a binary one to
 * `Uint8Array`. `Parameters` are those in the address. The four exist for the compiler only.
 *
 * @public
 */
export interface ChannelDescriptor<
  Query = unknown,
  Sends = unknown,
  Receives = unknown,
  Parameters = unknown,
> {
  /** The channel's key in the contract. */
  readonly id: string
  /** The path as written in the contract: `/v1/listen`, `/rooms/{room}`. */
  readonly address: string
  /** The name of the client's base URL that it is opened on. */
  readonly server: string
  /** Credentials: one of these alternatives is used in the handshake. Empty for a public channel. */
  readonly security: readonly SecurityRequirement[]
  /** Whether it may be opened without a credential. A client that has a credential sends it. Default: false. */
  readonly securityOptional?: boolean
  /** The parameters in the address. Default: none. */
  readonly parameters?: readonly AddressParameterDescriptor[]
  /** Validates the parameters before anything is opened. */
  readonly parametersCheck?: CheckDescriptor
  /** The documented query parameters of the handshake. */
  readonly query: readonly ChannelParameterDescriptor[]
  /** Validates the whole query before anything is opened. */
  readonly queryCheck?: CheckDescriptor
  /** The messages that the client sends, by message key. */
  readonly sends: { readonly [message: string]: MessageDescriptor }
  /** The messages that the server sends, by message key, in the order in which they are tried. */
  readonly receives: { readonly [message: string]: MessageDescriptor }
  /**
   * Sent messages that the contract says get a reply, each with its replies; the reply that means success comes first.
   */
  readonly replies: { readonly [sent: string]: readonly string[] }
  readonly rules: SocketRules
  /** Names of properties and parameters whose values are never shown; `*` if a whole body is secret. */
  readonly secrets: readonly string[]
  /** For the compiler only; never set. */
  readonly types?: {
    readonly query: Query
    readonly sends: Sends
    readonly receives: Receives
    readonly parameters: Parameters
  }
}

/** A parameter in the address of a channel. @public */
interface AddressParameterDescriptor {
  readonly name: string
  /** The value that it has if the caller passes none. */
  readonly default?: string
}

/** A query parameter of the handshake. @public */
export interface ChannelParameterDescriptor {
  readonly name: string
  readonly required: boolean
}

/** One message of a channel. @public */
export interface MessageDescriptor {
  /** A text frame with JSON, a text frame with anything else, or a binary frame. */
  readonly kind: 'json' | 'text' | 'binary'
  /** Validates the payload. */
  readonly check?: CheckDescriptor
  /**
   * The values that distinguish the message from others of its kind: constants in the contract (`const`), by JSON
   * pointer. All must match. A received message that matches no tags is taken for one without tags; if there are
   * several of these, for the first whose check accepts it. A message sent as raw text counts as the message whose tags it
   * matches.
   */
  readonly tags: readonly { readonly pointer: string; readonly equals: string | number | boolean }[]
  /**
   * Where in the payload the value is that a message and its reply have in common, as a JSON pointer. A reply with another
   * value belongs to another message. Default: replies are matched in the order of the messages.
   */
  readonly correlation?: string
}

/** Rules for using a channel, from `x-socket-rules`. @public */
export interface SocketRules {
  /** A message to send as a text frame while nothing else is being sent. */
  readonly keepAlive?: {
    /** A key of `sends`. */
    readonly message: string
    /** The payload to send. */
    readonly payload: unknown
    /** Minimum interval. */
    readonly minIntervalMs: number
    /** Maximum interval. */
    readonly maxIntervalMs: number
  }
  /** Until this message (a key of `sends`) is acknowledged, everything else is held back, on each connection. */
  readonly gate?: { readonly message: string }
  /** Messages (keys of `sends`) that are sent again on a new connection, because they configure it. */
  readonly replay?: readonly string[]
}

/** The query type of a channel. @public */
export type QueryOf<Channel> =
  Channel extends ChannelDescriptor<infer Query, unknown, unknown, unknown> ? Query : never
/** The messages that a client may send on a channel, by message key. @public */
export type SendsOf<Channel> =
  Channel extends ChannelDescriptor<infer _Q, infer Sends, unknown, unknown> ? Sends : never
/** The messages that a client may receive on a channel, by message key. @public */
export type ReceivesOf<Channel> =
  Channel extends ChannelDescriptor<infer _Q, infer _S, infer Receives, unknown> ? Receives : never
/** The parameters in the address of a channel. @public */
export type ParametersOf<Channel> =
  Channel extends ChannelDescriptor<infer _Q, infer _S, infer _R, infer Parameters> ? Parameters : never
