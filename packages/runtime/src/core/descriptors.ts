import type { CheckDescriptor } from './check.ts'

/** The common HTTP methods. A contract can also name others, such as `QUERY`. @public */
export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS'

/**
 * Everything the runtime needs to know about one operation, as plain data generated from the contract.
 *
 * The type parameters exist for the compiler only:
 *
 * - `Input`: `{ path, query, headers, cookies, contentType, body }`, with only the parts that the operation has
 * - `Output`: the body of a success response
 * - `ErrorBodies`: the bodies of the documented errors by status, such as `{ 404: Problem }`
 * - `HeaderValues`: the documented headers of a success response
 * - `ErrorHeaders`: the documented headers of errors, by status
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
  /** The HTTP method. Any method is possible, such as `QUERY`. */
  readonly method: HttpMethod | 'QUERY' | (string & {})
  /** The path template as written in the contract, trailing slash included: `/v1/jobs/{job_id}`. */
  readonly path: string
  /** The key of the base URL in the client's `servers` option. */
  readonly server: string
  /** The credentials that the operation accepts. One of them is sent. Empty for a public operation. */
  readonly security: readonly SecurityRequirement[]
  /**
   * Whether the operation may be called without a credential. A client that has a credential sends it. Default: false.
   */
  readonly securityOptional?: boolean
  readonly parameters: readonly ParameterDescriptor[]
  readonly body?: BodyDescriptor
  /** Validates the whole input before anything is sent. */
  readonly check?: CheckDescriptor
  /**
   * The responses by status (`404`), range of statuses (`4XX`) or `default`. The most specific matching key is used.
   */
  readonly responses: { readonly [status: string]: ResponseDescriptor }
  readonly retry: RetryRule
  /**
   * How a response proves success, and how to proceed if no response arrives. Set only for operations that change
   * something or cost money.
   */
  readonly outcome?: OutcomeDescriptor
  readonly waiter?: WaiterDescriptor
  /**
   * Names of properties and parameters whose values never appear in error messages, logs or events. Contains `*` if a
   * whole body is secret.
   */
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

/** The name of a security scheme, or the names of several schemes whose credentials are sent together. @public */
export type SecurityRequirement = string | readonly string[]

/** How one parameter is sent in the request. @public */
export interface ParameterDescriptor {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  /**
   * Encodes the parameter for the request. Returns `undefined` if nothing is sent. Without this function, the client
   * converts the value to a string. Except in a header, the string is then percent-encoded. In a query, each item of
   * an array becomes a separate `name=value` pair.
   */
  readonly write?: (name: string, value: unknown) => string | undefined
  /**
   * The only value that the contract allows for a required header. The client sends it with every call, unless the
   * client's options or the call set a header of the same name.
   */
  readonly value?: string
}

/** How a request body is encoded. @public */
export interface BodyDescriptor {
  /** `form`: `application/x-www-form-urlencoded`. */
  readonly kind: 'json' | 'multipart' | 'form' | 'binary' | 'text'
  readonly contentType: string
  readonly required: boolean
  /** The documented parts of a form. A caller may also pass undocumented parts. */
  readonly parts?: { readonly [name: string]: PartDescriptor }
  /**
   * The other media types of the body. A caller chooses one with `contentType`. Wildcards such as `image/*` are last.
   */
  readonly others?: readonly BodyDescriptor[]
}

/** One documented part of a multipart form, or one documented field of a URL-encoded form. @public */
export interface PartDescriptor {
  readonly kind: 'file' | 'text' | 'json'
  /**
   * For `json` only: whether each item of an array is a separate part. With the kinds `file` and `text`, each item
   * is always a separate part.
   */
  readonly isList?: true
  /**
   * The values that a caller may pass instead of a file. `json`: an object, a list or a number, which is sent as
   * JSON. `text`: also a string, which is sent as text. With `text`, the caller must pass the path of a file as
   * `{ content: path }`. By default, only a file is valid.
   */
  readonly alternative?: 'json' | 'text'
  /** Media types that the contract accepts for a file part. */
  readonly contentTypes?: readonly string[]
  /** Encodes a field of a URL-encoded form. By default, each item of an array becomes a separate field. */
  readonly write?: ParameterDescriptor['write']
}

