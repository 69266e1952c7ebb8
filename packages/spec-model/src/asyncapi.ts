import { dirname, relative, resolve } from 'node:path'

import { unsupportedSpec } from './errors.ts'
import { isAddress, shownSource } from './fetch-document.ts'
import {
  arrayOf,
  atPointer,
  escapeToken,
  isObject,
  objectOf,
  pointerOf,
  type JsonObject,
  unescapeToken,
} from './json.ts'
import { rewriteObjects } from './members.ts'
import { securityScheme } from './openapi.ts'
import type {
  ChannelRules,
  Example,
  SchemaAt,
  SecurityScheme,
  SkippedChannel,
  SocketChannel,
  SocketMessage,
  SocketSpec,
} from './model.ts'

/** Reads the WebSocket channels of an AsyncAPI 3.0 document. @throws {@link ContractError} */
export function readSocketSpec(
  document: JsonObject,
  from: { readonly file: string; readonly name?: string | undefined },
): SocketSpec {
  const version = document['asyncapi']
  if (typeof version !== 'string' || !version.startsWith('3.')) {
    throw unsupportedSpec(
      typeof document['openapi'] === 'string'
        ? `${from.file} is an OpenAPI document, which doesn't describe WebSockets.`
        : `${from.file} is not an AsyncAPI 3 document: \`asyncapi\` must be a string such as "3.0.0", but is ${JSON.stringify(version)}.`,
      typeof document['openapi'] === 'string'
        ? 'Pass an AsyncAPI document, or omit --sockets.'
        : typeof version === 'string'
          ? 'Convert the document to AsyncAPI 3.0 first, for example with the package `@asyncapi/converter`.'
          : 'Pass an AsyncAPI 3 document.',
    )
  }
  const reader = new Reader(document, from.file)
  const { channels, skipped } = reader.channels()
  return {
    name: from.name ?? String(objectOf(document['info'])['title'] ?? from.file),
    file: from.file,
    document,
    channels,
    skipped,
    securitySchemes: reader.securitySchemes(),
  }
}

const isWebSocket = (protocol: string): boolean => /^wss?$/.test(protocol)

/** An object in the document. `at` is the pointer to the object itself, never to a reference to it. */
interface Found {
  readonly value: JsonObject
  readonly at: string
}

class Reader {
  readonly #document: JsonObject
  readonly #file: string
  /** Security schemes that are defined where they are used, so they have no names. Each key is a scheme's type. */
  readonly #unnamed: Record<string, SecurityScheme> = {}

  constructor(document: JsonObject, file: string) {
    this.#document = document
    this.#file = file
  }

