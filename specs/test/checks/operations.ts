import { isObject, objectAt, objectOf, resolved, type JsonObject } from '../document.ts'
import { operationsOf, walk } from '../walk.ts'

/** Statuses that are not numbers, operations without a success or a `default`, and errors without a schema of their own. */
export function statusProblems(document: JsonObject): string[] {
  const problems: string[] = []
  const ofSuccesses = new Set(
    operationsOf(document).flatMap(({ value }) =>
      Object.entries(objectAt(value, 'responses'))
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([, response]) => schemasIn(document, objectOf(response))),
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

/** Responses with the status 429 that don't say what it means. */
export function unexplainedLimits(document: JsonObject): string[] {
  return operationsOf(document)
    .filter(({ value }) => {
      const response = objectAt(value, 'responses')['429']
      return isObject(response) && !('x-rate-meaning' in resolved(document, response))
    })
    .map(({ pointer }) => `${pointer}: 429 has no x-rate-meaning`)
}

/** The named schemas of a response's bodies; in place of alternatives each of them. */
function schemasIn(document: JsonObject, response: JsonObject): string[] {
  const content = Object.values(objectAt(resolved(document, response), 'content'))
  return content.flatMap((one) => named(objectAt(objectOf(one), 'schema')))

  function named(schema: JsonObject): string[] {
    const { anyOf } = resolved(document, schema)
    if (Array.isArray(anyOf)) return anyOf.flatMap((one) => named(objectOf(one)))
    return typeof schema['$ref'] === 'string' ? [schema['$ref']] : []
  }
}
