import { Contents } from './contents.ts'
import { isRange } from './media.ts'
import type { BodyModel, ParameterModel } from './model.ts'
import { type Discriminator, type PlainSchema, rulesKey } from './rules.ts'
import { withoutEnd } from './docs.ts'

/** A parameter or a body that becomes part of the input of an operation. */
export interface InputPart<Model> {
  readonly model: Model
  readonly schema: PlainSchema
  /** Whether the schema also accepts undefined. If so, zod by itself doesn't require the part. */
  readonly open: boolean
  /** The names of secret properties, whose values are never shown. */
  readonly secrets: readonly string[]
}

/** The part of an operation's input that contains a parameter, by the parameter's `in`. */
export const inputPartOf = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const

interface InputSchema {
  readonly schema: PlainSchema
  /** Whether the input has a required part. */
  readonly isRequired: boolean
  readonly hasParts: boolean
}

/**
 * The schema of the whole input of an operation: `{ path, query, headers, cookies, contentType, body }`, with only the
 * parts that the operation has. Parameters with a constant value aren't included, because the client sends them by
 * itself. If the body has several media types, `contentType` selects one; the default is the first.
 */
export function inputSchema(
  parameters: readonly InputPart<ParameterModel>[],
  bodies: readonly InputPart<BodyModel>[],
): InputSchema {
  const properties: Record<string, PlainSchema> = {}
  const required: string[] = []
  for (const place of ['path', 'query', 'header', 'cookie'] as const) {
    const own = parameters.filter(({ model }) => model.in === place && model.value === undefined)
    if (own.length === 0) continue
    const part = partSchema(own)
    properties[inputPartOf[place]] = part
    if (part.required) required.push(inputPartOf[place])
  }
  const alternatives = alternativesOf(bodies).map((group): PlainSchema => {
    const [{ schema, model, open }] = group
    const isFirst = model === bodies[0]?.model
    const demanded = [...required, ...(isFirst ? [] : ['contentType']), ...(model.required ? ['body'] : [])]
    return {
      type: 'object',
      properties: {
        ...properties,
        ...(bodies.length > 1 && { contentType: contentTypeSchema(group, isFirst) }),
        body: schema,
      },
      ...(demanded.length > 0 ? { required: demanded } : {}),
      ...(model.required && open ? { [rulesKey]: { present: ['body'] } } : {}),
    }
  })
  const isRequired = required.length > 0 || bodies[0]?.model.required === true
  const hasParts = Object.keys(properties).length > 0 || bodies.length > 0
  const [first, ...others] = alternatives
  const schema: PlainSchema =
    first !== undefined
      ? others.length === 0
        ? first
        : { anyOf: alternatives, [rulesKey]: { discriminator: byContentType(alternatives) } }
      : hasParts
        ? { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
        : { type: 'object', [rulesKey]: { noParts: true } }
  return { schema, isRequired, hasParts }
}

type Group = readonly [InputPart<BodyModel>, ...InputPart<BodyModel>[]]

/** Groups the media types of a body by their schemas. */
function alternativesOf(bodies: readonly InputPart<BodyModel>[]): readonly Group[] {
  const contents = new Contents()
  const groups = new Map<number, [InputPart<BodyModel>, ...InputPart<BodyModel>[]]>()
  for (const body of bodies) {
    const key = contents.of([body.schema, body.open, body.model.kind === 'binary']).id
    const group = groups.get(key)
    if (group) group.push(body)
    else groups.set(key, [body])
  }
  return [...groups.values()]
}

/**
 * The schema of `contentType` for a group of media types. The schema can accept more media types than the contract
 * does, because the client checks the media type again when it sends the body.
 */
function contentTypeSchema(group: Group, isDefault: boolean): PlainSchema {
  const types = group.map(({ model }) => model.contentType)
  const named = types.filter((type) => !isRange(type))
  const [only, second] = named
  const [first = ''] = types
  const description = isDefault
    ? `The media type of the body. Default: \`${withoutEnd(first)}\`.`
    : 'The media type of the body.'
  if (only === undefined) {
    const patterns = types.map((type) => type.split('*').map(escapePattern).join('[^/]+'))
    const pattern = types.includes('*/*') ? String.raw`\/` : `^(?:${patterns.join('|')})$`
    return {
      type: 'string',
      description,
      [rulesKey]: { checks: [{ check: 'pattern', value: pattern }], mediaRange: first },
    }
  }
  if (named.length < types.length) return { type: 'string', description, [rulesKey]: { openEnum: named } }
  return second === undefined
    ? { const: only, type: 'string', description }
    : { enum: named, type: 'string', description }
}

/** The discriminator that selects an alternative by the `contentType` of an input. */
function byContentType(alternatives: readonly PlainSchema[]): Discriminator {
  const values = alternatives.map(({ properties = {} }) => {
    const { const: only, enum: listed } = properties['contentType'] ?? {}
    return [...(only === undefined ? [] : [only]), ...(listed ?? [])].map(String)
  })
  return { property: 'contentType', values, unsaid: [], otherwise: 0 }
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)
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
