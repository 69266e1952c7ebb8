import type { Contract } from '../read/contract.ts'
import { type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'

/** The credentials of an operation or a channel. */
export interface Security {
  /** The security schemes; one is enough. */
  readonly names: readonly string[]
  /** Whether the contract also allows no credential at all. */
  readonly optional: boolean
}

/** Reads the security of an operation; without its own, that of the document applies. `{}` makes it optional. */
export function readSecurity(contract: Contract, operation: JsonObject, pointer: string): Security {
  const at = operation['security'] === undefined ? '#/security' : childPointer(pointer, 'security')
  const list = operation['security'] ?? contract.root['security']
  const names: string[] = []
  let optional = false
  for (const [index, requirement] of (isList(list) ? list : []).entries()) {
    const schemes = isObject(requirement) ? Object.keys(requirement) : undefined
    if (schemes?.length === 0) {
      optional = true
      continue
    }
    const [name, second] = schemes ?? []
    if (name === undefined || second !== undefined) {
      contract.widen(
        childPointer(at, index),
        'clients send one credential, so a security requirement must name exactly one scheme, or none (`{}`) to make it optional',
      )
      continue
    }
    names.push(name)
    const reference = { $ref: childPointer('#/components/securitySchemes', name) }
    contract.follow(reference, childPointer(at, index))
  }
  return { names, optional: optional && names.length > 0 }
}
