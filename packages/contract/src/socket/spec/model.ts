import type { JsonObject } from '../../spec/json.ts'
import type { Example, SchemaAt, SecurityScheme } from '../../spec/model.ts'

/**
 * What the contract tests know of an AsyncAPI 3.0 document with WebSocket channels. References and traits are
 * resolved; schemas are kept as they are.
 *
 * @public
 */
export interface SocketSpec {
  /** The name that the report shows: the name that was asked for, or the title of the document. */
  readonly name: string
  /** The file that it was read from. */
  readonly file: string
  /** The document, with the files that it refers to under `x-files`. */
  readonly document: JsonObject
  readonly channels: readonly SocketChannel[]
  readonly securitySchemes: { readonly [name: string]: SecurityScheme }
}

/** One channel of a {@link SocketSpec}. @public */
export interface SocketChannel {
  /** Its key in the document. */
  readonly id: string
  /** The path that it is opened at. */
  readonly address: string
  /** The host template of its server, as the document has it. */
  readonly server: string
  /** The ways in which the handshake can be secured; an empty way makes it optional, none at all makes it public. */
  readonly security: readonly (readonly string[])[]
  /** The schema of the query of the handshake, an object; undefined when the document has none. */
  readonly query?: SchemaAt
  /** What the client sends. */
  readonly sends: readonly SocketMessage[]
  /** What the client receives. */
  readonly receives: readonly SocketMessage[]
  /** By a message that the client sends: the messages that answer it. */
  readonly replies: { readonly [sent: string]: readonly string[] }
  readonly rules: ChannelRules
}

/** One message of a channel. @public */
export interface SocketMessage {
  /** Its key in the channel. */
  readonly key: string
  readonly frame: 'text' | 'binary'
  readonly schema?: SchemaAt
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
