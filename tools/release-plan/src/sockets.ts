import { arrayOf, objectOf, sameJson } from '@concord/spec-model'

import { type At, child, followed, itemsOf, keysOf, textOf } from './document.ts'
import { listed, type Pair, type Role, type Scope } from './findings.ts'
import type { SchemaComparison } from './schema.ts'
import { compareSecurity } from './security.ts'
import { compareSocketRules } from './socket-rules.ts'
import { compareRest, membersOf, onlyBase, onlyNext, presence, withoutText } from './text.ts'

type Direction = 'client message' | 'server message'

/** A channel with its messages, on one side of a comparison. */
interface Channel {
  readonly key: string
  readonly at: At
  readonly root: At
  /** Empty if clients don't connect to the channel, for example because it describes webhooks. */
  readonly address: string
  readonly messages: Readonly<Record<Direction, ReadonlyMap<string, At>>>
  /** The names of the replies to each client message. */
  readonly replies: ReadonlyMap<string, ReadonlySet<string>>
}

const HANDLED: ReadonlySet<string> = new Set(['address', 'bindings', 'messages', 'servers', 'x-socket-rules'])
const OPERATION_HANDLED: ReadonlySet<string> = new Set(['action', 'channel', 'messages', 'reply'])

/**
 * Compares the channels of AsyncAPI documents. The documents describe the service's side, so a client sends the
 * messages of operations with `action: receive`.
 */
export function compareSockets(comparison: SchemaComparison, roots: Pair): void {
  const { findings } = comparison
  const base = channelsOf(roots.base)
  const next = channelsOf(roots.next)
  const used = new Set<Channel>()
  for (const now of next) {
    const old =
      base.find(({ key }) => key === now.key) ??
      base.find(
        ({ address, key }) =>
          address !== '' && address === now.address && !next.some((one) => one.key === key),
      )
    if (old) {
      used.add(old)
      compareChannel(comparison, old, now)
    } else
      findings.add('channel-added', onlyNext(roots, now.at), scopeOf(now), {
        name: now.key,
        to: addressText(now),
      })
  }
  for (const old of base)
    if (!used.has(old))
      findings.add('channel-removed', onlyBase(roots, old.at), scopeOf(old), {
        name: old.key,
        from: addressText(old),
      })
  compareOperations(comparison, roots)
}

function compareChannel(comparison: SchemaComparison, old: Channel, now: Channel): void {
  const { findings } = comparison
  const pair = { base: old.at, next: now.at }
  const scope = scopeOf(now)
  if (old.key !== now.key) findings.add('channel-renamed', pair, scope, { from: old.key, name: now.key })
  if (old.address !== now.address)
    findings.add('channel-moved', membersOf(pair, 'address'), scope, {
      name: now.key,
      from: `\`${old.address}\``,
      to: `\`${now.address}\``,
    })
  for (const role of ['client message', 'server message'] as const)
    compareMessages(comparison, old, now, role)
  compareReplies(comparison, old, now)
  compareHandshake(comparison, membersOf(pair, 'bindings'), scope)
  compareServers(comparison, old, now)
  compareSocketRules(findings, membersOf(pair, 'x-socket-rules'), scope)
  compareRest(findings, pair, scope, HANDLED)
}

function compareMessages(comparison: SchemaComparison, old: Channel, now: Channel, role: Direction): void {
  const { findings } = comparison
  const base = old.messages[role]
  const next = now.messages[role]
  const scope: Scope = { ...scopeOf(now), role }
  const renamed = new Map<string, string>()
  for (const [key, at] of base) {
    if (next.has(key)) continue
    const same = [...next].filter(
      ([other, one]) => !base.has(other) && sameJson(payloadOf(one), payloadOf(at)),
    )
    if (same.length === 1 && same[0]) renamed.set(same[0][0], key)
  }
  const missingMessage = (channel: Channel, key: string): At => ({
    ...child(channel.at, 'messages', key),
    value: undefined,
  })
  for (const [key, at] of next) {
    const oldKey = base.has(key) ? key : renamed.get(key)
    const before = oldKey === undefined ? undefined : base.get(oldKey)
    if (before) {
      if (oldKey !== undefined && oldKey !== key)
        findings.add('message-renamed', { base: before, next: at }, scope, { from: oldKey, name: key })
      compareMessage(comparison, { base: before, next: at }, { ...scope, home: `\`${key}\`` })
    } else {
      const isCovered = role === 'server message' && [...base.values()].some((one) => isCatchAll(one, at))
      const kind = isCovered ? 'message-added-covered' : 'message-added'
      findings.add(kind, { base: missingMessage(old, key), next: at }, scope, { name: key })
    }
  }
  for (const [key, at] of base)
    if (!next.has(key) && ![...renamed.values()].includes(key))
      findings.add('message-removed', { base: at, next: missingMessage(now, key) }, scope, { name: key })
}

