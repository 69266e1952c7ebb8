import {
  inlineFiles,
  readDocument,
  readSocketSpec,
  resolveAt,
  type SchemaAt,
  schemaOracle,
  type SchemaOracle,
  type SocketChannel,
  type SocketMessage,
  type SocketSpec,
  specsFile,
} from '@concord/spec-model'

import { isObject, type Json, type JsonObject } from './json.ts'
import {
  baseUrlNameOf,
  type Judge,
  judgeWith,
  propertiesOf,
  schemesOf,
  type SecurityScheme,
  typesOf,
} from './specification.ts'

/** A message of a channel. */
export interface ChannelMessage {
  /** The message's key in the channel. */
  readonly key: string
  /** `json` is a text frame with JSON, `binary` a binary frame. */
  readonly kind: 'json' | 'binary'
  readonly schema?: SchemaAt
  /** Members with a constant value, which distinguish the message from others. */
  readonly tags: readonly { name: string; equals: Json }[]
}

/** A WebSocket channel of the contract. */
export interface Channel {
  readonly id: string
  /** The name of the base URL, from the server variable, such as `apiUrl` for `{api_url}`. */
  readonly baseUrlName: string
  readonly path: string
  /** The schemes, any of which is enough; empty for a public channel. */
  readonly security: readonly SecurityScheme[]
  /** Absent if the contract describes no query. */
  readonly query?: SchemaAt
  /** The types that the schema allows for each query parameter. */
  readonly queryTypes: Readonly<Record<string, readonly string[]>>
  /** The messages that a client sends. */
  readonly fromClient: readonly ChannelMessage[]
  /** The messages that a client receives. */
  readonly toClient: readonly ChannelMessage[]
  readonly rules: ChannelRules
}

/** The rules of `x-socket-rules` that a server enforces. */
interface ChannelRules {
  /** The key of the keep-alive message. */
  readonly keepAlive?: string
  readonly idleCloseMs?: number
  readonly emptyBinaryCloses: boolean
  /** The key of the message that has to come first: audio before it is ignored. */
  readonly gate?: string
}

/** An AsyncAPI document, with its channels prepared for routing and checking. */
export interface ChannelSpecification {
  readonly channels: readonly Channel[]
  readonly judge: Judge
  /** Returns the value at a JSON Pointer (`#/a/b`), following references. */
  at(pointer: string): Json | undefined
}

const loaded = new Map<string, ChannelSpecification>()

/** Reads a contract from `@concord/specs`, such as `speech/asyncapi.yaml`, and caches it for the process. */
export function loadChannels(name: string): ChannelSpecification {
  const known = loaded.get(name)
  if (known) return known
  const file = specsFile(name)
  const specification = readChannels(readDocument(file) as JsonObject, file)
  loaded.set(name, specification)
  return specification
}

/** Prepares an AsyncAPI 3.0 document; `read` returns the documents that it refers to. */
export function readChannels(
  document: JsonObject,
  file: string,
  read: Parameters<typeof inlineFiles>[2] = readDocument,
): ChannelSpecification {
  const spec = readSocketSpec(inlineFiles(document, file, read), { file })
  const oracle = schemaOracle(spec)
  return {
    channels: spec.channels.map((channel) => toChannel(spec, oracle, channel)),
    judge: judgeWith(oracle),
    at: (pointer) => resolveAt(spec.document, pointer.slice(1)) as Json | undefined,
  }
}

function toChannel(spec: SocketSpec, oracle: SchemaOracle, channel: SocketChannel): Channel {
  const { id, address, server, security, query, sends, receives, rules } = channel
  const { keepAlive, gate, idleCloseMs, emptyBinaryCloses = false } = rules
  const queryTypes = Object.entries(propertiesOf(oracle, query?.schema)).map(
    ([name, schema]) => [name, typesOf(oracle, schema)] as const,
  )
  return {
    id,
    baseUrlName: baseUrlNameOf(server),
    path: address,
    security: schemesOf(spec, security),
    ...(query ? { query } : {}),
    queryTypes: Object.fromEntries(queryTypes),
    fromClient: sends.map((message) => toMessage(oracle, message)),
    toClient: receives.map((message) => toMessage(oracle, message)),
    rules: {
      ...(keepAlive ? { keepAlive: keepAlive.message } : {}),
      ...(idleCloseMs === undefined ? {} : { idleCloseMs }),
      ...(gate ? { gate: gate.message } : {}),
      emptyBinaryCloses,
    },
  }
}

function toMessage(oracle: SchemaOracle, { key, frame, schema }: SocketMessage): ChannelMessage {
  const tags = Object.entries(propertiesOf(oracle, schema?.schema)).flatMap(([name, property]) => {
    const resolved = oracle.deref(property)
    const equals = isObject(resolved) ? resolved['const'] : undefined
    return equals === undefined ? [] : [{ name, equals }]
  })
  return { key, kind: frame === 'text' ? 'json' : 'binary', ...(schema ? { schema } : {}), tags }
}
