import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asObject, combinedIn, isObject, typesOf } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { docText } from './docs.ts'
import type { InputPart } from './input.ts'
import { isForm, isJson } from './media.ts'
import { noteUnknown, parameterList } from './members.ts'
import type { ParameterModel } from './model.ts'
import { acceptsAbsence } from './object-schema.ts'
import type { PlainSchema } from './rules.ts'
import { readSchema } from './schema.ts'
import { secretNames } from './walk.ts'

/** A parameter, and whether it is the whole query. */
type Part = InputPart<ParameterModel> & { readonly isWholeQuery?: true }

/** Headers that can't be parameters according to OpenAPI. */
const notParameters = new Set(['accept', 'content-type', 'authorization'])

/** Headers that belong to the connection. The runtime doesn't accept them from a caller. */
const connectionHeaders: ReadonlySet<string> = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
)

/** An operation in the contract. */
export interface RawOperation {
  readonly path: string
  readonly item: JsonObject
  readonly raw: JsonObject
  readonly pointer: string
}

/** Reads the parameters of an operation and of its path. Parameters of the operation override those of the path. */
export function readParameters(contract: Contract, { path, item, raw, pointer }: RawOperation): Part[] {
  const found = new Map<string, Part>()
  const lists = [
    { list: item['parameters'], at: childPointer('#/paths', path, 'parameters') },
    { list: raw['parameters'], at: childPointer(pointer, 'parameters') },
  ]
  for (const { list, at } of lists) {
    const own = new Set<string>()
    parameterList(contract, list, at).forEach((entry, index) => {
      const { raw: target, pointer: place } = contract.follow(entry, childPointer(at, index))
      if (target !== null && !isObject(target)) contract.widen(place, 'this is not a parameter')
      const part = isObject(target) ? readParameter(contract, target, place) : undefined
      if (!part) return
      const key = `${part.model.in} ${part.model.name}`
      if (own.has(key))
        contract.note(childPointer(at, index), `\`${part.model.name}\` is listed twice; the last one counts`)
      own.add(key)
      found.set(key, part)
    })
  }
  noteBesideWholeQuery(contract, [...found.values()], pointer)
  return inTemplate(contract, path, [...found.values()], pointer)
}

function readParameter(contract: Contract, raw: JsonObject, pointer: string): Part | undefined {
  contract.visit(pointer)
  const place = raw['in']
  const name = String(raw['name'])
  noteUnknown(contract, 'parameter', raw, pointer)
  if (place === 'header' && notParameters.has(name.toLowerCase())) {
    contract.note(
      pointer,
      `OpenAPI ignores a parameter called \`${name}\`: media types and security say what is sent`,
    )
    return undefined
  }
  if (place === 'header' && connectionHeaders.has(name.toLowerCase())) {
    contract.note(pointer, `the connection sets the header \`${name}\`, so it isn't a parameter`)
    return undefined
  }
  if (place === 'querystring') return readWholeQuery(contract, raw, pointer)
  if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie') {
    contract.widen(pointer, `a parameter in \`${String(place)}\` is not sent by the clients`)
    return undefined
  }
  if (name in Object.prototype)
    contract.widen(
      pointer,
      `every JavaScript object already has \`${name}\`, so this parameter can't be checked`,
    )
  if (place === 'path' && raw['required'] !== true)
    contract.note(pointer, `\`${name}\` is part of the path, so it is required`)
  const [content, ...others] = Object.entries(asObject(raw['content']))
  for (const [type] of others)
    contract.note(
      childPointer(pointer, 'content', type),
      `a parameter has one media type; \`${content?.[0]}\` is used`,
    )
  const media = isObject(content?.[1]) ? content[1] : undefined
  const source = media ? media['schema'] : raw['schema']
  const at = content
    ? childPointer(pointer, 'content', content[0], 'schema')
    : childPointer(pointer, 'schema')
  const schema = source === undefined ? {} : readSchema(contract, source, at)
  if (raw['allowReserved'] === true)
    contract.note(
      childPointer(pointer, 'allowReserved'),
      'reserved characters are escaped, which means the same',
    )
  if (raw['style'] !== undefined && WRITERS[`${place} ${String(raw['style'])}`] === undefined)
    contract.note(
      childPointer(pointer, 'style'),
      `\`${String(raw['style'])}\` is not a style of a ${place} parameter`,
    )
  const isContent = content !== undefined && isJson(content[0])
  if (content !== undefined && !isContent)
    contract.note(
      childPointer(pointer, 'content', content[0]),
      'only JSON is encoded; anything else is written as it is',
    )
  const write = writerOf(contract, raw, { place, source, isContent })
  return partOf(contract, raw, { place, source, schema, write })
}