function compareMessage(comparison: SchemaComparison, pair: Pair, scope: Scope): void {
  const { findings } = comparison
  if (contentTypeOf(pair.base) !== contentTypeOf(pair.next))
    findings.add('unknown', membersOf(pair, 'contentType'), scope, { name: 'contentType' })
  const payload = membersOf(pair, 'payload')
  const there = presence(payload)
  if (there === 'both') comparison.compare(payload, scope)
  else if (there !== 'none') findings.add('unknown', payload, scope, { name: 'payload' })
  compareCorrelation(comparison, membersOf(pair, 'correlationId'), scope)
  compareRest(findings, pair, scope, new Set(['contentType', 'correlationId', 'payload']))
}

function compareCorrelation({ findings }: SchemaComparison, entry: Pair, scope: Scope): void {
  const pair = { base: followed(entry.base), next: followed(entry.next) }
  const location = membersOf(pair, 'location')
  const [from, to] = [textOf(location.base), textOf(location.next)]
  if (from === undefined || to === undefined) {
    if (presence(entry) !== 'none') findings.add('unknown', entry, scope, { name: 'correlationId' })
    return
  }
  if (from !== to)
    findings.add('correlation-changed', location, scope, { from: `\`${from}\``, to: `\`${to}\`` })
  compareRest(findings, pair, scope, new Set(['location']))
}

function compareReplies({ findings }: SchemaComparison, old: Channel, now: Channel): void {
  const scope: Scope = { ...scopeOf(now), role: 'server message' }
  const pair = { base: old.at, next: now.at }
  for (const key of new Set([...old.replies.keys(), ...now.replies.keys()])) {
    // If the client's message was added, removed or renamed, that change has already been reported.
    if (!now.messages['client message'].has(key) || !old.messages['client message'].has(key)) continue
    const base = [...(old.replies.get(key) ?? [])]
    const next = [...(now.replies.get(key) ?? [])]
    const values = listed(next.map((name) => `\`${name}\``))
    if (base.length === 0) findings.add('replies-added', pair, scope, { from: key, values })
    else if (next.length === 0) findings.add('replies-removed', pair, scope, { from: key })
    else {
      for (const name of next.filter((one) => !base.includes(one)))
        findings.add('reply-added', pair, scope, { from: key, name })
      for (const name of base.filter((one) => !next.includes(one)))
        findings.add('reply-removed', pair, scope, { from: key, name })
    }
  }
}

/** Compares the handshake's query, which the `ws` binding defines. Other changes to bindings count as unknown. */
function compareHandshake(comparison: SchemaComparison, bindings: Pair, scope: Scope): void {
  const { findings } = comparison
  const query = membersOf(bindings, 'ws', 'query')
  const own: Scope = { ...scope, role: 'query', home: `the query of ${scope.home}` }
  const there = presence(query)
  if (there === 'both') comparison.compare(query, own)
  else if (there === 'removed') findings.add('query-removed', query, own)
  else if (there === 'added') {
    const required = arrayOf(objectOf(followed(query.next).value)['required']).length > 0
    findings.add(required ? 'query-added-required' : 'query-added', query, own)
  }
  compareRest(findings, membersOf(bindings, 'ws'), scope, new Set(['query', 'bindingVersion']))
  compareRest(findings, bindings, scope, new Set(['ws']))
}

function compareServers({ findings }: SchemaComparison, old: Channel, now: Channel): void {
  const scope = scopeOf(now)
  const pair = { base: child(old.at, 'servers'), next: child(now.at, 'servers') }
  const servers = { base: serversOf(old), next: serversOf(now) }
  const same = (one: At | undefined) => (other: At | undefined) =>
    sameJson(one && withoutSecurity(one), other && withoutSecurity(other))
  const quoted = (at: At | undefined): string => (at ? `\`${addressOf(at)}\`` : 'no server')
  // Programs connect to the first server unless they choose another.
  const [base, next] = [servers.base[0], servers.next[0]]
  if (!same(base)(next)) findings.add('server-changed', pair, scope, { from: quoted(base), to: quoted(next) })
  for (const server of servers.next.slice(1).filter((one) => !servers.base.some(same(one))))
    findings.add('server-added', pair, scope, { to: quoted(server) })
  for (const server of servers.base.slice(1).filter((one) => !servers.next.some(same(one))))
    findings.add('server-removed', pair, scope, { from: quoted(server) })
  if (base && next) compareSecurity(findings, { base, next }, scope, waysOf)
}

function withoutSecurity({ value }: At): unknown {
  const { security: _, 'x-security-optional': __, ...address } = objectOf(withoutText(value))
  return address
}

