import type { Contract, ContractNode } from '../read/contract.ts'
import { type Json, combinedIn, typesOf } from '../read/json.ts'
import { docText } from './docs.ts'
import type { InputPart } from './input.ts'
import { isForm, isJson } from './media.ts'
import { noteUnknown, parameterList } from './members.ts'
import type { ParameterModel } from './model.ts'
import { acceptsAbsence } from './object-schema.ts'
import type { PlainSchema } from './rules.ts'
import { readSchema } from './schema.ts'
import { secretNames } from './walk.ts'
import { JSON_WRITERS, WRITERS } from './writers.ts'

type Part = InputPart<ParameterModel> & { readonly isWholeQuery?: true }

/** Headers that OpenAPI ignores as parameters. */
const notParameters = new Set(['accept', 'content-type', 'authorization'])

/** Headers that belong to the connection. The runtime doesn't accept them from a caller. */
const connectionHeaders: ReadonlySet<string> = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
)

/** Reads the parameters of an operation and of its path. Parameters of the operation override those of the path. */
export function readParameters(
  operation: ContractNode,
  ofPath: ContractNode | undefined,
  path: string,
): Part[] {
  const found = new Map<string, Part>()
  for (const list of [ofPath, operation.at('parameters')]) {
    if (list === undefined) continue
    const own = new Set<string>()
    for (const entry of parameterList(list.inRequest())) {
      const target = entry.follow()
      if (target.value !== null && !target.isObject) target.widen('this is not a parameter')
      const part = target.isObject ? readParameter(target) : undefined
      if (!part) continue
      const key = `${part.model.in} ${part.model.name}`
      if (own.has(key)) entry.note(`\`${part.model.name}\` is listed twice; the last one counts`)
      own.add(key)
      found.set(key, part)
    }
  }
  noteBesideWholeQuery([...found.values()], operation)
  return inTemplate(path, [...found.values()], operation)
}

function readParameter(parameter: ContractNode): Part | undefined {
  parameter.visit()
  const { raw } = parameter
  const place = raw['in']
  const name = String(raw['name'])
  noteUnknown('parameter', parameter)
  if (place === 'header' && notParameters.has(name.toLowerCase())) {
    parameter.note(
      `OpenAPI ignores a header parameter called \`${name}\`; the media types or the security schemes determine the header`,
    )
    return undefined
  }
  if (place === 'header' && connectionHeaders.has(name.toLowerCase())) {
    parameter.note(`the connection sets the header \`${name}\`, so it isn't a parameter`)
    return undefined
  }
  if (place === 'querystring') return readWholeQuery(parameter)
  if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie') {
    parameter.widen(`a parameter in \`${String(place)}\` is not sent by the clients`)
    return undefined
  }
  if (name in Object.prototype)
    parameter.widen(`every JavaScript object already has \`${name}\`, so this parameter can't be checked`)
  if (place === 'path' && raw['required'] !== true)
    parameter.note(`\`${name}\` is part of the path, so it is required`)
  const content = contentOf(parameter)
  const source = (content?.media.isObject ? content.media : parameter).at('schema')
  const schema = source.value === undefined ? {} : readSchema(source)
  if (raw['allowReserved'] === true)
    parameter.note(
      "`allowReserved` is ignored: reserved characters are escaped, which doesn't change the value",
      'allowReserved',
    )
  if (raw['style'] !== undefined && WRITERS[`${place} ${String(raw['style'])}`] === undefined)
    parameter.note(`\`${String(raw['style'])}\` is not a style of a ${place} parameter`, 'style')
  const isContent = content !== undefined && isJson(content.type)
  if (content !== undefined && !isContent)
    content.media.note(
      "clients don't encode this media type; they write the parameter as if it had `schema` instead of `content`",
    )
  const write = writerOf(parameter, place, source.value, isContent)
  return partOf(parameter, { place, source: source.value, schema, write })
}

/** Returns a parameter's first media type, if it has one. */
function contentOf(
  parameter: ContractNode,
): { readonly type: string; readonly media: ContractNode } | undefined {
  const [content, ...others] = parameter.at('content').members()
  if (content === undefined) return undefined
  const [type, media] = content
  for (const [, other] of others) other.note(`a parameter can have only one media type; \`${type}\` is used`)
  return { type, media }
}

function partOf(
  { contract, raw }: ContractNode,
  {
    place,
    source,
    schema,
    write,
  }: {
    readonly place: ParameterModel['in']
    readonly source: Json | undefined
    readonly schema: PlainSchema
    readonly write: string | undefined
  },
): Part {
  const name = String(raw['name'])
  const doc = docText(raw)
  const described = {
    ...schema,
    ...(doc !== undefined && { description: doc }),
    ...(raw['deprecated'] === true && { deprecated: true }),
  }
  // A path parameter is always required, because a segment of a path can't be left out.
  const required = raw['required'] === true || place === 'path'
  const value = place === 'header' && required ? constantOf(contract, source) : undefined
  return {
    model: {
      name,
      in: place,
      required,
      ...(write === undefined ? {} : { write }),
      ...(value === undefined ? {} : { value }),
      ...(doc === undefined ? {} : { doc }),
    },
    schema: described,
    open: acceptsAbsence(contract, source),
    secrets: [...(raw['x-secret'] === true ? [name] : []), ...secretNames(contract, source)],
  }
}

