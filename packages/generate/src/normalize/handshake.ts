import type { ContractNode } from '../read/contract.ts'
import { asList, isObject } from '../read/json.ts'
import { pointerSegments } from '../read/pointer.ts'
import type { ChannelModel } from './model.ts'
import { pascalCase } from './names.ts'
import { rulesKey } from './rules.ts'
import { readSchema } from './schema.ts'
import type { Security } from './security.ts'
import { type SchemeModel, readScheme } from './security-schemes.ts'
import type { OpenChannel, SocketOperation } from './socket-operations.ts'
import { secretNames } from './walk.ts'

/** The parts of a channel's model that describe how the channel is opened, except its address. */
export type Handshake = Pick<
  ChannelModel,
  'server' | 'security' | 'securityOptional' | 'schemes' | 'query' | 'queryType' | 'secrets'
>

/** Reads the base URL, the query and the credentials for opening a channel. Defines the type of the query. */
export function readHandshake(
  { id, node, servers }: OpenChannel,
  operations: readonly SocketOperation[],
): Handshake {
  const security = readChannelSecurity(servers.node, operations)
  const query = queryOf(node)
  const parameters = query ? readParameters(query) : []
  const schema = query
    ? readSchema(query)
    : { type: 'object' as const, [rulesKey]: { noParts: true as const } }
  const description = `The query of \`${id}\`.`
  return {
    server: servers.name,
    security: security.names,
    securityOptional: security.optional,
    schemes: security.schemes,
    query: parameters,
    queryType: (query ?? node).define(`${pascalCase(id)}Query`, { ...schema, description }),
    secrets: query ? secretNames(node.contract, query.value) : [],
  }
}

/** The schema of the query in the ws binding of a channel, if any. */
function queryOf(channel: ContractNode): ContractNode | undefined {
  const bindings = channel.at('bindings')
  if (bindings.value === undefined) return undefined
  const found = bindings.follow()
  for (const key of Object.keys(found.raw)) {
    if (key !== 'ws' && !key.startsWith('x-'))
      found.note('this binding is ignored: a WebSocket uses only the binding `ws`', key)
  }
  if (found.raw['ws'] === undefined) return undefined
  const binding = found.at('ws').follow()
  for (const [key, value] of Object.entries(binding.raw)) {
    if (key === 'query' || key === 'bindingVersion' || key.startsWith('x-')) continue
    if (key === 'method' && value === 'GET') continue
    binding.note(
      `clients ignore \`${key}\` in the binding \`ws\`` +
        (key === 'headers' ? '; callers can pass headers in `extra.headers`' : ''),
      key,
    )
  }
  return binding.raw['query'] === undefined ? undefined : binding.at('query')
}

function readParameters(query: ContractNode): ChannelModel['query'] {
  const schema = query.with(query.resolved())
  if (schema.raw['type'] !== 'object' || isObject(schema.raw['additionalProperties'])) {
    query.widen(
      'the query of a handshake needs `type: object`, with a named property for each parameter; otherwise, callers can pass the query only in `extra.query`',
    )
    return []
  }
  const required = asList(schema.raw['required'])
  return schema
    .at('properties')
    .members()
    .map(([name, property]) => {
      if (property.resolved()['type'] === 'object')
        property.note('a parameter that is an object is sent as JSON')
      return { name, required: required.includes(name) }
    })
}

/**
 * Reads the security schemes with which a channel can be opened. A channel has one handshake, so its server and its
 * operations must require the same schemes.
 */
function readChannelSecurity(
  server: ContractNode,
  operations: readonly SocketOperation[],
): Omit<Security, 'doc'> {
  const lists = [server.at('security'), ...operations.map(({ security }) => security)]
  const found = lists
    .filter(({ value }) => value !== undefined)
    .map((list) => ({ list, schemes: list.items().map(readRequirement) }))
  const [first = { schemes: [] }, ...others] = found
  for (const { schemes, list } of others) {
    if (namesOf(schemes).toSorted().join() === namesOf(first.schemes).toSorted().join()) continue
    list.widen(
      'the server or another operation requires different credentials, but a channel has only one handshake; require the same credentials for the server and for all operations of the channel',
    )
  }
  const schemes = [
    ...new Map(found.flatMap((one) => one.schemes).map((scheme) => [scheme.name, scheme])).values(),
  ]
  const sent = schemes.filter(({ kind }) => kind !== 'transport')
  const optional = server.raw['x-security-optional'] === true || sent.length < schemes.length
  return { names: namesOf(sent), optional: optional && sent.length > 0, schemes: sent }
}

function namesOf(schemes: readonly SchemeModel[]): string[] {
  return schemes.map(({ name }) => name)
}

function readRequirement(requirement: ContractNode): SchemeModel {
  const scheme = requirement.follow()
  const path = pointerSegments(scheme.pointer)
  // An inline scheme has no name, so it is named after its type.
  const isNamed = path.at(-2) === 'securitySchemes'
  if (!isNamed) requirement.note('refer to a security scheme by #/components/securitySchemes/<name>')
  return readScheme(scheme, String(isNamed ? path.at(-1) : scheme.raw['type']))
}
