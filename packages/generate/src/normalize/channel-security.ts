import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject } from '../read/json.ts'
import { childPointer, pointerSegments } from '../read/pointer.ts'
import type { Security } from './security.ts'
import { readScheme, type SchemeModel } from './security-schemes.ts'
import type { SocketOperation } from './socket-operations.ts'

/**
 * Reads which security schemes a channel can be opened with. There is one handshake for everything on a channel,
 * so its server and its operations may not ask for different ones.
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
    // A scheme that is written where it is used has no name but that of its type.
    const isNamed = path.at(-2) === 'securitySchemes'
    if (!isNamed) contract.note(pointer, 'refer to a security scheme by #/components/securitySchemes/<name>')
    const name = isNamed ? path.at(-1) : asObject(raw)['type']
    return readScheme(contract, raw, place, String(name))
  })
}
