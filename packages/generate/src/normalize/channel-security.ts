import type { ContractNode } from '../read/contract.ts'
import { pointerSegments } from '../read/pointer.ts'
import type { Security } from './security.ts'
import { readScheme, type SchemeModel } from './security-schemes.ts'
import type { SocketOperation } from './socket-operations.ts'

/**
 * Reads the security schemes with which a channel can be opened. A channel has one handshake, so its server and its
 * operations may not require different schemes.
 */
export function readChannelSecurity(
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

function readRequirement(requirement: ContractNode): SchemeModel {
  const scheme = requirement.follow()
  const path = pointerSegments(scheme.pointer)
  // An inline scheme has no name, so it is named after its type.
  const isNamed = path.at(-2) === 'securitySchemes'
  if (!isNamed) requirement.note('refer to a security scheme by #/components/securitySchemes/<name>')
  return readScheme(scheme, String(isNamed ? path.at(-1) : scheme.raw['type']))
}
