import type { BodyModel, ParameterModel } from './model.ts'
import { type PlainSchema, rulesKey } from './rules.ts'

/** A parameter or a body on its way into the input of an operation. */
export interface InputPart<Model> {
  readonly model: Model
  readonly schema: PlainSchema
  /** Whether the schema would also accept that the part is missing. */
  readonly open: boolean
  /** Names in it whose values are never shown. */
  readonly secrets: readonly string[]
}

/** The name of the part of an input that the parameters of a place go to. */
export const inputPartOf = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const

/**
 * The schema of the whole input of an operation: `{ path, query, headers, body }`, with only the parts that it has.
 * Parameters with a constant value aren't part of it: the client sends them by itself.
 */
export function inputSchema(
  parameters: readonly InputPart<ParameterModel>[],
  body: InputPart<BodyModel> | undefined,
): PlainSchema {
  const properties: Record<string, PlainSchema> = {}
  const required: string[] = []
  for (const place of ['path', 'query', 'header', 'cookie'] as const) {
    const own = parameters.filter(({ model }) => model.in === place && model.value === undefined)
    if (own.length === 0) continue
    const part = partSchema(own)
    properties[inputPartOf[place]] = part
    if (part.required) required.push(inputPartOf[place])
  }
  if (body) {
    properties['body'] = body.schema
    if (body.model.required) required.push('body')
  }
  if (Object.keys(properties).length === 0) return { type: 'object', [rulesKey]: { noParts: true } }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(body?.model.required === true && body.open ? { [rulesKey]: { present: ['body'] } } : {}),
  }
}

function partSchema(parameters: readonly InputPart<ParameterModel>[]): PlainSchema {
  const required = parameters.filter(({ model }) => model.required)
  const present = required.filter(({ open }) => open).map(({ model }) => model.name)
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ model, schema }) => [model.name, schema])),
    ...(required.length > 0 ? { required: required.map(({ model }) => model.name) } : {}),
    ...(present.length > 0 ? { [rulesKey]: { present } } : {}),
  }
}
