import type { Contract } from '../read/contract.ts'
import { type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'

/** Which security schemes an operation can be called with, and the names of headers that carry secrets there. */
export interface Security {
  readonly names: readonly string[]
  readonly secrets: readonly string[]
}

/** Reads the security of an operation, which is that of the document where it has none of its own. */
export function readSecurity(contract: Contract, operation: JsonObject, pointer: string): Security {
  const at = operation['security'] === undefined ? '#/security' : childPointer(pointer, 'security')
  const list = operation['security'] ?? contract.root['security']
  const names: string[] = []
  const secrets: string[] = []
  if (!isList(list)) return { names, secrets }
  list.forEach((requirement, index) => {
    const [name, second] = isObject(requirement) ? Object.keys(requirement) : []
    if (name === undefined || second !== undefined) {
      contract.refuse(
        childPointer(at, index),
        'a security requirement must name exactly one scheme; none at all and several at once are not expressed',
      )
      return
    }
    names.push(name)
    const reference = { $ref: childPointer('#/components/securitySchemes', name) }
    const { raw } = contract.follow(reference, childPointer(at, index))
    if (isObject(raw) && raw['x-secret'] === true && typeof raw['name'] === 'string')
      secrets.push(raw['name'])
  })
  return { names, secrets }
}
