import { isObject, type Json, type JsonObject } from './json.ts'
import { createJudge, type Judge } from './judge.ts'
import { escapePointer, readReferences, type References } from './references.ts'
import { addressName, loadDocument, readSecurityScheme, type SecurityScheme } from './specification.ts'

/** A message of a channel. */
export interface ChannelMessage {
  /** Its key in the channel. */
  key: string
  /** A text frame with JSON, or a binary frame. */
  kind: 'json' | 'binary'
  schemaPointer?: string
  /** Members with a fixed value, which tell it from other messages. */
  tags: readonly { name: string; equals: Json }[]
}

/** A WebSocket channel of the contract. */
export interface Channel {
  id: string
  /** The address that the path stands under: the variable of its server, such as `apiUrl` for `{api_url}`. */
  address: string
  path: string
  /** Alternatives; empty means public. */
  security: readonly SecurityScheme[]
  /** Absent where the contract describes no query. */
  querySchemaPointer?: string
  /** By parameter, the types that its schema allows. */
  queryTypes: Readonly<Record<string, readonly string[]>>
  /** What a client sends. */
  takes: readonly ChannelMessage[]
  /** What a client receives. */
  gives: readonly ChannelMessage[]
  rules: ChannelRules
}

/** The rules of `x-socket-rules` that a server keeps. */
export interface ChannelRules {
  /** The key of the message that keeps a silent connection open. */
  keepAlive?: string
  idleCloseMs?: number
  emptyBinaryCloses: boolean
  /** The key of the message before which audio is ignored. */
  gate?: string
}

/** An AsyncAPI document, with its channels laid out for routing and checking. */
export interface ChannelSpecification {
  channels: readonly Channel[]
  judge: Judge
  /** The value at a JSON Pointer, following references on the way. */
  at(pointer: string): Json | undefined
}

const loaded = new Map<string, ChannelSpecification>()

/** Reads a contract out of the package `@concord/specs`, for instance `speech/asyncapi.yaml`; once a process. */
export function loadChannels(name: string): ChannelSpecification {
  const known = loaded.get(name)
  if (known) return known
  const document = loadDocument(name)
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  const others = [...new Set(listFiles(document))].map((file): [string, JsonObject] => [
    file,
    loadDocument(folder + file.replace(/^\.\//, '')),
  ])
  const specification = readChannels(document, Object.fromEntries(others))
  loaded.set(name, specification)
  return specification
}

/** Lays out an AsyncAPI 3.0 document; `others` are the documents that it refers to, as it names them. */
export function readChannels(
  document: JsonObject,
  others: Readonly<Record<string, JsonObject>> = {},
): ChannelSpecification {
  const documents = { '': document, ...others }
  const references = readReferences(documents)
  const channels = namesAt('#/channels', references).map((id) => readChannel(id, references))
  return {
    channels,
    judge: createJudge(documents),
    at: (pointer) => references.resolve(pointer)?.value,
  }
}

function readChannel(id: string, references: References): Channel {
  const { value, pointer } = references.demand(`#/channels/${escapePointer(id)}`)
  const servers = value['servers']
  const server = references.demand(
    Array.isArray(servers) ? `${pointer}/servers/0` : `#/servers/${namesAt('#/servers', references)[0]}`,
  )
  const query = references.object(`${pointer}/bindings/ws/query`)
  const { takes, gives } = readMessages(id, references)
  return {
    id,
    address: addressName(server.value['host']),
    path: String(value['address']),
    security: namesAt(`${server.pointer}/security`, references).map((index) => {
      const scheme = references.demand(`${server.pointer}/security/${index}`)
      return readSecurityScheme(scheme.pointer.split('/').at(-1) ?? '', scheme.value)
    }),
    ...(query ? { querySchemaPointer: query.pointer } : {}),
    queryTypes: query ? readTypes(query.pointer, references) : {},
    takes,
    gives,
    rules: readRules(value['x-socket-rules']),
  }
}

/** Sorts the messages of a channel by who sends them. The document describes the service. */
function readMessages(id: string, references: References) {
  const takes = new Map<string, ChannelMessage>()
  const gives = new Map<string, ChannelMessage>()
  for (const name of namesAt('#/operations', references)) {
    const { value, pointer } = references.demand(`#/operations/${escapePointer(name)}`)
    const isReceiving = value['action'] === 'receive'
    for (const [target, place] of [
      [isReceiving ? takes : gives, pointer],
      [isReceiving ? gives : takes, `${pointer}/reply`],
    ] as const) {
      const part = references.object(place)?.value
      const channel = part?.['channel']
      if (!part || !isObject(channel) || channel['$ref'] !== `#/channels/${escapePointer(id)}`) continue
      for (const key of messageKeys(part['messages'], id, references))
        target.set(key, readMessage(id, key, references))
    }
  }
  return { takes: [...takes.values()], gives: [...gives.values()] }
}

/** The keys of the messages of an operation: those that it lists, or all of its channel. */
function messageKeys(messages: Json | undefined, id: string, references: References): string[] {
  if (!Array.isArray(messages)) return namesAt(`#/channels/${escapePointer(id)}/messages`, references)
  return messages.map((message) =>
    String(isObject(message) ? message['$ref'] : '')
      .split('/')
      .at(-1)!
      .replaceAll('~1', '/')
      .replaceAll('~0', '~'),
  )
}

function readMessage(id: string, key: string, references: References): ChannelMessage {
  const { value, pointer } = references.demand(
    `#/channels/${escapePointer(id)}/messages/${escapePointer(key)}`,
  )
  const fallback = references.resolve('#/defaultContentType')?.value
  const contentType = String(value['contentType'] ?? fallback ?? 'application/json')
  const payload = references.resolve(`${pointer}/payload`)
  const properties = payload ? namesAt(`${payload.pointer}/properties`, references) : []
  return {
    key,
    kind: /^application\/(.+\+)?json\b/.test(contentType) ? 'json' : 'binary',
    ...(payload ? { schemaPointer: payload.pointer } : {}),
    tags: properties.flatMap((name) => {
      const equals = references.resolve(`${payload?.pointer}/properties/${escapePointer(name)}/const`)?.value
      return equals === undefined ? [] : [{ name, equals }]
    }),
  }
}

function readTypes(pointer: string, references: References): Record<string, string[]> {
  return Object.fromEntries(
    namesAt(`${pointer}/properties`, references).map((name) => {
      const type = references.object(`${pointer}/properties/${escapePointer(name)}`)?.value['type']
      return [name, Array.isArray(type) ? type.map(String) : type === undefined ? [] : [String(type)]]
    }),
  )
}

function readRules(rules: Json | undefined): ChannelRules {
  if (!isObject(rules)) return { emptyBinaryCloses: false }
  const { keepAlive, idleCloseMs, gate } = rules
  return {
    ...(isObject(keepAlive) ? { keepAlive: String(keepAlive['message']) } : {}),
    ...(typeof idleCloseMs === 'number' ? { idleCloseMs } : {}),
    ...(isObject(gate) ? { gate: String(gate['message']) } : {}),
    emptyBinaryCloses: rules['emptyBinaryCloses'] === true,
  }
}

function namesAt(pointer: string, references: References): string[] {
  return Object.keys(references.resolve(pointer)?.value ?? {})
}

/** The other documents that a document refers to. */
function listFiles(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  const reference = isObject(value) ? value['$ref'] : undefined
  const own =
    typeof reference === 'string' && !reference.startsWith('#') ? [reference.split('#')[0] ?? ''] : []
  return [...own, ...Object.values(value).flatMap(listFiles)]
}
