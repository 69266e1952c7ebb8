import type { ContractNode } from '../read/contract.ts'
import { asList, isObject } from '../read/json.ts'
import { strings } from './bodies.ts'
import type { ContractObject } from './objects.ts'

/**
 * Keywords that a schema can't contain next to `x-not-shown`, because `x-not-shown` leaves the value open. `type`,
 * `properties` and `required` are allowed next to it.
 */
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

/** Reports `x-` keywords that have no effect, contain a mistake, or contradict other keywords. */
export function checkValues(objects: readonly ContractObject[], references: ReadonlySet<string>): void {
  for (const { kind, node } of objects) {
    if (kind === 'schema') checkOpenSchema(node)
    if (kind === 'operation' || kind === 'webhook') checkOpenStatuses(node)
    if (kind === 'server') checkOptionalSecurity(node)
    if (kind === 'channel') checkChannel(node)
    checkRanges(node.at('x-facts'))
  }
  for (const { node } of objects) if (node.raw['x-secret'] === true) checkSecret(node, references)
}

function checkOpenSchema(schema: ContractNode): void {
  const { raw } = schema
  if (!('x-not-shown' in raw)) return
  const keywords = settling.filter((keyword) => keyword in raw)
  // If a schema has `x-transitions`, its `x-not-shown` is about the transitions and not about the values.
  if ('enum' in raw && raw['x-open-enum'] !== true && !('x-transitions' in raw)) keywords.push('enum')
  for (const keyword of keywords)
    schema.reject(
      `\`x-not-shown\` leaves this value open, but \`${keyword}\` describes the value; remove \`x-not-shown\` or \`${keyword}\``,
      'x-not-shown',
    )
}

function checkOpenStatuses(operation: ContractNode): void {
  for (const [status, entry] of operation.at('responses').members()) {
    if (!status.startsWith('2')) continue
    const [first] = strings(entry.follow().raw['x-not-shown'])
    if (first !== undefined && !/^The status\b/.test(first))
      entry.reject(
        '`x-not-shown` of a success response must begin with "The status" and say which other statuses are possible; move other facts to `x-not-shown` of the operation or the schema',
      )
  }
}

function checkOptionalSecurity(server: ContractNode): void {
  const word = server.at('x-security-optional')
  if (word.value === undefined) return
  if ('openapi' in server.contract.root.raw)
    word.reject('`x-security-optional` has no effect in OpenAPI; add `{}` to `security` instead')
  else if (asList(server.raw['security']).length === 0)
    word.reject('`x-security-optional` has no effect: the server has no `security` that could be optional')
}

function checkChannel(channel: ContractNode): void {
  if (channel.raw['x-socket-rules'] !== undefined && typeof channel.raw['address'] !== 'string')
    channel.reject(
      '`x-socket-rules` has no effect: the channel has no address, so no client opens it',
      'x-socket-rules',
    )
}

function checkRanges(node: ContractNode): void {
  for (const item of node.items()) checkRanges(item)
  const { min, max } = node.raw
  if (typeof min === 'number' && typeof max === 'number' && min > max)
    node.reject(`\`min\` (${min}) is more than \`max\` (${max})`)
  for (const [, member] of node.members()) checkRanges(member)
}

function checkSecret(node: ContractNode, references: ReadonlySet<string>): void {
  const schema = node.contract.resolve(node.raw['schema'] ?? node.value)
  const listing = ['const', 'enum', 'default'].find((keyword) => isObject(schema) && keyword in schema)
  if (listing !== undefined)
    node.reject(
      `\`x-secret\` hides this value, but the contract shows it in \`${listing}\`; remove \`x-secret\` or \`${listing}\``,
      'x-secret',
    )
  const [component] = /^#\/components\/(?:schemas|parameters)\/[^/]+/.exec(node.pointer) ?? []
  if (component !== undefined && !references.has(component))
    node.reject('`x-secret` has no effect: nothing refers to this component', 'x-secret')
}
