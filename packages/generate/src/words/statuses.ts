import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { isMissing, membersAt, strings, successBody } from './bodies.ts'
import { closest, didYouMean } from './closest.ts'
import type { ContractObject } from './objects.ts'

const outcomes = ['success', 'failure', 'pending'] as const

/** Reports contradictions between `x-waiter`, `x-transitions` and the values of their status. */
export function checkStatuses(contract: Contract, objects: readonly ContractObject[]): void {
  for (const object of objects) {
    const { kind, pointer, value } = object
    if (kind === 'schema' && isList(value['x-transitions'])) checkTransitions(contract, value, pointer)
    if (kind === 'operation' && isObject(value['x-waiter'])) checkWaiter(contract, object, value['x-waiter'])
  }
}

function checkWaiter(contract: Contract, operation: ContractObject, waiter: JsonObject): void {
  const at = childPointer(operation.pointer, 'x-waiter')
  const retry = operation.value['x-retry']
  if (isObject(retry) && ['unsent-only', 'never'].includes(String(retry['class']))) {
    contract.refuse(
      at,
      `waiting calls the operation again and again, but its class of x-retry is \`${String(retry['class'])}\`; a waiter belongs to a \`safe\` operation`,
    )
  }
  checkDelays(contract, waiter, at)
  const pointer = String(waiter['status'])
  const body = successBody(contract, operation)
  if (isMissing(contract, body)) return
  const [member] = membersAt(contract, body, pointer)
  const values = isList(member?.schema['enum']) ? strings(member.schema['enum']) : undefined
  if (!member || !values) {
    contract.refuse(
      childPointer(at, 'status'),
      `the body of the success has no enum at ${JSON.stringify(pointer)}, so there is no status to wait for`,
    )
    return
  }
  const listed = outcomes.flatMap((outcome) =>
    strings(waiter[outcome]).map((value, index) => ({ outcome, value, index })),
  )
  for (const { outcome, value, index } of listed) {
    if (!values.includes(value))
      contract.refuse(
        childPointer(at, outcome, index),
        `\`${value}\` isn't a value of the status${meantOrListed(value, values)}`,
      )
    const first = listed.find((entry) => entry.value === value)
    if (first?.outcome !== outcome)
      contract.refuse(
        childPointer(at, outcome, index),
        `\`${value}\` is also in \`${String(first?.outcome)}\`; each value belongs to one list`,
      )
  }
  const meant = listed.map(({ value }) => (values.includes(value) ? value : closest(value, values)))
  for (const value of values) {
    if (!meant.includes(value))
      contract.refuse(at, `\`${value}\` of the status is in none of the lists; put it into one`)
  }
  checkEnds(contract, member.schema['x-transitions'], waiter, at)
}

function meantOrListed(value: string, values: readonly string[]): string {
  return didYouMean(value, values) || `, which has ${values.join(', ')}`
}

function checkDelays(contract: Contract, waiter: JsonObject, at: string): void {
  const ordered = [
    ['minDelayMs', 'maxDelayMs'],
    ['firstDelayMs', 'limitMs'],
    ['maxDelayMs', 'limitMs'],
  ] as const
  for (const [less, more] of ordered) {
    const [low, high] = [waiter[less], waiter[more]]
    if (typeof low === 'number' && typeof high === 'number' && low > high)
      contract.refuse(childPointer(at, less), `\`${less}\` (${low}) is more than \`${more}\` (${high})`)
  }
}

function checkEnds(contract: Contract, moves: Json | undefined, waiter: JsonObject, at: string): void {
  if (!isList(moves)) {
    contract.note(at, 'the schema of the status has no `x-transitions`, which say how it moves')
    return
  }
  for (const move of moves.filter(isObject)) {
    const ended = (['success', 'failure'] as const).find((outcome) =>
      strings(waiter[outcome]).includes(String(move['from'])),
    )
    if (ended !== undefined)
      contract.refuse(
        childPointer(at, ended),
        `\`${String(move['from'])}\` ends the wait, but \`x-transitions\` has a move from it to \`${String(move['to'])}\``,
      )
  }
}

/** If a schema doesn't list its values, the states aren't sent by the service, and only their order is checked. */
function checkTransitions(contract: Contract, schema: JsonObject, pointer: string): void {
  const at = childPointer(pointer, 'x-transitions')
  const moves = schema['x-transitions']
  const values = isList(schema['enum']) ? strings(schema['enum']) : undefined
  const reached = new Set<string>()
  for (const [index, move] of asList(moves).entries()) {
    if (!isObject(move)) continue
    const { from, to } = move
    for (const [end, value] of [
      ['from', from],
      ['to', to],
    ] as const) {
      if (values && typeof value === 'string' && !values.includes(value))
        contract.refuse(
          childPointer(at, index, end),
          `\`${value}\` isn't a value of the enum${meantOrListed(value, values)}`,
        )
    }
    if (from !== null && !reached.has(String(from)))
      contract.refuse(
        childPointer(at, index),
        `no move before this one leads to \`${String(from)}\`; begin with \`from: null\``,
      )
    if (to !== null) reached.add(String(to))
  }
  // If the documentation doesn't show all moves, the others may lead to values that no documented move reaches.
  if ('x-not-shown' in schema) return
  for (const value of values ?? []) {
    if (!reached.has(value))
      contract.refuse(
        at,
        `no move leads to \`${value}\`; add it, or say in \`x-not-shown\` that other moves aren't documented`,
      )
  }
}
