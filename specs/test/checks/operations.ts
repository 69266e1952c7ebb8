import { isObject, objectAt, resolved } from '../document.ts'
import type { JsonObject } from '../document.ts'
import { operationsOf, walk } from '../walk.ts'

/** The names of the operations that need no key. */
export function publicOperations(document: JsonObject): string[] {
  return operationsOf(document)
    .filter(({ value }) => {
      const security = value['security'] ?? document['security']
      return !Array.isArray(security) || security.length === 0 || security.some((one) => isEmpty(one))
    })
    .map(({ value }) => String(value['operationId']))
}

/** Method and path of every operation, as they go over the wire. */
export function operationLines(document: JsonObject): string[] {
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
    Object.keys(isObject(item) ? item : {})
      .filter((key) => ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'].includes(key))
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
}

/** Statuses that are not numbers, operations without a success or a `default`, and errors without a schema of their own. */
export function statusProblems(document: JsonObject): string[] {
  const problems: string[] = []
  const ofSuccesses = new Set(
    operationsOf(document).flatMap(({ value }) =>
      Object.entries(objectAt(value, 'responses'))
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([, response]) => schemasIn(document, isObject(response) ? response : {})),
    ),
  )
  const errorProblem = (response: JsonObject): string | undefined => {
    const schemas = schemasIn(document, response)
    if (schemas.length === 0) return 'has no body; refer to a schema of errors, which may be open'
    return schemas.every((schema) => ofSuccesses.has(schema))
      ? `has the body of a success, ${schemas.join(', ')}; refer to a schema of errors`
      : undefined
  }
  for (const { kind, pointer, value } of walk(document)) {
    if (kind !== 'operation' && kind !== 'webhook') continue
    const responses = objectAt(value, 'responses')
    const statuses = Object.keys(responses)
    for (const status of statuses)
      if (status !== 'default' && !/^[1-5]\d\d$/.test(status))
        problems.push(`${pointer}: ${status} is not a number`)
    const successes = statuses.filter((status) => status.startsWith('2'))
    if (successes.length === 0) problems.push(`${pointer}: has no success status`)
    if (kind === 'webhook') continue
    if (!statuses.includes('default'))
      problems.push(
        `${pointer}: has no response \`default\`; add one for the errors that the documentation doesn't list`,
      )
    for (const status of statuses.filter((one) => one === 'default' || /^[45]/.test(one))) {
      const problem = errorProblem(objectAt(responses, status))
      if (problem) problems.push(`${pointer}: ${status} ${problem}`)
    }
  }
  return problems
}

/** Operations that say nothing about being sent again. */
export function operationsWithoutRetry(document: JsonObject): string[] {
  return operationsOf(document)
    .filter(({ value }) => !('x-retry' in value))
    .map(({ pointer }) => `${pointer}: has no x-retry`)
}

/** Operations that change something and don't say what their answer proves, and outcomes that point at a missing place. */
export function outcomeProblems(document: JsonObject): string[] {
  const operations = operationsOf(document)
  const ids = operations.map(({ value }) => value['operationId'])
  const problems: string[] = []
  for (const { pointer, value } of operations) {
    const isSafe = isObject(value['x-retry']) && value['x-retry']['class'] === 'safe'
    const outcome = value['x-outcome']
    if (isSafe !== !isObject(outcome))
      problems.push(`${pointer}: ${isSafe ? 'is safe but has an' : 'has no'} x-outcome`)
    if (!isObject(outcome)) continue
    if (outcome['lookUp'] !== undefined && !ids.includes(outcome['lookUp']))
      problems.push(`${pointer}: ${String(outcome['lookUp'])} is not an operation`)
    const { id } = outcome
    if (typeof id === 'string' && !successShows(document, value, id.slice(1)))
      problems.push(`${pointer}: a success does not always have ${id}`)
  }
  return problems
}

/** Whether the body of the success requires this member. */
function successShows(document: JsonObject, operation: JsonObject, name: string): boolean {
  const responses = objectAt(operation, 'responses')
  const status = Object.keys(responses).find((one) => one.startsWith('2')) ?? ''
  const content = objectAt(resolved(document, objectAt(responses, status)), 'content')
  const { required } = resolved(document, objectAt(objectAt(content, 'application/json'), 'schema'))
  return Array.isArray(required) && required.includes(name)
}

/** 429 answers without a meaning, meanings on other answers, and matched meanings after the others. */
export function rateMeaningProblems(document: JsonObject): string[] {
  const problems: string[] = []
  for (const { pointer, value } of operationsOf(document))
    for (const [status, response] of Object.entries(objectAt(value, 'responses'))) {
      const meanings = isObject(response) ? resolved(document, response)['x-rate-meaning'] : undefined
      if ((status === '429') !== Array.isArray(meanings))
        problems.push(
          `${pointer}: ${status} ${status === '429' ? 'has no' : 'is not a 429 but has an'} x-rate-meaning`,
        )
      if (!Array.isArray(meanings)) continue
      const matched = meanings.map((one) => isObject(one) && 'match' in one)
      if (matched.lastIndexOf(true) > matched.indexOf(false) && matched.includes(false))
        problems.push(`${pointer}: ${status} has a match after a meaning without one`)
    }
  return problems
}

const isEmpty = (value: unknown) =>
  isObject(value as JsonObject) && Object.keys(value as JsonObject).length === 0

/** The named schemas of a response's bodies; in place of alternatives each of them. */
function schemasIn(document: JsonObject, response: JsonObject): string[] {
  const content = Object.values(objectAt(resolved(document, response), 'content'))
  return content.flatMap((one) => (isObject(one) ? named(objectAt(one, 'schema')) : []))

  function named(schema: JsonObject): string[] {
    const { anyOf } = resolved(document, schema)
    if (Array.isArray(anyOf)) return anyOf.flatMap((one) => (isObject(one) ? named(one) : []))
    return typeof schema['$ref'] === 'string' ? [schema['$ref']] : []
  }
}
