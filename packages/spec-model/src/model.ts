import type { JsonObject } from './json.ts'

/**
 * The content of an OpenAPI document, in the form of OpenAPI 3.1. References to path items, parameters, bodies and
 * responses are resolved; references in schemas aren't.
 *
 * @public
 */
export interface Spec {
  /** The name for reports: the name of the service, or the title of the document. */
  readonly name: string
  /** The path or URL of the document. */
  readonly file: string
  readonly document: JsonObject
  readonly operations: readonly Operation[]
  readonly webhooks: readonly Webhook[]
  /** The names of the component schemas. */
  readonly schemas: readonly string[]
  readonly securitySchemes: { readonly [name: string]: SecurityScheme }
}

/** One operation of a {@link Spec}. @public */
export interface Operation {
  /** The `operationId`. For an operation without one, its method and path, such as `GET /jobs/{id}`. */
  readonly id: string
  /** In upper case. */
  readonly method: string
  /** The path template, exactly as in the document: a trailing slash is kept. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  /**
   * The alternatives for authorization. Each alternative is a list of security schemes that are used together. If one
   * of these lists is empty, credentials are optional. An operation without alternatives is public.
   */
  readonly security: readonly (readonly string[])[]
  /** The URL template of the first server that applies to the operation. */
  readonly server: string
  readonly body?: RequestBody
  readonly responses: readonly ResponseSpec[]
  /** The `class` in the operation's `x-retry`, if present. */
  readonly retry?: string
  /** The operation in the document, with its `x-` members. */
  readonly source: JsonObject
}

/** A call that the service makes: an entry of `webhooks`. @public */
export interface Webhook {
  readonly name: string
  readonly method: string
  readonly media: readonly Media[]
  /** The documented statuses of the receiver's response. */
  readonly confirmations: readonly string[]
  /** The operation in the document, with its `x-` members. */
  readonly source: JsonObject
}

/** One parameter, from the path item or the operation. @public */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly style: string
  readonly explode: boolean
  /** The schema of the value. If the parameter has JSON `content`, this is the schema of the parsed JSON. */
  readonly schema: SchemaAt
  /** The value is sent as JSON, because the parameter has `content` with a JSON media type. */
  readonly isJson?: true
  /** The parameter's only possible value. If the parameter is a header, the client sends this value automatically. */
  readonly constant?: unknown
  /** Its value must not be shown (`x-secret`). */
  readonly secret?: true
  readonly examples: readonly Example[]
}

/** A documented request body. @public */
export interface RequestBody {
  readonly required: boolean
  readonly media: readonly Media[]
}

/** One documented response of an operation. @public */
export interface ResponseSpec {
  /** A number as a string, a range such as `4XX`, or `default`. */
  readonly status: string
  /**
   * Whether the exact status is undocumented (`x-not-shown`). If true, this response also matches every success
   * status for which the operation has no response.
   */
  readonly openStatus: boolean
  /**
   * Whether the body is undocumented (`x-not-shown`). If true, a response without a body is accepted. If `media` is
   * empty as well, every body is accepted.
   */
  readonly openBody: boolean
  readonly media: readonly Media[]
  readonly headers: readonly ResponseHeader[]
  /** The possible meanings of the status 429, from `x-rate-meaning`. */
  readonly rateMeanings: readonly RateMeaning[]
  /** The response in the document, with its `x-` members. */
  readonly source: JsonObject
}

/** A documented response header. @public */
export interface ResponseHeader {
  readonly name: string
  readonly required: boolean
  readonly schema?: SchemaAt
  readonly example?: unknown
}

/** One entry of `x-rate-meaning`. @public */
export interface RateMeaning {
  readonly meaning: string
  readonly match?: { readonly pointer: string; readonly equals: unknown }
}

