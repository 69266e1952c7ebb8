import type { Contract } from '../read/contract.ts'
import { type JsonObject, asList, asObject, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { bodyOf, membersAt, successBody } from './bodies.ts'
import type { ContractObject } from './objects.ts'

/** Reports an `x-pagination` that names a parameter or a member that the operation doesn't have. */
export function checkPagination(contract: Contract, objects: readonly ContractObject[]): void {
  for (const operation of objects) {
    const word = operation.kind === 'operation' ? operation.value['x-pagination'] : undefined
    if (isObject(word)) checkWord(contract, operation, word)
  }
}

function checkWord(contract: Contract, operation: ContractObject, word: JsonObject): void {
  const at = childPointer(operation.pointer, 'x-pagination')
  const body = successBody(contract, operation)
  const { parameter, items = '' } = word
  if (
    typeof parameter === 'string' &&
    !hasParameter(contract, operation, { parameter, inBody: word['in'] === 'body' })
  )
    contract.refuse(
      childPointer(at, 'parameter'),
      `the operation has no parameter \`${parameter}\`; name one in its query, or a member of its body with \`in: body\``,
    )
  const lists = membersAt(contract, body, String(items))
  if (!lists.some(({ schema }) => [schema['type']].flat().includes('array')))
    contract.refuse(
      childPointer(at, 'items'),
      `a success has no list at ${JSON.stringify(items)}; point to the list of items`,
    )
  for (const key of ['next', 'more', 'total']) {
    const pointer = word[key]
    if (typeof pointer === 'string' && membersAt(contract, body, pointer).length === 0)
      contract.refuse(childPointer(at, key), `a success has nothing at ${JSON.stringify(pointer)}`)
  }
}

function hasParameter(
  contract: Contract,
  { pointer, value }: ContractObject,
  { parameter, inBody }: { readonly parameter: string; readonly inBody: boolean },
): boolean {
  if (inBody) {
    const body = bodyOf(contract, value['requestBody'], childPointer(pointer, 'requestBody'))
    return membersAt(contract, body, childPointer('', parameter)).length > 0
  }
  const item = contract.follow({ $ref: pointer.slice(0, pointer.lastIndexOf('/')) }, pointer).raw
  const lists = [asObject(item)['parameters'], value['parameters']]
  return lists
    .flatMap((list) => asList(list))
    .map((entry) => contract.follow(entry, pointer).raw)
    .some((raw) => isObject(raw) && raw['in'] === 'query' && raw['name'] === parameter)
}
