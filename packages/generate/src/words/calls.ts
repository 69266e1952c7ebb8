import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { bodyOf, isMissing, membersAt, successBody } from './bodies.ts'
import type { ContractObject } from './objects.ts'

/** Reports where `x-retry`, `x-outcome` and `x-rate-meaning` contradict each other or the responses. */
export function checkCalls(
  contract: Contract,
  objects: readonly ContractObject[],
  references: ReadonlySet<string>,
): void {
  const operations = objects.filter(({ kind }) => kind === 'operation')
  const classes = new Map(
    operations.map(
      ({ value }) => [String(value['operationId']), asObject(value['x-retry'])['class']] as const,
    ),
  )
  for (const operation of operations) {
    checkRetryStatuses(contract, operation)
    checkOutcome(contract, operation, classes)
    checkRateLimits(contract, operation)
  }
  checkUnusedMeanings(contract, objects, references)
}

function checkRetryStatuses(contract: Contract, { pointer, value }: ContractObject): void {
  const responses = asObject(value['responses'])
  const statuses = asObject(value['x-retry'])['statuses']
  for (const [index, status] of asList(statuses).entries()) {
    if (String(status) in responses || 'default' in responses) continue
    contract.note(
      childPointer(pointer, 'x-retry', 'statuses', index),
      `\`x-retry\` sends the call again after ${String(status)}, which isn't among the responses; correct it, or add the response ` +
        `to \`responses\`: \`'${String(status)}': { description: ... }\``,
    )
  }
}

function checkOutcome(
  contract: Contract,
  operation: ContractObject,
  classes: ReadonlyMap<string, Json | undefined>,
): void {
  const { pointer, value } = operation
  const outcome = value['x-outcome']
  if (!isObject(outcome)) return
  const at = childPointer(pointer, 'x-outcome')
  const { id, lookUp } = outcome
  if (typeof id === 'string') {
    const body = successBody(contract, operation)
    const members = membersAt(contract, body, id)
    const isAlways = members.length > 0 && members.every(({ required }) => required)
    if (!isAlways && !isMissing(contract, body)) {
      contract.refuse(
        childPointer(at, 'id'),
        `a success doesn't always have ${JSON.stringify(id)}, so a call that was accepted would count as uncertain; ` +
          'name a member that every success is required to have, or leave `id` out',
      )
    }
  }
  const found = typeof lookUp === 'string' ? classes.get(lookUp) : undefined
  if (found === 'unsent-only' || found === 'never') {
    contract.refuse(
      childPointer(at, 'lookUp'),
      `\`${String(lookUp)}\` shows what became of a call, so calling it must change nothing; its class of x-retry is \`${String(found)}\``,
    )
  }
}

function checkRateLimits(contract: Contract, { pointer, value }: ContractObject): void {
  for (const [status, entry] of Object.entries(asObject(value['responses']))) {
    const at = childPointer(pointer, 'responses', status)
    const { raw, pointer: response } = contract.follow(entry, at)
    const meanings = asObject(raw)['x-rate-meaning']
    if (status !== '429') {
      if (meanings !== undefined)
        contract.refuse(at, `\`x-rate-meaning\` is about 429; it has no effect on ${status}`)
      continue
    }
    const sentAgain = asObject(value['x-retry'])['statuses']
    if (isList(meanings) && isList(sentAgain) && sentAgain.includes(429) && meanings.every(cannotHelp)) {
      contract.refuse(
        childPointer(pointer, 'x-retry', 'statuses'),
        '`x-retry` sends the call again after 429, but every meaning in `x-rate-meaning` says `retryHelps: false`',
      )
    }
    if (isList(meanings))
      checkMeanings(contract, meanings.filter(isObject), bodyOf(contract, entry, at), response)
  }
}

function cannotHelp(meaning: Json): boolean {
  return isObject(meaning) && meaning['retryHelps'] === false
}

function checkMeanings(
  contract: Contract,
  meanings: readonly JsonObject[],
  body: Json | undefined,
  response: string,
): void {
  const seen = new Map<string, number>()
  let open = false
  for (const [index, { match }] of meanings.entries()) {
    const at = childPointer(response, 'x-rate-meaning', index)
    if (!isObject(match)) {
      open = true
      continue
    }
    if (open) contract.refuse(at, 'a meaning with a `match` is read first; put it before those without one')
    const key = JSON.stringify([match['pointer'], match['equals']])
    if (seen.has(key))
      contract.refuse(at, `meaning ${seen.get(key)} has the same \`match\`, so this one never applies`)
    else seen.set(key, index)
    const members = membersAt(contract, body, String(match['pointer']))
    const refusing = members.filter(({ schema }) => !accepts(schema, match['equals'] ?? null))
    if (members.length > 0 && refusing.length === members.length) {
      contract.refuse(
        at,
        `no body of the response has ${JSON.stringify(match['equals'])} at ${JSON.stringify(match['pointer'])}, so this meaning never applies`,
      )
    }
  }
}

function accepts(schema: JsonObject, value: Json): boolean {
  if (schema['const'] !== undefined) return schema['const'] === value
  if (isList(schema['enum']) && schema['x-open-enum'] !== true) return schema['enum'].includes(value)
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  return types.length === 0 || types.includes(typeof value) || types.includes('integer')
}

/** Responses under `components` that no operation refers to: their meanings have no effect. */
function checkUnusedMeanings(
  contract: Contract,
  objects: readonly ContractObject[],
  references: ReadonlySet<string>,
): void {
  for (const { kind, pointer, value } of objects) {
    if (kind !== 'response' || !pointer.startsWith('#/components/') || !('x-rate-meaning' in value)) continue
    if (!references.has(pointer))
      contract.refuse(
        childPointer(pointer, 'x-rate-meaning'),
        '`x-rate-meaning` has no effect: no operation has this response',
      )
  }
}