/**
 * Reads a parameter that is the whole query (`in: querystring` of OpenAPI 3.2). Callers pass it by its name, but the
 * name isn't written to the query.
 */
function readWholeQuery(parameter: ContractNode): Part | undefined {
  const [first] = Object.keys(parameter.at('content').raw)
  if (first === undefined || /^multipart\//i.test(first)) {
    const reason = first === undefined ? 'it needs `content`' : `\`${first}\` can't be part of a URL`
    parameter.widen(`this parameter is not sent by the clients: ${reason}`)
    return undefined
  }
  const { type, media } = contentOf(parameter)!
  if (media.raw['encoding'] !== undefined)
    media.widen('`encoding` is ignored: the fields of a query are written in the style `form`', 'encoding')
  const source = media.at('schema')
  const schema = source.value === undefined ? {} : readSchema(source)
  if (!isForm(type) && !isJson(type))
    media.note(
      'clients encode only JSON and forms; for this media type, callers pass a string, which clients escape',
    )
  const write = isForm(type) ? 'writeFormQuery' : isJson(type) ? 'writeJsonSegment' : 'writeSimple'
  return { ...partOf(parameter, { place: 'query', source: source.value, schema, write }), isWholeQuery: true }
}

function noteBesideWholeQuery(parts: readonly Part[], operation: ContractNode): void {
  const queries = parts.filter(({ model }) => model.in === 'query')
  const whole = queries.find(({ isWholeQuery }) => isWholeQuery)
  if (whole === undefined || queries.length === 1) return
  operation.note(
    `OpenAPI doesn't allow other query parameters beside \`${whole.model.name}\`, which is the whole query; clients still send all of them`,
    'parameters',
  )
}

function constantOf(contract: Contract, schema: Json | undefined): string | undefined {
  const { const: value } = contract.resolveObject(schema)
  return typeof value === 'string' ? value : undefined
}

/** The name of the runtime function that writes a parameter; undefined if it is written in the default way. */
export function writerOf(
  { contract, raw }: ContractNode,
  place: ParameterModel['in'],
  source: Json | undefined,
  isContent: boolean,
): string | undefined {
  if (isContent) return JSON_WRITERS[place]
  const usual = place === 'query' || place === 'cookie' ? 'form' : 'simple'
  const style = String(raw['style'] ?? usual)
  const explode =
    raw['explode'] === undefined ? style === 'form' || style === 'cookie' : raw['explode'] === true
  const [compact, exploded] = WRITERS[`${place} ${style}`] ?? WRITERS[`${place} ${usual}`] ?? []
  const types = new Set(typesIn(contract, source))
  const mayBeObject = types.has('object')
  const mayBeList = types.has('array')
  const isOrdinary =
    style === usual &&
    (place === 'query' ? !mayBeObject && (explode || !mayBeList) : !mayBeObject && !mayBeList)
  return isOrdinary || (style === 'deepObject' && !mayBeObject && !mayBeList)
    ? undefined
    : explode
      ? exploded
      : compact
}

/** Returns the types that a schema declares, or implies with a keyword such as `properties`. */
function typesIn(contract: Contract, raw: Json | undefined, depth = 0): readonly string[] {
  const target = contract.resolveObject(raw)
  if (depth > 10) return []
  if (target['type'] !== undefined) return typesOf(target)
  if (target['properties'] !== undefined || target['additionalProperties'] !== undefined) return ['object']
  if (target['items'] !== undefined) return ['array']
  return combinedIn(target).flatMap((branch) => typesIn(contract, branch, depth + 1))
}

/** Adds path parameters that aren't described, and removes described ones that aren't in the path. Reports both. */
function inTemplate(path: string, parts: readonly Part[], operation: ContractNode): Part[] {
  const templated = new Set([...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name))
  const described = new Set(parts.filter(({ model }) => model.in === 'path').map(({ model }) => model.name))
  const missing = [...templated].filter((name) => !described.has(name))
  for (const name of missing) operation.widen(`the path parameter \`${name}\` is not described`)
  for (const name of described) {
    if (!templated.has(name)) operation.note(`the path parameter \`${name}\` is not in the path`)
  }
  return [
    ...missing.map((name) => ({
      model: { name, in: 'path', required: true } as const,
      schema: { type: 'string' } as const,
      open: false,
      secrets: [],
    })),
    ...parts.filter(({ model }) => model.in !== 'path' || templated.has(model.name)),
  ]
}