function partOf(
  contract: Contract,
  raw: JsonObject,
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
function readWholeQuery(contract: Contract, raw: JsonObject, pointer: string): Part | undefined {
  const [content, ...others] = Object.entries(asObject(raw['content']))
  if (content === undefined || /^multipart\//i.test(content[0])) {
    const reason =
      content === undefined ? 'it needs `content`' : `\`${content[0]}\` can't be part of an address`
    contract.widen(pointer, `the whole query is not sent by the clients: ${reason}`)
    return undefined
  }
  const [type, media] = content
  const at = childPointer(pointer, 'content', type)
  for (const [other] of others)
    contract.note(
      childPointer(pointer, 'content', other),
      `a parameter has one media type; \`${type}\` is used`,
    )
  if (isObject(media) && media['encoding'] !== undefined)
    contract.widen(childPointer(at, 'encoding'), 'the fields of a query are written in the style `form`')
  const source = asObject(media)['schema']
  const schema = source === undefined ? {} : readSchema(contract, source, childPointer(at, 'schema'))
  if (!isForm(type) && !isJson(type))
    contract.note(at, 'only JSON and forms are encoded; a string is escaped and written as it is')
  const write = isForm(type) ? 'writeFormQuery' : isJson(type) ? 'writeJsonSegment' : 'writeSimple'
  return { ...partOf(contract, raw, { place: 'query', source, schema, write }), isWholeQuery: true }
}

/** Notes query parameters beside a parameter that is the whole query. OpenAPI doesn't allow both. */
function noteBesideWholeQuery(contract: Contract, parts: readonly Part[], pointer: string): void {
  const queries = parts.filter(({ model }) => model.in === 'query')
  const whole = queries.find(({ isWholeQuery }) => isWholeQuery)
  if (whole === undefined || queries.length === 1) return
  contract.note(
    childPointer(pointer, 'parameters'),
    `\`${whole.model.name}\` is the whole query, and others are sent after it`,
  )
}

/** The only string that a schema accepts, if any. Callers don't pass it, because the client knows it. */
function constantOf(contract: Contract, schema: Json | undefined): string | undefined {
  const { const: value } = contract.resolveObject(schema)
  return typeof value === 'string' ? value : undefined
}

/** The functions of the runtime that write values, by place and style: without and with `explode`. */
const WRITERS: { readonly [placeAndStyle: string]: readonly [string, string] } = {
  'query form': ['writeCommas', 'writeForm'],
  'query spaceDelimited': ['writeSpaces', 'writeForm'],
  'query pipeDelimited': ['writePipes', 'writeForm'],
  'query deepObject': ['writeDeepObject', 'writeDeepObject'],
  'path simple': ['writeSimple', 'writeSimpleExploded'],
  'path label': ['writeLabel', 'writeLabelExploded'],
  'path matrix': ['writeMatrix', 'writeMatrixExploded'],
  'header simple': ['writeHeader', 'writeHeaderExploded'],
  'cookie form': ['writeCommas', 'writeCommas'],
  'cookie cookie': ['writeCookies', 'writeCookiesExploded'],
}

/** The name of the function of the runtime that writes a parameter; undefined for the default way of writing. */
export function writerOf(
  contract: Contract,
  raw: JsonObject,
  {
    place,
    source,
    isContent,
  }: {
    readonly place: ParameterModel['in']
    readonly source: Json | undefined
    readonly isContent: boolean
  },
): string | undefined {
  if (isContent)
    return { path: 'writeJsonSegment', query: 'writeJson', header: 'writeJsonHeader', cookie: 'writeJson' }[
      place
    ]
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

/** The types that a schema names for its values. */
function typesIn(contract: Contract, raw: Json | undefined, depth = 0): readonly string[] {
  const target = contract.resolveObject(raw)
  if (depth > 10) return []
  if (target['type'] !== undefined) return typesOf(target)
  if (target['properties'] !== undefined || target['additionalProperties'] !== undefined) return ['object']
  if (target['items'] !== undefined) return ['array']
  return combinedIn(target).flatMap((branch) => typesIn(contract, branch, depth + 1))
}

/** Adds path parameters that aren't described, and leaves out those that aren't in the template of the path. Reports both. */
function inTemplate(contract: Contract, path: string, parts: readonly Part[], pointer: string): Part[] {
  const templated = new Set([...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name))
  const described = new Set(parts.filter(({ model }) => model.in === 'path').map(({ model }) => model.name))
  const missing = [...templated].filter((name) => !described.has(name))
  for (const name of missing) contract.widen(pointer, `the path parameter \`${name}\` is not described`)
  for (const name of described) {
    if (!templated.has(name)) contract.note(pointer, `the path parameter \`${name}\` is not in the path`)
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
