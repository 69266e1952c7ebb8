import type { Contract } from '../read/contract.ts'
import { type JsonObject, asList, asObject, isObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import { text } from './docs.ts'
import { camelCase, toOperationName } from './names.ts'
import { type AddressModel, usualAddress, variablesIn } from './servers.ts'

interface FoundServer {
  readonly name: string
  readonly raw: JsonObject
  readonly pointer: string
}

/** The servers on which a channel is opened. */
export interface ChannelServers {
  /** The name of the base URL of the client. */
  readonly name: string
  /** The documented addresses for that base URL. */
  readonly addresses: readonly AddressModel[]
  /** The server whose security applies; empty if none does. */
  readonly raw: JsonObject
  readonly pointer: string
}

/** The reason why a client can't open a channel. */
interface NoTransport {
  readonly reason: string
  readonly pointer: string
}

/**
 * Reads the servers of a channel. Clients open only WebSockets. If a channel is only on servers of other protocols,
 * clients get just its messages.
 *
 * @param bases The addresses in the OpenAPI document. A server at another address gets its own base URL.
 */
export function readServers(
  contract: Contract,
  channel: JsonObject,
  pointer: string,
  bases: ReadonlySet<string>,
): ChannelServers | NoTransport {
  const all = serversOf(contract)
  const own = ownServers(contract, channel, pointer)
  const found = own.length > 0 ? own : all
  const live = found.filter(isLive)
  const [first, second] = live
  if (!first && (found.length > 0 || isElsewhere(channel['bindings'], contract)))
    return noTransport(found, pointer)
  if (!first)
    contract.note(pointer, 'no server is documented for this channel; it is opened on the base URL `baseUrl`')
  if (second)
    contract.note(
      pointer,
      'several servers are documented for this channel; the caller passes the address of one of them as base URL',
    )
  for (const { name, raw } of found.filter((server) => !isLive(server)))
    contract.note(pointer, `no client can connect to the server \`${name}\`: ${spoken(raw)}`)
  const addresses = live.flatMap((server) => addressOf(contract, server))
  for (const { raw, pointer: place } of live)
    if (raw['pathname'] !== undefined)
      contract.note(
        childPointer(place, 'pathname'),
        'the path of a server is part of the base URL that the caller passes; write a path that every caller needs into the address of the channel',
      )
  return {
    name: slotOf(
      live,
      all.filter((server) => isLive(server) && variableOf(server) === undefined),
      bases.size > 0 &&
        addresses.length > 0 &&
        addresses.every((address) => !bases.has(usualAddress(address))),
    ),
    addresses,
    raw: first?.raw ?? {},
    pointer: first?.pointer ?? pointer,
  }
}

/** Whether a client can open a channel. */
export function isOpenable(servers: ChannelServers | NoTransport): servers is ChannelServers {
  return 'addresses' in servers
}

function serversOf(contract: Contract): FoundServer[] {
  const all = asObject(contract.root['servers'])
  return Object.entries(all).flatMap(([name, entry]) => {
    const { raw, pointer } = contract.follow(entry, childPointer('#/servers', name))
    return isObject(raw) ? [{ name, raw, pointer }] : []
  })
}

function ownServers(contract: Contract, channel: JsonObject, pointer: string): FoundServer[] {
  const list = asList(channel['servers'])
  return list.flatMap((entry, index) => {
    const { raw, pointer: place } = contract.follow(entry, childPointer(pointer, 'servers', index))
    const named = isObject(entry)
      ? pointerSegments(String(entry['$ref']).replace(/^[^#]*/, '')).at(-1)
      : undefined
    return isObject(raw) ? [{ name: named ?? `server${index + 1}`, raw, pointer: place }] : []
  })
}

function isLive({ raw }: FoundServer): boolean {
  return /^wss?$/i.test(String(raw['protocol']))
}

/** Whether the bindings of a channel without servers are only for other protocols. */
function isElsewhere(bindings: unknown, contract: Contract): boolean {
  const found = isObject(bindings) ? contract.follow(bindings, '#').raw : undefined
  const protocols = Object.keys(asObject(found)).filter((key) => !key.startsWith('x-'))
  return protocols.length > 0 && !protocols.includes('ws')
}

function noTransport(servers: readonly FoundServer[], pointer: string): NoTransport {
  const [first] = servers
  const protocols = [...new Set(servers.map(({ raw }) => spoken(raw)))].join(', ')
  return {
    reason: `no client can open this channel: ${protocols === '' ? 'its bindings are for other protocols' : protocols}. Clients connect over ws and wss only, so only the types and schemas of its messages are generated`,
    pointer: first ? childPointer(first.pointer, 'protocol') : pointer,
  }
}

function spoken(raw: JsonObject): string {
  return `clients don't support the protocol \`${String(raw['protocol'])}\``
}

/**
 * Returns the name of a channel's base URL: the name of the variable if the host is a single variable, or else
 * `baseUrl`. If a document has several servers, and the channel isn't on all of them, it is the name of the channel's
 * server.
 */
function slotOf(live: readonly FoundServer[], all: readonly FoundServer[], isElsewhere: boolean): string {
  const [first] = live
  const variable = first && variableOf(first)
  if (variable !== undefined) return camelCase(variable)
  if (first && live.length < all.length) return toOperationName(`${first.name} url`)
  return isElsewhere ? 'socketUrl' : 'baseUrl'
}

/** Returns the name of the variable if the host is a single variable, which the caller passes. */
function variableOf({ raw }: FoundServer): string | undefined {
  return /^\{([^}]+)\}$/.exec(String(raw['host']))?.[1]
}

/** Returns the address of a server with its variables, or an empty list if the caller passes the whole address. */
function addressOf(contract: Contract, server: FoundServer): AddressModel[] {
  const { name, raw, pointer } = server
  const place = `${String(raw['host'] ?? '')}${String(raw['pathname'] ?? '')}`.replace(/^[a-z]+:\/\//i, '')
  if (place === '' || variableOf(server) !== undefined) return []
  const variables = variablesIn(place, asObject(raw['variables']), (entry, variable) => {
    return contract.follow(entry, childPointer(pointer, 'variables', variable)).raw
  })
  const scheme = /^ws$/i.test(String(raw['protocol'])) ? 'http' : 'https'
  return [{ name, url: `${scheme}://${place}`, doc: text(raw['description']), variables }]
}