function addressOf(server: At): string {
  const [protocol, host, path] = ['protocol', 'host', 'pathname'].map((name) => textOf(child(server, name)))
  return `${protocol ?? 'wss'}://${host ?? ''}${path ?? ''}`
}

/** Returns the names of the credentials that a server accepts. An empty name means that a credential is optional. */
function waysOf(server: At, renamed?: ReadonlyMap<string, string>): string[] {
  const named = itemsOf(child(server, 'security')).map((entry) => {
    const reference = objectOf(entry.value)['$ref']
    const name = typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : followed(entry).pointer
    return `\`${renamed?.get(name) ?? name}\``
  })
  return objectOf(server.value)['x-security-optional'] === true ? [...named, ''] : named
}

function serversOf({ at, root }: Channel): At[] {
  const listedServers = itemsOf(child(at, 'servers'))
  const all = child(root, 'servers')
  return (listedServers.length > 0 ? listedServers : keysOf(all).map((key) => child(all, key))).map(followed)
}

/**
 * Compares the operations that have the same name on both sides. Clients don't use the names, so a changed name isn't
 * reported. `compareMessages` compares the messages.
 */
function compareOperations({ findings }: SchemaComparison, roots: Pair): void {
  const operations = membersOf(roots, 'operations')
  for (const key of keysOf(operations.next)) {
    const pair = membersOf(operations, key)
    if (presence(pair) === 'both')
      compareRest(
        findings,
        pair,
        { role: 'client message', user: key, home: `\`${key}\``, path: '' },
        OPERATION_HANDLED,
      )
  }
}

function channelsOf(root: At): Channel[] {
  const channels = child(root, 'channels')
  const operations = child(root, 'operations')
  const all = keysOf(operations).map((key) => followed(child(operations, key)))
  return keysOf(channels).map((key) => {
    const entry = child(channels, key)
    const at = followed(entry)
    const own = all.filter((operation) => followed(child(operation, 'channel')).pointer === at.pointer)
    const messages = { 'client message': new Map<string, At>(), 'server message': new Map<string, At>() }
    const replies = new Map<string, Set<string>>()
    for (const operation of own) {
      const sent = messageKeys(operation, at)
      const action = textOf(child(operation, 'action'))
      if (action !== 'receive' && action !== 'send') continue
      const isFromClient = action === 'receive'
      add(messages[isFromClient ? 'client message' : 'server message'], sent, at)
      const reply = child(operation, 'reply')
      if (!isFromClient || reply.value === undefined) continue
      // A reply on another channel isn't one of this channel's messages.
      const place = child(followed(reply), 'channel')
      if (place.value !== undefined && followed(place).pointer !== at.pointer) continue
      const replied = messageKeys(followed(reply), at)
      add(messages['server message'], replied, at)
      for (const one of sent) replies.set(one, new Set([...(replies.get(one) ?? []), ...replied]))
    }
    return { key, at, root, address: textOf(child(at, 'address')) ?? '', messages, replies }
  })
}

function add(messages: Map<string, At>, keys: readonly string[], channel: At): void {
  for (const key of keys) messages.set(key, followed(child(channel, 'messages', key)))
}

/** An operation without `messages` has all messages of its channel. */
function messageKeys(operation: At, channel: At): string[] {
  const named = child(operation, 'messages')
  if (named.value === undefined) return keysOf(child(channel, 'messages'))
  return itemsOf(named).map(
    (entry) =>
      String(objectOf(entry.value)['$ref'] ?? '')
        .split('/')
        .at(-1) ?? '',
  )
}

function contentTypeOf(message: At): string | undefined {
  return (
    textOf(child(message, 'contentType')) ??
    textOf(child(message.contract.root(message.file), 'defaultContentType'))
  )
}

/** A renamed message is recognized by its content type and payload. */
function payloadOf(message: At): unknown {
  return [contentTypeOf(message), withoutText(followed(child(message, 'payload')).value)]
}

/**
 * Returns whether old clients read the added message `other` as `message`. They do if the content types are the same,
 * and no field of `message` is a constant.
 */
function isCatchAll(message: At, other: At): boolean {
  if (contentTypeOf(message) !== contentTypeOf(other)) return false
  const { properties } = objectOf(followed(child(message, 'payload')).value)
  return !Object.values(objectOf(properties)).some((property) => 'const' in objectOf(property))
}

function scopeOf({ key, address }: Channel): Scope {
  const role: Role = address === '' ? 'webhook' : 'client message'
  return { role, user: key, home: `\`${key}\``, path: '' }
}

function addressText({ address }: Channel): string {
  return address === '' ? '' : ` (\`${address}\`)`
}