  channels(): Pick<SocketSpec, 'channels' | 'skipped'> {
    const channels: SocketChannel[] = []
    const skipped: SkippedChannel[] = []
    for (const id of Object.keys(objectOf(this.#document['channels']))) {
      const found = this.#resolve(`/channels/${escapeToken(id)}`)
      if (typeof found.value['address'] !== 'string') {
        skipped.push({ id, reason: 'has no address' })
        continue
      }
      const servers = this.#servers(found)
      const protocols = this.#protocols(found, servers)
      const live = servers.find(({ value }) => isWebSocket(String(value['protocol'])))
      const isHere = protocols.length === 0 || protocols.some(isWebSocket)
      if (isHere) channels.push(this.#channel(id, found, live))
      else skipped.push({ id, reason: `uses ${protocols.join(', ')}` })
    }
    return { channels, skipped }
  }

  /** Call `channels()` first: it collects the security schemes that have no names. */
  securitySchemes(): Record<string, SecurityScheme> {
    const at = '/components/securitySchemes'
    const named = Object.keys(objectOf(atPointer(this.#document, at))).map((name) => [
      name,
      securityScheme(this.#resolve(`${at}/${escapeToken(name)}`).value),
    ])
    return { ...this.#unnamed, ...(Object.fromEntries(named) as Record<string, SecurityScheme>) }
  }

  #servers({ value, at }: Found): readonly Found[] {
    const named = arrayOf(value['servers']).map((_, index) => this.#resolve(`${at}/servers/${index}`))
    const all = Object.keys(objectOf(this.#document['servers']))
    return named.length > 0 ? named : all.map((one) => this.#resolve(`/servers/${escapeToken(one)}`))
  }

  /** If a channel has no servers, the keys of its bindings show the protocols. */
  #protocols({ value, at }: Found, servers: readonly Found[]): string[] {
    if (servers.length > 0) return [...new Set(servers.map((server) => String(server.value['protocol'])))]
    if (!isObject(value['bindings'])) return []
    return Object.keys(this.#resolve(`${at}/bindings`).value).filter((key) => !key.startsWith('x-'))
  }

  #channel(id: string, { value, at }: Found, server: Found | undefined): SocketChannel {
    const address = String(value['address'])
    const traffic = this.#traffic(id, at)
    const query = `${at}/bindings/ws/query`
    return {
      id,
      address: address.startsWith('/') ? address : `/${address}`,
      parameters: this.#parameters(address, at),
      server: server ? `${String(server.value['host'])}${String(server.value['pathname'] ?? '')}` : '',
      security: this.#security(server, at),
      ...(atPointer(this.#document, query) === undefined ? {} : { query: this.#schema(query) }),
      ...traffic,
      rules: objectOf(value['x-socket-rules']) as ChannelRules,
    }
  }

  #parameters(address: string, at: string): Record<string, readonly string[]> {
    const names = [...address.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
    return Object.fromEntries(
      names.map((name) => {
        const pointer = `${at}/parameters/${escapeToken(name)}`
        const found = atPointer(this.#document, pointer) === undefined ? {} : this.#resolve(pointer).value
        const values = [found['default'], ...arrayOf(found['examples']), ...arrayOf(found['enum'])]
        return [name, values.filter((one) => one !== undefined).map(String)]
      }),
    )
  }

  /** Each security scheme of the channel's server or operations is one alternative for the channel's handshake. */
  #security(server: Found | undefined, channel: string): string[][] {
    const operations = this.#operations().filter((one) => this.#resolve(`${one.at}/channel`).at === channel)
    const names = [...(server ? [server] : []), ...operations].flatMap(({ value, at }) =>
      arrayOf(value['security']).map((_, index) => this.#scheme(`${at}/security/${index}`)),
    )
    const alternatives = [...new Set(names)].map((name) => [name])
    const isOptional = alternatives.length > 0 && server?.value['x-security-optional'] === true
    return isOptional ? [...alternatives, []] : alternatives
  }

  #scheme(pointer: string): string {
    const { value, at } = this.#resolve(pointer)
    const [parent, name = ''] = at.split('/').slice(-2)
    if (parent === 'securitySchemes') return unescapeToken(name)
    const type = String(value['type'])
    this.#unnamed[type] = securityScheme(value)
    return type
  }

  #operations(): readonly Found[] {
    return Object.keys(objectOf(this.#document['operations'])).map((name) =>
      this.#resolve(`/operations/${escapeToken(name)}`),
    )
  }

  /** An action takes the server's point of view: if the action is `receive`, the client sends the message. */
  #traffic(id: string, at: string): Pick<SocketChannel, 'sends' | 'receives' | 'replies'> {
    const sends = new Map<string, SocketMessage>()
    const receives = new Map<string, SocketMessage>()
    const replies: Record<string, readonly string[]> = {}
    for (const operation of this.#operations()) {
      const channel = this.#resolve(`${operation.at}/channel`)
      if (channel.at !== at) continue
      const action = operation.value['action']
      if (action !== 'send' && action !== 'receive')
        this.#unsupported(`the action \`${String(action)}\` (${operation.at}/action)`)
      const messages = this.#messages(`${operation.at}/messages`, id, at)
      for (const message of messages) (action === 'receive' ? sends : receives).set(message.key, message)
      if (!isObject(operation.value['reply'])) continue
      const reply = this.#resolve(`${operation.at}/reply`)
      const isElsewhere = isObject(reply.value['channel']) && this.#resolve(`${reply.at}/channel`).at !== at
      if (isElsewhere || reply.value['messages'] === undefined) continue
      const responses = this.#messages(`${reply.at}/messages`, id, at)
      for (const response of responses) (action === 'receive' ? receives : sends).set(response.key, response)
      if (action === 'receive')
        for (const message of messages) replies[message.key] = responses.map((response) => response.key)
    }
    return { sends: [...sends.values()], receives: [...receives.values()], replies }
  }

  /** An operation without a list of messages uses all messages of its channel. */
  #messages(list: string, channel: string, at: string): SocketMessage[] {
    const listed = atPointer(this.#document, list)
    if (listed === undefined) {
      return Object.keys(objectOf(atPointer(this.#document, `${at}/messages`))).map((key) =>
        this.#message(key, `${at}/messages/${escapeToken(key)}`),
      )
    }
    return arrayOf(listed).map((entry) => {
      const reference = String(objectOf(entry)['$ref'] ?? '')
      const prefix = `#/channels/${escapeToken(channel)}/messages/`
      const isForeign = reference.startsWith('#/channels/') && !reference.startsWith(prefix)
      if (isForeign || !reference.startsWith('#/'))
        this.#unsupported(`a message in ${list} that isn't in the operation's own channel`)
      const pointer = pointerOf(reference)
      return this.#message(unescapeToken(pointer.split('/').pop() ?? ''), pointer)
    })
  }

  #message(key: string, pointer: string): SocketMessage {
    const found = this.#resolve(pointer)
    const traits = arrayOf(found.value['traits']).map(
      (_, index) => this.#resolve(`${found.at}/traits/${index}`).value,
    )
    const contentType = [found.value, ...traits].find((one) => one['contentType'] !== undefined)?.[
      'contentType'
    ]
    const type = String(contentType ?? this.#document['defaultContentType'] ?? 'application/json')
    const isJson = /json/.test(type)
    const isText = isJson || /^text\/|[/+]xml\b/.test(type)
    const schema = isJson ? this.#payload(`${found.at}/payload`) : undefined
    const { correlationId } = found.value
    const { location } = isObject(correlationId) ? this.#resolve(`${found.at}/correlationId`).value : {}
    // A `location` in the headers is ignored, because WebSocket messages have no headers.
    const correlation = /^\$message\.payload#(\/.*)$/.exec(String(location))?.[1]
    return {
      key,
      frame: isText ? 'text' : 'binary',
      ...(isText && !isJson ? { plain: true } : {}),
      ...(schema === undefined ? {} : { schema: this.#schema(schema) }),
      ...(correlation === undefined ? {} : { correlation }),
      examples: [found.value, ...traits].flatMap((one) => examplesOf(one['examples'])),
    }
  }

  /** Returns the pointer to a payload's JSON Schema, if it has one. */
  #payload(pointer: string): string | undefined {
    const payload = atPointer(this.#document, pointer)
    if (!isObject(payload) || !('schemaFormat' in payload)) return payload === undefined ? undefined : pointer
    return /vnd\.aai\.asyncapi|schema\+(?:json|yaml)/.test(String(payload['schemaFormat']))
      ? `${pointer}/schema`
      : undefined
  }

  #schema(pointer: string): SchemaAt {
    const schema = atPointer(this.#document, pointer)
    const reference = objectOf(schema)['$ref']
    const component =
      typeof reference === 'string' ? /\/components\/schemas\/([^/]+)$/.exec(reference)?.[1] : ''
    return {
      pointer,
      schema,
      ...(component && String(reference).startsWith('#/components/') ? { component } : {}),
    }
  }

  #resolve(pointer: string): Found {
    let at = pointer
    for (let depth = 0; depth < 50; depth += 1) {
      const found = this.#walk(at)
      if (!isObject(found?.value)) this.#unsupported(`a reference without a target (${pointer})`)
      const { value } = found
      if (typeof value['$ref'] !== 'string') return { value, at: found.at }
      at = pointerOf(value['$ref'])
    }
    return this.#unsupported(`a circular reference (${pointer})`)
  }

  /** Resolves a pointer, following references on the way. */
  #walk(pointer: string, depth = 0): { readonly value: unknown; readonly at: string } | undefined {
    if (depth > 50) return undefined
    let value: unknown = this.#document
    let at = ''
    for (const token of pointer.split('/').slice(1)) {
      for (let hops = 0; hops < 50 && isObject(value); hops += 1) {
        if (atPointer(value, `/${token}`) !== undefined || typeof value['$ref'] !== 'string') break
        at = pointerOf(value['$ref'])
        value = this.#walk(at, depth + 1)?.value
      }
      value = atPointer(value, `/${token}`)
      at += `/${token}`
    }
    return value === undefined ? undefined : { value, at }
  }

  #unsupported(what: string): never {
    throw unsupportedSpec(
      `${this.#file} uses ${what}, which isn't supported.`,
      'Correct or rewrite that part of the document.',
    )
  }
}

function examplesOf(list: unknown): Example[] {
  return arrayOf(list).flatMap((one, at) =>
    isObject(one) && 'payload' in one
      ? [{ name: String(one['name'] ?? `example ${at + 1}`), value: one['payload'] }]
      : [],
  )
}

/** The member that {@link inlineFiles} adds to a document. It contains the other files of the contract. */
export const FILES = 'x-files'

/**
 * Copies a document, and adds to the copy all files that the document refers to. Every reference in the copy is a
 * pointer within the copy.
 *
 * @param fetched returns the document at an http(s) URL. Without `fetched`, a reference to a URL is an error.
 * @throws {@link ContractError} if a referenced document can't be read.
 */
export function inlineFiles(
  document: JsonObject,
  file: string,
  read: (file: string) => JsonObject,
  fetched?: (address: string) => JsonObject,
): JsonObject {
  const root = dirname(file)
  const files: Record<string, unknown> = {}
  const include = (path: string): string => {
    const name = isAddress(path) ? path : relative(root, path)
    if (!(name in files)) {
      files[name] = {}
      files[name] = rewrite(isAddress(path) && fetched ? fetched(path) : read(path), path)
    }
    return `#/${FILES}/${escapeToken(name)}`
  }
  const rewrite = (node: unknown, from: string): unknown => {
    const pointed = (object: JsonObject) =>
      typeof object['$ref'] === 'string' ? { ...object, $ref: reference(object['$ref'], from) } : object
    const examples = (key: string, data: unknown) => {
      // If `examples` is a map, each example in it can be a reference. Inside an example, `$ref` is only data.
      if (key !== 'examples' || !isObject(data)) return data
      return Object.fromEntries(
        Object.entries(data).map(([name, one]) => [name, isObject(one) ? pointed(one) : one]),
      )
    }
    return rewriteObjects(node, (object, isMap) => (isMap ? object : pointed(object)), examples)
  }
  const reference = (value: string, from: string): string => {
    const [path = '', pointer = ''] = value.split('#')
    const isElsewhere = isAddress(path) || (isAddress(from) && path !== '')
    if (isElsewhere && fetched) {
      const address = URL.parse(path, isAddress(from) ? from : undefined)?.href
      if (address === undefined)
        throw unsupportedSpec(
          `${shownSource(from)} contains a reference with an invalid URL.`,
          'Correct this URL.',
        )
      return address === file ? `#${pointer}` : `${include(address)}${pointer}`
    }
    if (/^[a-z][a-z0-9+.-]*:/i.test(path)) {
      throw unsupportedSpec(
        `${shownSource(from)} refers to ${shownSource(path)}, which isn't a file path.`,
        'Put all documents of a contract into one folder, and use relative paths in their references.',
      )
    }
    const target = path === '' ? from : resolve(dirname(from), path)
    return target === file ? `#${pointer}` : `${include(target)}${pointer}`
  }
  const whole = rewrite(document, file) as JsonObject
  return Object.keys(files).length > 0 ? { ...whole, [FILES]: files } : whole
}