/** How one documented response is read and validated. @public */
export interface ResponseDescriptor {
  /**
   * `any`: the data is `undefined` if the body is empty, the parsed value if it is JSON, and a string otherwise.
   * `items`: the data is an `ItemStream`, and `check` validates each item.
   */
  readonly kind: 'json' | 'text' | 'binary' | 'empty' | 'any' | 'items'
  readonly items?: ItemsDescriptor
  readonly contentType?: string
  /**
   * True if the documentation doesn't show the exact status of this success response (`x-not-shown` in the contract).
   * The client then uses this descriptor for every success status that has no entry in `responses`, and doesn't
   * report such a status as drift.
   */
  readonly openStatus?: boolean
  /**
   * True if the documentation doesn't show the body (`x-not-shown` in the contract). A success response without a
   * body is then valid, and its data is `undefined`.
   */
  readonly openBody?: boolean
  /**
   * True if the body must be audio, video or an image, although the contract doesn't restrict its media type. HTML,
   * JSON, XML and an empty body are then rejected.
   */
  readonly isMedia?: boolean
  /** Validates the body. */
  readonly check?: CheckDescriptor
  /** The open enums in the body. A value that the contract doesn't list is accepted and reported as drift. */
  readonly openEnums?: readonly OpenEnumDescriptor[]
  /** The possible meanings of a 429. If several match the response, the first applies. */
  readonly rateMeanings?: readonly RateMeaningDescriptor[]
  /** The documented headers. Callers read them from the `headerValues` of an `Exchange` or of an error. */
  readonly headers?: HeadersDescriptor
  /** The other media types of the success response. A caller requests one with `accept`. */
  readonly others?: { readonly [contentType: string]: ResponseDescriptor }
}

/** How the documented headers of a response are read and validated. @public */
export interface HeadersDescriptor {
  /**
   * Reads the values. The descriptor contains this function so that only clients with documented headers bundle it.
   */
  readonly read: (
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
    kinds: { readonly [name: string]: HeaderKind },
  ) => Readonly<Record<string, unknown>>
  readonly kinds: { readonly [name: string]: HeaderKind }
  /** Validates the values. */
  readonly check: CheckDescriptor
}

/**
 * The type that a header is converted to. `strings`, `numbers` and `booleans` are arrays. Commas separate their items
 * in the header.
 *
 * @public
 */
export type HeaderKind = 'string' | 'number' | 'boolean' | 'strings' | 'numbers' | 'booleans' | 'json'

/** How the items of a stream are encoded. @public */
export interface ItemsDescriptor {
  /** `sse`: `text/event-stream` (WHATWG HTML, section 9.2); `lines`: JSON Lines; `sequence`: RFC 7464. */
  readonly format: 'sse' | 'lines' | 'sequence'
  /**
   * The form of each item of an `sse` stream. `json` (the default): the event's data, parsed as JSON. `text`: the
   * event's data as a string. `event`: the whole event. `json-event`: the whole event, with its data parsed as JSON.
   */
  readonly item?: 'json' | 'text' | 'event' | 'json-event'
}

/**
 * An open enum in a body: an enum whose documented values may be incomplete. `path` is a list of property names. In
 * this list, `*` matches every item of an array or map.
 *
 * @public
 */
export interface OpenEnumDescriptor {
  readonly path: readonly string[]
  readonly values: readonly string[]
}

/** One meaning of a 429, from `x-rate-meaning`. @public */
export interface RateMeaningDescriptor {
  /** The name of the meaning in the contract, such as `request-rate`. */
  readonly meaning: string
  /** Whether the same request can succeed after a wait. */
  readonly retryHelps: boolean
  /**
   * The meaning applies if the value at `pointer` in the body is the same as `equals`. A meaning without `match` is
   * considered only if no other meaning's `match` applies to the response.
   */
  readonly match?: { readonly pointer: string; readonly equals: string | number | boolean }
}

/** Whether an operation may be sent again, from `x-retry`. @public */
export interface RetryRule {
  readonly class: 'safe' | 'unsent-only' | 'never'
  /** The statuses after which the documentation recommends a retry. */
  readonly statuses?: readonly number[]
}

/**
 * The outcome of a call that changes something or costs money, as far as the client knows it.
 *
 * - `not-sent`: no byte of the request can have reached the service.
 * - `denied`: the service responded with a rejection.
 * - `accepted`: the response proves that the request took effect.
 * - `uncertain`: the request may have taken effect. No response arrived, or the response doesn't show the outcome.
 *
 * @public
 */
