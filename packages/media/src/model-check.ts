import { models } from './gen/models.gen.ts'

/** An operation that runs models, by its name and its path. */
export interface ModelRunner {
  readonly name: string
  readonly path: string
}

interface Row {
  readonly endpoints: readonly string[]
  readonly requires: readonly string[]
}

const ROWS: ReadonlyMap<string, Row> = /* @__PURE__ */ new Map(/* @__PURE__ */ Object.entries(models))

/**
 * Why a model cannot run on an endpoint, in words that help; undefined when the table says that it does.
 *
 * @param runners All operations that run models.
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
  const row = ROWS.get(model)
  if (row === undefined)
    return `is '${model}', which the documentation does not list: ${here}; for another model give unlistedModel('${model}')`
  if (row.endpoints.includes(path)) return undefined
  const others = runners.filter((each) => row.endpoints.includes(each.path)).map((each) => each.name)
  return `is '${model}', which runs with ${others.join(' and ')} only; ${here}`
}

/** The fields that a listed model requires. */
export function requiredFields(model: unknown): readonly string[] {
  return (typeof model === 'string' ? ROWS.get(model)?.requires : undefined) ?? []
}
