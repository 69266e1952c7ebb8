import type { ContractNode } from '../read/contract.ts'
import { isList, isObject } from '../read/json.ts'
import { isMissing, membersAt, strings, successBody } from './bodies.ts'
import { closest, didYouMean } from './closest.ts'
import type { ContractObject } from './objects.ts'

const outcomes = ['success', 'failure', 'pending'] as const

/** Reports mistakes in `x-waiter` and `x-transitions`, such as values that aren't in the schema's enum. */
export function checkStatuses(objects: readonly ContractObject[]): void {
  for (const { kind, node } of objects) {
    if (kind === 'schema' && isList(node.raw['x-transitions'])) checkTransitions(node)
    if (kind === 'operation' && isObject(node.raw['x-waiter'])) checkWaiter(node)
  }
}

function checkWaiter(operation: ContractNode): void {
  const { contract } = operation
  const waiter = operation.at('x-waiter')
  const retry = operation.raw['x-retry']
  if (isObject(retry) && ['unsent-only', 'never'].includes(String(retry['class'])))
    waiter.reject(
      `a wait calls the operation repeatedly, but the operation's \`x-retry\` class is \`${String(retry['class'])}\`; only a \`safe\` operation can have \`x-waiter\``,
    )
  checkDelays(waiter)
  const pointer = String(waiter.raw['status'])
  const body = successBody(operation)
  if (isMissing(contract, body)) return
  const [member] = membersAt(contract, body, pointer)
  if (!member || !isList(member.schema['enum'])) {
    waiter.reject(
      `the body of the operation's success response has no enum at ${JSON.stringify(pointer)}, so there is no status to wait for`,
      'status',
    )
    return
  }
  const values = strings(member.schema['enum'])
  const listed = outcomes.flatMap((outcome) =>
    strings(waiter.raw[outcome]).map((value, index) => ({ outcome, value, index })),
  )
  for (const { outcome, value, index } of listed) {
    if (!values.includes(value))
      waiter.reject(`\`${value}\` isn't a value of the status${meantOrListed(value, values)}`, outcome, index)
    const first = listed.find((entry) => entry.value === value)
    if (first?.outcome !== outcome)
      waiter.reject(
        `\`${value}\` is also in \`${String(first?.outcome)}\`; put each value into only one list`,
        outcome,
        index,
      )
  }
  const meant = listed.map(({ value }) => (values.includes(value) ? value : closest(value, values)))
  for (const value of values) {
    if (!meant.includes(value))
      waiter.reject(
        `the status can be \`${value}\`, but no list of \`x-waiter\` contains this value; put it into \`success\`, \`failure\` or \`pending\``,
      )
  }
  checkEnds(waiter, member.schema['x-transitions'])
}

function meantOrListed(value: string, values: readonly string[]): string {
  return didYouMean(value, values) || `; the allowed values are ${values.join(', ')}`
}

function checkDelays(waiter: ContractNode): void {
  const ordered = [
    ['minDelayMs', 'maxDelayMs'],
    ['firstDelayMs', 'limitMs'],
    ['maxDelayMs', 'limitMs'],
  ] as const
  for (const [less, more] of ordered) {
    const [low, high] = [waiter.raw[less], waiter.raw[more]]
    if (typeof low === 'number' && typeof high === 'number' && low > high)
      waiter.reject(`\`${less}\` (${low}) is more than \`${more}\` (${high})`, less)
  }
}

function checkEnds(waiter: ContractNode, moves: unknown): void {
  if (!isList(moves)) {
    waiter.note('the schema of the status has no `x-transitions` to say how the status changes')
    return
  }
  for (const { from, to } of moves.filter(isObject)) {
    const ended = (['success', 'failure'] as const).find((outcome) =>
      strings(waiter.raw[outcome]).includes(String(from)),
    )
    if (ended !== undefined)
      waiter.reject(
        `\`${String(from)}\` ends the wait, but \`x-transitions\` has a move from \`${String(from)}\` to \`${String(to)}\``,
        ended,
      )
  }
}

/**
 * Checks the values and the order of the moves in `x-transitions`. Some schemas with `x-transitions` have no enum,
 * because no response contains their values: for example, the states of a refresh token.
 */
function checkTransitions(schema: ContractNode): void {
  const moves = schema.at('x-transitions')
  const values = isList(schema.raw['enum']) ? strings(schema.raw['enum']) : undefined
  const reached = new Set<string>()
  for (const move of moves.items()) {
    if (!move.isObject) continue
    const { from, to } = move.raw
    for (const [end, value] of Object.entries({ from, to })) {
      if (values && typeof value === 'string' && !values.includes(value))
        move.reject(`\`${value}\` isn't a value of the enum${meantOrListed(value, values)}`, end)
    }
    if (from !== null && !reached.has(String(from)))
      move.reject(
        `no earlier move leads to \`${String(from)}\`; insert a move with \`to: ${String(from)}\` above this one (with \`from: null\` if \`${String(from)}\` is the first state)`,
      )
    if (to !== null) reached.add(String(to))
  }
  // `x-not-shown` says that some moves are undocumented. So a value that no listed move leads to isn't a mistake.
  if ('x-not-shown' in schema.raw) return
  for (const value of values ?? []) {
    if (!reached.has(value))
      moves.reject(
        `no move leads to \`${value}\`; add one, or say in \`x-not-shown\` that other moves aren't documented`,
      )
  }
}