export type Outcome = 'not-sent' | 'denied' | 'accepted' | 'uncertain'

/** How a response proves success, and how to proceed if no response arrives. From `x-outcome`. @public */
export interface OutcomeDescriptor {
  /**
   * JSON pointer to the id of the work in the body of a success response. A success response without this id doesn't
   * prove that the call took effect.
   */
  readonly id?: string
  /** The operationId of the operation that shows whether the call took effect. */
  readonly lookUp?: string
  /**
   * The effect of a second call. `harmless`: nothing is done or billed twice. `spent`: the input works only once, and
   * the first call may have used it up. `repeats` (the default): the same work may be done and billed twice.
   */
  readonly again?: 'harmless' | 'spent' | 'repeats'
}

/** How the response of an operation shows the state of long-running work. From `x-waiter`. @public */
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
 * An operation whose success response has several media types. `Accepts` maps each media type to the type of the
 * response's data.
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

/** An operation that returns one page of a list. @public */
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

/**
 * How to get the next page of a list. From `x-pagination`. Pointers are JSON pointers into the body of a response.
 *
 * @public
 */
export interface PaginationDescriptor {
  readonly by: 'cursor' | 'page' | 'offset' | 'link' | 'url'
  /** Pointer to the items. An empty string if the body itself is the list. */
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
  /** Pointer to the total number of pages or, if `by` is `offset`, of items. */
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
 * The type parameters exist for the compiler only:
 *
 * - `Query`: the query of the handshake
 * - `Sends` and `Receives`: the payloads that the client sends and receives, by the message keys of the contract. A
 *   payload is a JSON value, a string or a `Uint8Array`.
 * - `Parameters`: the parameters in the address
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
  /** The key of the base URL in the client's `servers` option. */
  readonly server: string
  /** The credentials that the channel accepts. One of them is sent in the handshake. Empty for a public channel. */
  readonly security: readonly SecurityRequirement[]
  /**
   * Whether the channel may be opened without a credential. A client that has a credential sends it. Default: false.
   */
  readonly securityOptional?: boolean
  /** The parameters in the address. Default: none. */
  readonly parameters?: readonly AddressParameterDescriptor[]
  /** Validates the parameters before the socket is opened. */
  readonly parametersCheck?: CheckDescriptor
  /** The documented query parameters of the handshake. */
  readonly query: readonly ChannelParameterDescriptor[]
  /** Validates the whole query before the socket is opened. */
  readonly queryCheck?: CheckDescriptor
  /** The messages that the client sends, by message key. */
  readonly sends: { readonly [message: string]: MessageDescriptor }
  /** The messages that the server sends, by message key. The order matters if a payload fits several messages. */
  readonly receives: { readonly [message: string]: MessageDescriptor }
  /** The keys of the documented replies, by the key of the sent message. The reply that means success comes first. */
  readonly replies: { readonly [sent: string]: readonly string[] }
  readonly rules: SocketRules
  /**
   * Names of properties and parameters whose values never appear in error messages, logs or events. Contains `*` if a
   * whole body is secret.
   */
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
  /** The value if the caller passes none. */
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
   * Constants in the payload (`const` in the contract) and their JSON pointers. They distinguish the message from
   * others of its `kind`. All constants must match. A received payload that doesn't match the tags of any message
   * belongs to a message without tags. If several messages have no tags, the payload belongs to the first of them
   * whose check accepts it. A frame that a caller sends with `sendText` or `sendJson` is compared only with tagged
   * messages.
   */
  readonly tags: readonly { readonly pointer: string; readonly equals: string | number | boolean }[]
  /**
   * JSON pointer to the value that a message and its reply have in common. A reply with another value belongs to
   * another message. Default: replies are expected in the order of the messages.
   */
  readonly correlation?: string
}

/** Rules for using a channel, from `x-socket-rules`. @public */
export interface SocketRules {
  /** A message to send as a text frame while no binary messages are being sent. */
  readonly keepAlive?: {
    /** A key of `sends`. */
    readonly message: string
    /** The payload to send. */
    readonly payload: unknown
    /** The minimum time without a binary message before the client sends the message. */
    readonly minIntervalMs: number
    /** The maximum time without a binary message before the client sends the message. */
    readonly maxIntervalMs: number
  }
  /** On each connection, this message (a key of `sends`) must be acknowledged before any other message is sent. */
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