/** One media type of a body. @public */
export interface Media {
  readonly type: string
  readonly schema?: SchemaAt
  /** Streams only: the schema of one item (OpenAPI 3.2). */
  readonly itemSchema?: SchemaAt
  readonly examples: readonly Example[]
  /** Forms only: for each part, the content types that the document allows. */
  readonly partTypes: { readonly [part: string]: readonly string[] }
  /**
   * `application/x-www-form-urlencoded` only: the styles of the fields for which the document sets `style` or
   * `explode`. All other fields have the style `form`, with `explode: true`.
   */
  readonly styles: { readonly [field: string]: { readonly style: string; readonly explode: boolean } }
}

/** A named example. @public */
export interface Example {
  readonly name: string
  readonly value: unknown
}

/** A schema and its location. @public */
export interface SchemaAt {
  /** JSON pointer within the document. */
  readonly pointer: string
  readonly schema: unknown
  /** If the schema is a reference to a component, the component's name. */
  readonly component?: string
}

/** How a credential is sent. @public */
export type SecurityScheme =
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly type: 'http'; readonly scheme: string }
  | { readonly type: 'other' }

/**
 * The content of an AsyncAPI 3.0 document with WebSocket channels. References and traits are resolved; references in
 * schemas aren't.
 *
 * @public
 */
export interface SocketSpec {
  /** The name for reports: the name of the service, or the title of the document. */
  readonly name: string
  /** The path or URL of the document. */
  readonly file: string
  /** The document. The files that it refers to are under `x-files`. */
  readonly document: JsonObject
  /** The WebSocket channels. */
  readonly channels: readonly SocketChannel[]
  /** The channels that aren't WebSocket channels. */
  readonly skipped: readonly SkippedChannel[]
  readonly securitySchemes: { readonly [name: string]: SecurityScheme }
}

/** A channel that isn't a WebSocket, such as a webhook or a topic of a message broker. @public */
export interface SkippedChannel {
  /** The channel's key in the document. */
  readonly id: string
  /** Why the channel is skipped, such as `has no address` or `uses kafka`. */
  readonly reason: string
}

/** One channel of a {@link SocketSpec}. @public */
export interface SocketChannel {
  /** The channel's key in the document. */
  readonly id: string
  /** The path template of the channel, such as `/rooms/{id}`. */
  readonly address: string
  /** The documented values of each parameter in the path: first the default, then the examples, then the enum. */
  readonly parameters: { readonly [name: string]: readonly string[] }
  /** The template of the host and base path of the channel's server. Empty if the channel has no WebSocket server. */
  readonly server: string
  /**
   * The alternatives for authorization. Each alternative is a list of security schemes that are used together. If one
   * of these lists is empty, credentials are optional. A channel without alternatives is public.
   */
  readonly security: readonly (readonly string[])[]
  /** A schema whose properties are the query parameters of the handshake, if the document has such a schema. */
  readonly query?: SchemaAt
  /** The messages that the client sends. */
  readonly sends: readonly SocketMessage[]
  /** The messages that the client receives. */
  readonly receives: readonly SocketMessage[]
  /** Maps the key of a client's message to the keys of its replies. */
  readonly replies: { readonly [sent: string]: readonly string[] }
  readonly rules: ChannelRules
}

/** One message of a channel. @public */
export interface SocketMessage {
  /** Its key in the channel. */
  readonly key: string
  readonly frame: 'text' | 'binary'
  /** The message is text, but not JSON. */
  readonly plain?: true
  readonly schema?: SchemaAt
  /**
   * JSON pointer to the correlation value (`correlationId`) in the payload. A message and its reply have the same
   * correlation value.
   */
  readonly correlation?: string
  readonly examples: readonly Example[]
}

/** The rules of a channel, from `x-socket-rules`. @public */
export interface ChannelRules {
  readonly keepAlive?: {
    readonly message: string
    readonly payload: unknown
    readonly minIntervalMs: number
    readonly maxIntervalMs: number
  }
  readonly idleCloseMs?: number
  readonly emptyBinaryCloses?: boolean
  readonly gate?: { readonly message: string }
  readonly replay?: readonly string[]
}
