import { isObject, objectAt, resolved } from '../document.ts'
import type { Json, JsonObject } from '../document.ts'
import { operationsOf, schemasOf } from '../walk.ts'

/** Waiters whose lists are not exactly the values of the status that they point at, each value in one list. */
export function waiterProblems(document: JsonObject): string[] {
  return operationsOf(document).flatMap(({ pointer, value }) => {
    const waiter = value['x-waiter']
    if (!isObject(waiter)) return []
    const values = statusValues(document, value, String(waiter['status']))
    if (values === undefined) return [`${pointer}: ${String(waiter['status'])} is not an enum of the success`]
    const listed = ['success', 'failure', 'pending'].flatMap((name) => strings(waiter[name]))
    const problems: string[] = []
    for (const one of values)
      if (listed.filter((other) => other === one).length !== 1)
        problems.push(`${pointer}: ${one} has to be in one list of x-waiter`)
    for (const one of listed)
      if (!values.includes(one)) problems.push(`${pointer}: ${one} is not a value of the status`)
    return problems
  })
}

/**
 * Moves between values that the status does not have, values that no move reaches, and status enums without moves. The
 * states of a schema without values of its own are not on the wire; only their order is looked at.
 */
export function transitionProblems(document: JsonObject): string[] {
  const problems: string[] = []
  for (const { pointer, value } of schemasOf(document)) {
    const moves = value['x-transitions']
    if (!Array.isArray(moves)) continue
    const values = strings(value['enum'])
    const reached = new Set<string>()
    for (const move of moves) {
      if (!isObject(move)) continue
      for (const one of [move['from'], move['to']])
        if ('enum' in value && typeof one === 'string' && !values.includes(one))
          problems.push(`${pointer}: ${one} is not a value`)
      if (move['from'] === null || reached.has(String(move['from']))) reached.add(String(move['to']))
      else problems.push(`${pointer}: nothing leads to ${String(move['from'])} before it is left`)
    }
    // Where other moves are said to be not shown, they can lead to the values that no documented one reaches.
    if ('x-not-shown' in value) continue
    for (const one of values) if (!reached.has(one)) problems.push(`${pointer}: no move leads to ${one}`)
  }
  for (const { pointer, value } of operationsOf(document)) {
    const waiter = value['x-waiter']
    if (!isObject(waiter)) continue
    const schema = statusSchema(document, value, String(waiter['status']))
    if (schema !== undefined && !('x-transitions' in schema))
      problems.push(`${pointer}: its status has no x-transitions`)
    for (const move of Array.isArray(schema?.['x-transitions']) ? schema['x-transitions'] : []) {
      const from = isObject(move) ? move['from'] : undefined
      if (typeof from === 'string' && !strings(waiter['pending']).includes(from))
        problems.push(`${pointer}: ${from} is final for the waiter but has a move out of it`)
    }
  }
  return problems
}

function statusSchema(document: JsonObject, operation: JsonObject, pointer: string): JsonObject | undefined {
  const success = Object.entries(objectAt(operation, 'responses')).find(([status]) =>
    status.startsWith('2'),
  )?.[1]
  if (!isObject(success)) return undefined
  const body = Object.values(objectAt(resolved(document, success), 'content'))[0]
  let schema: JsonObject | undefined = isObject(body)
    ? resolved(document, objectAt(body, 'schema'))
    : undefined
  for (const part of pointer.split('/').slice(1)) {
    const property = schema === undefined ? undefined : objectAt(schema, 'properties')[part]
    schema = isObject(property) ? resolved(document, property) : undefined
  }
  return schema
}

function statusValues(document: JsonObject, operation: JsonObject, pointer: string): string[] | undefined {
  const values = statusSchema(document, operation, pointer)?.['enum']
  return Array.isArray(values) ? strings(values) : undefined
}

const strings = (value: Json | undefined) =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
