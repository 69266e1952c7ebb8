import type { ContractNode } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, isList, isObject } from '../read/json.ts'
import { bodyOf, isMissing, membersAt, successBody } from './bodies.ts'
import type { ContractObject } from './objects.ts'

/** Reports contradictions between `x-retry`, `x-outcome`, `x-rate-meaning` and the documented responses. */
export function checkCalls(objects: readonly ContractObject[], references: ReadonlySet<string>): void {
  const operations = objects.filter(({ kind }) => kind === 'operation').map(({ node }) => node)
  const classes = new Map(
    operations.map(({ raw }) => [String(raw['operationId']), asObject(raw['x-retry'])['class']] as const),
  )
  for (const operation of operations) {
    checkRetryStatuses(operation)
    checkOutcome(operation, classes)
    checkRateLimits(operation)
  }
  for (const { kind, node } of objects)
    if (kind === 'response' && !references.has(node.pointer)) checkUnusedMeanings(node)
}

function checkRetryStatuses(operation: ContractNode): void {
  const responses = asObject(operation.raw['responses'])
  for (const entry of operation.at('x-retry', 'statuses').items()) {
    const status = String(entry.value)
    if (status in responses || 'default' in responses) continue
    entry.note(
      `\`x-retry\` sends the call again after ${status}, which isn't among the responses; correct the status, or add the response ` +
        `to \`responses\`: \`'${status}': { description: ... }\``,
    )
  }
}

function checkOutcome(operation: ContractNode, classes: ReadonlyMap<string, Json | undefined>): void {
  const outcome = operation.at('x-outcome')
  const { id, lookUp } = outcome.raw
  if (typeof id === 'string') {
    const body = successBody(operation)
    const members = membersAt(operation.contract, body, id)
    const isAlways = members.length > 0 && members.every(({ required }) => required)
    if (!isAlways && !isMissing(operation.contract, body))
      outcome.reject(
        `a success response can lack ${JSON.stringify(id)}, and then the outcome of an accepted call is uncertain; ` +
          'point `id` to a member that is required in every success response, or omit `id`',
        'id',
      )
  }
  const found = typeof lookUp === 'string' ? classes.get(lookUp) : undefined
  if (found === 'unsent-only' || found === 'never')
    outcome.reject(
      `\`lookUp\` must name an operation that changes nothing, but the \`x-retry\` class of \`${String(lookUp)}\` is \`${String(found)}\`; name an operation of class \`safe\``,
      'lookUp',
    )
}

function checkRateLimits(operation: ContractNode): void {
  for (const [status, entry] of operation.at('responses').members()) {
    const response = entry.follow()
    const meanings = response.at('x-rate-meaning')
    if (status !== '429') {
      if (meanings.value !== undefined)
        entry.reject(`\`x-rate-meaning\` applies only to status 429, not to ${status}`)
      continue
    }
    if (!isList(meanings.value)) continue
    const statuses = operation.at('x-retry', 'statuses')
    if (asList(statuses.value).includes(429) && meanings.value.every(cannotHelp))
      statuses.reject(
        '`x-retry` sends the call again after status 429, but every meaning in `x-rate-meaning` says `retryHelps: false`; remove 429 from `statuses`, or correct `retryHelps`',
      )
    checkMeanings(meanings, bodyOf(entry))
  }
}

function cannotHelp(meaning: Json): boolean {
  return isObject(meaning) && meaning['retryHelps'] === false
}

function checkMeanings(meanings: ContractNode, body: Json | undefined): void {
  const seen = new Map<string, number>()
  let open = false
  for (const [index, meaning] of meanings
    .items()
    .filter((item) => item.isObject)
    .entries()) {
    const { match } = meaning.raw
    if (!isObject(match)) {
      open = true
      continue
    }
    if (open)
      meaning.reject(
        'meanings with a `match` must come first; move this meaning before all meanings without a `match`',
      )
    const key = JSON.stringify([match['pointer'], match['equals']])
    if (seen.has(key))
      meaning.reject(
        `this meaning never applies, because the meaning at index ${seen.get(key)} has the same \`match\``,
      )
    else seen.set(key, index)
    const members = membersAt(meanings.contract, body, String(match['pointer']))
    const rejecting = members.filter(({ schema }) => !accepts(schema, match['equals'] ?? null))
    if (members.length > 0 && rejecting.length === members.length)
      meaning.reject(
        `the response's body can't have ${JSON.stringify(match['equals'])} at ${JSON.stringify(match['pointer'])}, so this meaning never applies`,
      )
  }
}

function accepts(schema: JsonObject, value: Json): boolean {
  if (schema['const'] !== undefined) return schema['const'] === value
  if (isList(schema['enum']) && schema['x-open-enum'] !== true) return schema['enum'].includes(value)
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  const type = value === null ? 'null' : isList(value) ? 'array' : typeof value
  return types.length === 0 || types.includes(type) || (types.includes('integer') && Number.isInteger(value))
}

function checkUnusedMeanings(response: ContractNode): void {
  if (response.pointer.startsWith('#/components/') && 'x-rate-meaning' in response.raw)
    response.reject('`x-rate-meaning` has no effect: no operation has this response', 'x-rate-meaning')
}
