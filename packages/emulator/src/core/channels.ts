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
  addressName,
  type Judge,
  judgeWith,
  propertiesOf,
  schemesOf,
  type SecurityScheme,
  typesOf,
} from './specification.ts'

/** A message of a channel. */
export interface ChannelMessage {
  /** Its key in the channel. */
  readonly key: string
  /** A text frame with JSON, or a binary frame. */
  readonly kind: 'json' | 'binary'
  readonly schema?: SchemaAt
  /** Members with a fixed value, which tell it from other messages. */
  readonly tags: readonly { name: string; equals: Json }[]
}

/** A WebSocket channel of the contract. */
export interface Channel {
  readonly id: string
  /** The name of its address: the variable of its server, such as `apiUrl` for `{api_url}`. */
  readonly address: string
  readonly path: string
  /** Alternatives; empty means public. */
  readonly security: readonly SecurityScheme[]
  /** Absent if the contract describes no query. */
  readonly query?: SchemaAt
  /** By parameter, the types that its schema allows. */
  readonly queryTypes: Readonly<Record<string, readonly string[]>>
  /** The messages that a client sends. */
  readonly takes: readonly ChannelMessage[]
  /** The messages that a client receives. */
  readonly gives: readonly ChannelMessage[]
  readonly rules: ChannelRules
}

/** The rules of `x-socket-rules` that a server keeps. */
export interface ChannelRules {
  /** The key of the message that keeps a silent connection open. */
  readonly keepAlive?: string
  readonly idleCloseMs?: number
  readonly emptyBinaryCloses: boolean
  /** The key of the message before which audio is ignored. */
  readonly gate?: string
}

/** An AsyncAPI document, with its channels laid out for routing and checking. */
export interface ChannelSpecification {
  readonly channels: readonly Channel[]
  readonly judge: Judge
  /** The value at a JSON Pointer (`#/a/b`), following references on the way. */
  at(pointer: string): Json | undefined
}

const loaded = new Map<string, ChannelSpecification>()

/** Reads a contract of the package `@concord/specs`, for instance `speech/asyncapi.yaml`; once per process. */
export function loadChannels(name: string): ChannelSpecification {
  const known = loaded.get(name)
  if (known) return known
  const file = specsFile(name)
  const specification = readChannels(readDocument(file) as JsonObject, file)
  loaded.set(name, specification)
  return specification
}

/** Lays out an AsyncAPI 3.0 document; `read` returns the documents that it refers to. */
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
    address: addressName(server),
    path: address,
    security: schemesOf(spec, security),
    ...(query ? { query } : {}),
    queryTypes: Object.fromEntries(queryTypes),
    takes: sends.map((message) => toMessage(oracle, message)),
    gives: receives.map((message) => toMessage(oracle, message)),
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
