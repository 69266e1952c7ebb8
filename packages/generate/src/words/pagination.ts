import type { ContractNode } from '../read/contract.ts'
import { isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { bodyOf, membersAt, successBody } from './bodies.ts'
import type { ContractObject } from './objects.ts'

/** Reports an `x-pagination` that names a parameter or a member that the operation doesn't have. */
export function checkPagination(objects: readonly ContractObject[]): void {
  for (const { kind, node } of objects)
    if (kind === 'operation' && isObject(node.raw['x-pagination'])) checkWord(node)
}

function checkWord(operation: ContractNode): void {
  const word = operation.at('x-pagination')
  const inSuccess = (pointer: string) => membersAt(word.contract, successBody(operation), pointer)
  const { parameter, in: place, items = '' } = word.raw
  if (typeof parameter === 'string' && !hasParameter(operation, parameter, place === 'body'))
    word.reject(
      `the ${place === 'body' ? 'request body has no member' : 'operation has no query parameter'} \`${parameter}\`; set \`parameter\` to the name of a query parameter or, with \`in: body\`, of a member of the request body`,
      'parameter',
    )
  if (!inSuccess(String(items)).some(({ schema }) => [schema['type']].flat().includes('array')))
    word.reject(
      `the operation's success response ${items === '' ? "isn't a list" : `has no list at ${JSON.stringify(items)}`}; set \`items\` to the JSON Pointer of the list`,
      'items',
    )
  for (const key of ['next', 'more', 'total']) {
    const pointer = word.raw[key]
    if (typeof pointer === 'string' && inSuccess(pointer).length === 0)
      word.reject(`the operation's success response has nothing at ${JSON.stringify(pointer)}`, key)
  }
}

function hasParameter(operation: ContractNode, name: string, inBody: boolean): boolean {
  const { contract, pointer } = operation
  if (inBody) {
    const body = bodyOf(operation.at('requestBody'))
    return membersAt(contract, body, childPointer('', name)).length > 0
  }
  const item = operation.with({ $ref: pointer.slice(0, pointer.lastIndexOf('/')) }).follow()
  return [item, operation]
    .flatMap((owner) => owner.at('parameters').items())
    .map((entry) => entry.follow().raw)
    .some((raw) => raw['in'] === 'query' && raw['name'] === name)
}
