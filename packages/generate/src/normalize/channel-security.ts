import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import type { Security } from './security.ts'
import type { SocketOperation } from './socket-operations.ts'

/** The schemes that can be sent at a handshake. */
const sendable = new Set(['http', 'httpApiKey'])

/**
 * Reads which security schemes a channel can be opened with. There is one handshake for everything on a channel,
 * so its server and its operations may not ask for different ones.
 */
export function readChannelSecurity(
  contract: Contract,
  server: { readonly raw: JsonObject; readonly pointer: string },
  operations: readonly SocketOperation[],
): Security {
  const lists = operations.flatMap(({ security }) => (security ? [security] : []))
  if (server.raw['security'] !== undefined)
    lists.unshift({ list: server.raw['security'], pointer: childPointer(server.pointer, 'security') })
  const found = lists.map(({ list, pointer }) => ({ pointer, ...readList(contract, list, pointer) }))
  const optional = server.raw['x-security-optional'] === true
  const [first = { names: [] }, ...others] = found
  for (const { names, pointer } of others) {
    if (names.toSorted().join() === first.names.toSorted().join()) continue
    contract.refuse(
      pointer,
      'another place asks for other credentials, but a channel has one handshake; say the same',
    )
  }
  return { names: first.names, optional: optional && first.names.length > 0 }
}

function readList(contract: Contract, list: Json, at: string): Omit<Security, 'optional'> {
  const names: string[] = []
  for (const [index, entry] of (isList(list) ? list : []).entries()) {
    const pointer = childPointer(at, index)
    const reference = isObject(entry) ? entry['$ref'] : undefined
    const path = typeof reference === 'string' ? pointerSegments(reference) : []
    const name = path[2]
    if (path.length !== 3 || path[1] !== 'securitySchemes' || name === undefined) {
      contract.refuse(pointer, 'refer to a security scheme by #/components/securitySchemes/<name>')
      continue
    }
    const { raw, pointer: place } = contract.follow(entry, pointer)
    if (!isObject(raw)) continue
    names.push(name)
    if (!sendable.has(String(raw['type'])))
      contract.refuse(
        childPointer(place, 'type'),
        `\`${String(raw['type'])}\` cannot be sent at a handshake; http and httpApiKey can`,
      )
    if (raw['type'] === 'httpApiKey' && raw['in'] !== 'header')
      contract.refuse(childPointer(place, 'in'), 'the clients send a key only as a header')
  }
  return { names }
}
