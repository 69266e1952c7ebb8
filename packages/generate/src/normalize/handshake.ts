import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { readChannelSecurity } from './channel-security.ts'
import type { ChannelModel } from './model.ts'
import type { ChannelServers } from './channel-servers.ts'
import { pascalCase } from './names.ts'
import { type PlainSchema, rulesKey } from './rules.ts'
import { readSchema } from './schema.ts'
import type { SocketOperation } from './socket-operations.ts'
import { secretNames } from './walk.ts'

/** The input for opening a channel. */
export interface Handshake extends Pick<
  ChannelModel,
  'server' | 'security' | 'securityOptional' | 'schemes' | 'query' | 'queryType'
> {
  readonly secrets: readonly string[]
}

interface Channel {
  readonly id: string
  readonly raw: JsonObject
  readonly pointer: string
  readonly servers: ChannelServers
}

/** Reads the address, the query and the credentials for opening a channel. Defines the type of the query. */
export function readHandshake(
  contract: Contract,
  channel: Channel,
  operations: readonly SocketOperation[],
): Handshake {
  const { id, raw, pointer, servers: server } = channel
  const security = readChannelSecurity(contract, server, operations)
  const query = readQuery(contract, raw['bindings'], pointer)
  const description = `The query of \`${id}\`.`
  const queryType = contract.define(`${pascalCase(id)}Query`, { ...query.schema, description }, query.pointer)
  return {
    server: server.name,
    security: security.names,
    securityOptional: security.optional,
    schemes: security.schemes,
    query: query.parameters,
    queryType,
    secrets: query.secrets,
  }
}

interface Query {
  readonly schema: PlainSchema
  readonly pointer: string
  readonly parameters: ChannelModel['query']
  readonly secrets: readonly string[]
}

function readQuery(contract: Contract, entry: Json | undefined, at: string): Query {
  const { raw: bindings, pointer } = contract.follow(entry ?? {}, childPointer(at, 'bindings'))
  const none = {
    schema: { type: 'object', [rulesKey]: { noParts: true } } as const,
    pointer: at,
    parameters: [],
    secrets: [],
  }
  if (!isObject(bindings)) return none
  for (const key of Object.keys(bindings)) {
    if (key !== 'ws' && !key.startsWith('x-'))
      contract.note(childPointer(pointer, key), 'a channel of a WebSocket has a binding for ws only')
  }
  const { raw: binding, pointer: place } = contract.follow(bindings['ws'] ?? {}, childPointer(pointer, 'ws'))
  if (!isObject(binding)) return none
  for (const [key, value] of Object.entries(binding)) {
    if (key === 'query' || key === 'bindingVersion' || key.startsWith('x-')) continue
    if (key === 'method' && value === 'GET') continue
    contract.note(
      childPointer(place, key),
      `clients ignore \`${key}\` of a handshake` +
        (key === 'headers' ? '; the caller passes them in `extra.headers`' : ''),
    )
  }
  const raw = binding['query']
  if (raw === undefined) return none
  const where = childPointer(place, 'query')
  const parameters = readParameters(contract, contract.resolveObject(raw), where)
  const schema = readSchema(contract, raw, where)
  // Without named parameters, the query is open, because the allowed parameters aren't known.
  return { schema, pointer: where, parameters, secrets: secretNames(contract, raw) }
}

function readParameters(contract: Contract, schema: JsonObject, at: string): ChannelModel['query'] {
  if (schema['type'] !== 'object' || isObject(schema['additionalProperties'])) {
    contract.widen(
      at,
      'the query of a handshake needs type: object, with a named property for each parameter; the caller passes it in `extra.query`',
    )
    return []
  }
  const required = asList(schema['required'])
  return Object.entries(asObject(schema['properties'])).map(([name, property]) => {
    if (contract.resolveObject(property)['type'] === 'object')
      contract.note(childPointer(at, 'properties', name), 'a parameter that is an object is written as JSON')
    return { name, required: required.includes(name) }
  })
}
