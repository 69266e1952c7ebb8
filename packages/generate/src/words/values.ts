import type { Contract } from '../read/contract.ts'
import { type Json, asObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { strings } from './bodies.ts'
import type { ContractObject } from './objects.ts'

/** Keywords that restrict a value beyond its type, its properties and its required properties. */
const settling = [
  'const',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'default',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
]

/** Reports words about values, servers and channels that have no effect, or contradict the keywords beside them. */
export function checkValues(
  contract: Contract,
  objects: readonly ContractObject[],
  references: ReadonlySet<string>,
): void {
  for (const object of objects) {
    if (object.kind === 'schema') checkOpenSchema(contract, object)
    if (object.kind === 'operation' || object.kind === 'webhook') checkOpenStatuses(contract, object)
    if (object.kind === 'server') checkOptionalSecurity(contract, object)
    if (object.kind === 'channel') checkChannel(contract, object)
    if (object.value['x-facts'] !== undefined)
      checkRanges(contract, object.value['x-facts'], childPointer(object.pointer, 'x-facts'))
  }
  checkSecrets(contract, objects, references)
}

function checkOpenSchema(contract: Contract, { pointer, value }: ContractObject): void {
  if (!('x-not-shown' in value)) return
  const at = childPointer(pointer, 'x-not-shown')
  const keywords = settling.filter((keyword) => keyword in value)
  // On a status with documented moves, the open question is about the moves and not about the values.
  if ('enum' in value && value['x-open-enum'] !== true && !('x-transitions' in value)) keywords.push('enum')
  for (const keyword of keywords)
    contract.refuse(
      at,
      `\`x-not-shown\` leaves this value open, but \`${keyword}\` beside it says what it is; keep one of the two`,
    )
}

function checkOpenStatuses(contract: Contract, { pointer, value }: ContractObject): void {
  const responses = asObject(value['responses'])
  for (const [status, entry] of Object.entries(responses)) {
    if (!status.startsWith('2')) continue
    const at = childPointer(pointer, 'responses', status)
    const { raw } = contract.follow(entry, at)
    const [first] = isObject(raw) ? strings(raw['x-not-shown']) : []
    if (first !== undefined && !/^The status\b/.test(first))
      contract.refuse(
        at,
        '`x-not-shown` of a success makes its status an open one, so its first sentence begins "The status"; write anything else at the operation or the schema',
      )
  }
}

function checkOptionalSecurity(contract: Contract, { pointer, value }: ContractObject): void {
  if (value['x-security-optional'] === undefined) return
  const at = childPointer(pointer, 'x-security-optional')
  if ('openapi' in contract.root.raw)
    contract.refuse(at, '`x-security-optional` has no effect in OpenAPI; add `{}` to `security` instead')
  else if (!isList(value['security']) || value['security'].length === 0)
    contract.refuse(
      at,
      '`x-security-optional` has no effect: the server has no `security` that could be optional',
    )
}

function checkChannel(contract: Contract, { pointer, value }: ContractObject): void {
  if (value['x-socket-rules'] !== undefined && typeof value['address'] !== 'string')
    contract.refuse(
      childPointer(pointer, 'x-socket-rules'),
      '`x-socket-rules` has no effect: no client opens a channel without an address',
    )
}

/** Ranges of `x-facts`, at any depth. */
function checkRanges(contract: Contract, value: Json, pointer: string): void {
  if (isList(value))
    value.forEach((entry, index) => checkRanges(contract, entry, childPointer(pointer, index)))
  if (!isObject(value)) return
  const { min, max } = value
  if (typeof min === 'number' && typeof max === 'number' && min > max)
    contract.refuse(pointer, `\`min\` (${min}) is more than \`max\` (${max})`)
  for (const [name, entry] of Object.entries(value)) checkRanges(contract, entry, childPointer(pointer, name))
}

/** Reports secrets whose values the contract lists, and secrets in schemas that nothing refers to. */
function checkSecrets(
  contract: Contract,
  objects: readonly ContractObject[],
  references: ReadonlySet<string>,
): void {
  for (const { pointer, value } of objects) {
    if (value['x-secret'] !== true) continue
    const at = childPointer(pointer, 'x-secret')
    const schema = contract.resolve(value['schema'] ?? value)
    const listing = ['const', 'enum', 'default'].find((keyword) => isObject(schema) && keyword in schema)
    if (listing !== undefined)
      contract.refuse(
        at,
        `\`x-secret\` hides a value that \`${listing}\` states in the contract; keep one of the two`,
      )
    const [component] = /^#\/components\/(?:schemas|parameters)\/[^/]+/.exec(pointer) ?? []
    if (component !== undefined && !references.has(component))
      contract.refuse(at, '`x-secret` has no effect: nothing refers to this component')
  }
}
