import type { Contract, ContractNode } from '../read/contract.ts'
import { pointerSegments } from '../read/pointer.ts'
import { text } from './docs.ts'
import { camelCase, toOperationName } from './names.ts'
import { type AddressModel, usualAddress, variablesIn } from './servers.ts'

interface FoundServer {
  readonly name: string
  readonly node: ContractNode
}

/** The servers on which a channel is opened. */
export interface ChannelServers {
  /** The name of the client option for the channel's base URL, such as `baseUrl` or `socketUrl`. */
  readonly name: string
  /** The documented addresses for that base URL. */
  readonly addresses: readonly AddressModel[]
  /** The server whose security applies to the channel; an empty node if the channel has no server. */
  readonly node: ContractNode
}

/** The reason why a client can't open a channel. */
interface NoTransport {
  readonly reason: string
  readonly node: ContractNode
}

/**
 * Reads the servers of a channel. Clients connect only to WebSocket servers. If a channel has only servers of other
 * protocols, only the types and schemas of its messages are generated.
 *
 * @param bases The addresses of the servers in the OpenAPI document.
 */
export function readServers(channel: ContractNode, bases: ReadonlySet<string>): ChannelServers | NoTransport {
  const all = serversOf(channel.contract)
  const own = ownServers(channel)
  const found = own.length > 0 ? own : all
  const live = found.filter(isLive)
  const [first, second] = live
  if (!first && (found.length > 0 || isElsewhere(channel.at('bindings')))) return noTransport(found, channel)
  if (!first)
    channel.note(
      'no server is documented for this channel; clients open the channel on the base URL `baseUrl`',
    )
  if (second)
    channel.note(
      'several servers are documented for this channel; the caller selects one by name, or passes a base URL',
    )
  for (const { name, node } of found.filter((server) => !isLive(server)))
    channel.note(`no client can connect to the server \`${name}\`: ${spoken(node)}`)
  const addresses = live.flatMap(addressOf)
  for (const { node } of live)
    if (node.raw['pathname'] !== undefined)
      node.note(
        'this path must be part of the base URL that the caller passes; if every caller needs the path, move it to the address of the channel',
        'pathname',
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
    node: first?.node ?? channel.with({}),
  }
}

export function isOpenable(servers: ChannelServers | NoTransport): servers is ChannelServers {
  return 'addresses' in servers
}

function serversOf(contract: Contract): FoundServer[] {
  const servers = contract.root.at('servers').members()
  return servers.map(([name, entry]) => ({ name, node: entry.follow() })).filter(({ node }) => node.isObject)
}

function ownServers(channel: ContractNode): FoundServer[] {
  return channel
    .at('servers')
    .items()
    .map((entry, index) => {
      const named = entry.isObject
        ? pointerSegments(String(entry.raw['$ref']).replace(/^[^#]*/, '')).at(-1)
        : undefined
      return { name: named ?? `server${index + 1}`, node: entry.follow() }
    })
    .filter(({ node }) => node.isObject)
}

function isLive({ node }: FoundServer): boolean {
  return /^wss?$/i.test(String(node.raw['protocol']))
}

/** Whether a channel has bindings, but no binding for WebSocket. */
function isElsewhere(bindings: ContractNode): boolean {
  if (!bindings.isObject) return false
  const protocols = Object.keys(bindings.follow().raw).filter((key) => !key.startsWith('x-'))
  return protocols.length > 0 && !protocols.includes('ws')
}

function noTransport(servers: readonly FoundServer[], channel: ContractNode): NoTransport {
  const [first] = servers
  const protocols = [...new Set(servers.map(({ node }) => spoken(node)))].join(' and ')
  return {
    reason: `no generated client can open this channel: ${protocols === '' ? 'its bindings are for other protocols' : protocols}. Clients connect only over \`ws\` and \`wss\`, so only the types and schemas of the channel's messages are generated`,
    node: first?.node.at('protocol') ?? channel,
  }
}

function spoken({ raw }: ContractNode): string {
  return `clients don't support the protocol \`${String(raw['protocol'])}\``
}

/**
 * Returns the name of the client option for a channel's base URL.
 *
 * @param isElsewhere Whether all addresses of the channel's servers differ from those in the OpenAPI document.
 */
function slotOf(live: readonly FoundServer[], all: readonly FoundServer[], isElsewhere: boolean): string {
  const [first] = live
  const variable = first && variableOf(first)
  if (variable !== undefined) return camelCase(variable)
  if (first && live.length < all.length) return toOperationName(`${first.name} url`)
  return isElsewhere ? 'socketUrl' : 'baseUrl'
}

/**
 * If the whole host of a server is one variable, returns the variable's name. Users of the generated client then pass
 * the whole address.
 */
function variableOf({ node }: FoundServer): string | undefined {
  return /^\{([^}]+)\}$/.exec(String(node.raw['host']))?.[1]
}

function addressOf(server: FoundServer): AddressModel[] {
  const { raw } = server.node
  const place = `${String(raw['host'] ?? '')}${String(raw['pathname'] ?? '')}`.replace(/^[a-z]+:\/\//i, '')
  if (place === '' || variableOf(server) !== undefined) return []
  const documented = server.node.at('variables')
  const variables = variablesIn(place, documented.raw, (name) => documented.at(name).follow().raw)
  const scheme = /^ws$/i.test(String(raw['protocol'])) ? 'http' : 'https'
  return [{ name: server.name, url: `${scheme}://${place}`, doc: text(raw['description']), variables }]
}
