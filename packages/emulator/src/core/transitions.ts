import { EmulatorError } from './errors.ts'
import { isObject, type Json, type Specification } from './specification.ts'

/** Returns `to`. Throws an error if the transition isn't allowed. */
export type TransitionCheck = <State extends string>(from: string, to: State) => State

/** Creates a check that allows the transitions in a schema's `x-transitions` and those in `further`. */
export function readTransitions(
  specification: Specification,
  schemaName: string,
  further: readonly { from: string | null; to: string }[] = [],
): TransitionCheck {
  const schema = specification.at(`#/components/schemas/${schemaName}`)
  const list = isObject(schema) ? schema['x-transitions'] : undefined
  if (!Array.isArray(list))
    throw new EmulatorError('contract', `The contract lists no transitions for the schema \`${schemaName}\`.`)
  const documented = list.filter(isObject).map(({ from, to }) => `${String(from)} -> ${String(to)}`)
  const moves = new Set([...documented, ...further.map(({ from, to }) => `${from} -> ${to}`)])
  return (from, to) => {
    if (!moves.has(`${from} -> ${to}`))
      throw new EmulatorError(
        'transition',
        `The contract has no transition from \`${from}\` to \`${to}\` for the schema \`${schemaName}\`.`,
      )
    return to
  }
}

/** Returns the statuses that an operation's `x-waiter` lists as success or failure. */
export function readFinalStatuses(specification: Specification, operationId: string): ReadonlySet<string> {
  const operation = specification.operations.find((candidate) => candidate.operationId === operationId)
  const waiter = operation?.source['x-waiter']
  if (!isObject(waiter))
    throw new EmulatorError(
      'contract',
      `The contract has no \`x-waiter\` for the operation \`${operationId}\`.`,
    )
  return new Set([...strings(waiter['success']), ...strings(waiter['failure'])])
}

function strings(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.map(String) : []
}
