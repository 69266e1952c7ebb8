import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import type { Security } from './security.ts'
import { readScheme, type SchemeModel } from './security-schemes.ts'
import type { SocketOperation } from './socket-operations.ts'

/**
 * Reads the security schemes with which a channel can be opened. A channel has one handshake, so its server and its
 * operations may not require different schemes.
 */
export function readChannelSecurity(
  contract: Contract,
  server: { readonly raw: JsonObject; readonly pointer: string },
  operations: readonly SocketOperation[],
): Omit<Security, 'doc'> {
  const lists = operations.flatMap(({ security }) => (security ? [security] : []))
  if (server.raw['security'] !== undefined)
    lists.unshift({ list: server.raw['security'], pointer: childPointer(server.pointer, 'security') })
  const found = lists.map(({ list, pointer }) => ({ pointer, schemes: readList(contract, list, pointer) }))
  const [first = { schemes: [] }, ...others] = found
  for (const { schemes, pointer } of others) {
    if (namesOf(schemes).toSorted().join() === namesOf(first.schemes).toSorted().join()) continue
    contract.widen(
      pointer,
      'another place requires different credentials, but a channel has only one handshake; require the same in both',
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

function readList(contract: Contract, list: Json, at: string): SchemeModel[] {
  return asList(list).map((entry, index) => {
    const pointer = childPointer(at, index)
    const { raw, pointer: place } = contract.follow(entry, pointer)
    const path = pointerSegments(place)
    // An inline scheme has no name, so it is named after its type.
    const isNamed = path.at(-2) === 'securitySchemes'
    if (!isNamed) contract.note(pointer, 'refer to a security scheme by #/components/securitySchemes/<name>')
    const name = isNamed ? path.at(-1) : asObject(raw)['type']
    return readScheme(contract, raw, place, String(name))
  })
}
