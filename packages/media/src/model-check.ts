import { models } from './gen/models.gen.ts'

/** A model that the documentation lists for generations. @public */
export type ListedModel = keyof typeof models

/**
 * The model of real-time avatars. No generation endpoint runs it.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1realtime_sessions/post`
 */
export const SESSION_MODEL = 'gwm1_avatars'

export interface ModelRunner {
  readonly name: string
  readonly path: string
}

interface Row {
  readonly endpoints: readonly string[]
  readonly input: string | null
  readonly requiresOneOf?: readonly (readonly string[])[]
}

const ROWS: ReadonlyMap<unknown, Row> = /* @__PURE__ */ new Map(/* @__PURE__ */ Object.entries(models))

/**
 * Returns why a model can't run on an endpoint and what to do, or `undefined` if it can.
 *
 * @param runners - All operations that run models.
 */
export function modelProblem(
  model: unknown,
  { name, path }: ModelRunner,
  runners: readonly ModelRunner[],
): string | undefined {
  const runs = [...ROWS].filter(([, row]) => row.endpoints.includes(path)).map(([each]) => each)
  const here = `${name} runs ${runs.join(', ')}`
  if (model === undefined) return `is missing; ${here}`
  if (typeof model !== 'string') return `is not the name of a model; ${here}`
  if (model === SESSION_MODEL)
    return `is '${model}', the model of real-time avatars: call avatars.create, then sessions.create; ${here}`
  const row = ROWS.get(model)
  if (row === undefined)
    return `is '${model}', which is not documented: ${here}; to use it anyway, pass unlistedModel('${model}')`
  if (row.endpoints.includes(path)) return undefined
  const others = runners.filter((each) => row.endpoints.includes(each.path)).map((each) => each.name)
  return `is '${model}', which only ${others.join(' and ')} ${others.length === 1 ? 'runs' : 'run'}; ${here}`
}

export function runsOn(model: unknown, path: string): boolean {
  return ROWS.get(model)?.endpoints.includes(path) === true
}

/**
 * Finds a missing input that a listed model requires.
 *
 * @param given - The names of all fields of the request that have a value.
 * @param documented - The documented field names. In `requiresOneOf`, each `*` means one undocumented field.
 */
export function missingInput(
  model: unknown,
  given: readonly string[],
  documented: readonly string[],
): { readonly path: string; readonly reason: string } | undefined {
  const row = ROWS.get(model)
  if (row === undefined) return undefined
  const needs = (it: string) => `'${String(model)}' needs ${it} (documented input: ${row.input})`
  let undocumented = given.filter((field) => !documented.includes(field)).length
  for (const group of row.requiresOneOf ?? []) {
    if (group.some((field) => given.includes(field))) continue
    if (group.includes('*') && undocumented-- > 0) continue
    const named = group.filter((field) => field !== '*')
    const [only] = named
    if (only !== undefined && group.length === 1)
      return { path: `/body/${only}`, reason: `is missing, and ${needs('it')}` }
    if (named.length > 0)
      return {
        path: '/body',
        reason: `has neither \`${named.join('` nor `')}\`, and ${needs('one of them')}`,
      }
    return {
      path: '/body',
      reason:
        `lacks the input of '${String(model)}' (${row.input}); the documentation doesn't name the field for ` +
        "it, so pass it in 'fields', under the name that the service expects",
    }
  }
  return undefined
}
