import type { ContractNode } from '../read/contract.ts'
import { type JsonObject, asObject, isList, isObject } from '../read/json.ts'
import { notShown, paragraphs, text } from './docs.ts'
import { type Media, isJson, isText, readMediaTypes, withJsonOfRange } from './media.ts'
import { headersDoc, noteLinks, noteUnknown } from './members.ts'
import type { ResponseModel } from './model.ts'
import { toTypeName } from './definitions.ts'
import { type PlainSchema, refName, rulesKey, unionOf } from './rules.ts'
import { isBytes, readSchema } from './schema.ts'
import { readItemSchema, streamFormat } from './streams.ts'
import { readErrorHeaders, readHeaders } from './response-headers.ts'
import { openEnums, secretNames } from './walk.ts'

export interface Responses {
  readonly models: readonly ResponseModel[]
  /** The names of secret properties, whose values are never shown. */
  readonly secrets: readonly string[]
}

/**
 * Reads the responses of an operation. If the schema of a body isn't a component, its type is named after the
 * operation, followed by `Response` and the status.
 *
 * @param streams - `true` reads only success responses. If a success is documented as both a stream and another media
 *   type, `true` reads only the stream, and `false` reads only the other media type.
 */
export function readResponses(
  operation: ContractNode,
  method: string,
  typeName: string,
  streams = false,
): Responses {
  const models: ResponseModel[] = []
  const secrets: string[] = []
  const responses = operation.at('responses')
  const hasSuccess = Object.keys(responses.raw).some((status) => status.startsWith('2'))
  for (const [status, entry] of responses.members()) {
    if (status.startsWith('x-') || (streams && !status.startsWith('2'))) continue
    entry.visit()
    const key = /^[1-5]xx$/i.test(status) ? status.toUpperCase() : status
    if (!/^(?:[1-5]\d\d|[1-5]XX|default)$/.test(key)) {
      entry.widen(
        `\`${status}\` is not a status; write a number such as 404, a range such as 4XX, or \`default\``,
      )
      continue
    }
    const response = entry.follow()
    if (!response.isObject) {
      if (response.value !== null) entry.widen('this is not a response')
      continue
    }
    noteUnknown('response', response)
    noteLinks(response)
    if (key.startsWith('1')) {
      entry.note('a call returns only its final response, so this informational response is ignored')
      continue
    }
    const isSuccess = key.startsWith('2')
    const isRead = isSuccess || (key === 'default' && !hasSuccess)
    const isElsewhere = (type: string) =>
      isSuccess && hasTwoForms(response.raw) && (streamFormat(type) === undefined) === streams
    const documented = neverHasContent(response, method, key) ? [] : readMediaTypes(response, isElsewhere)
    const [media, ...rest] = withJsonOfRange(documented, 'received')
    const others = isRead ? rest : rest.filter((each) => !isSameJson(media, each))
    const alternatives = isRead ? others : []
    if (media && alternatives.length < others.length) noteOthers(media, others)
    for (const { node } of media ? [media, ...alternatives] : []) {
      noteUnknown('mediaType', node)
      secrets.push(...secretNames(node.contract, node.raw['itemSchema'] ?? node.raw['schema']))
    }
    const headers = headersDoc(response)
    const bodyType = `${typeName}Response${capital(key)}`
    const headerValues = isRead
      ? readHeaders(response, `${bodyType}Headers`)
      : readErrorHeaders(response, `${bodyType}Headers`, entry.pointer)
    const shared = {
      ...about(key, response.raw),
      ...(headers !== undefined && { headers }),
      ...(media !== undefined && isOpenBody(status, response.raw) && { openBody: true as const }),
    }
    const model = {
      ...shared,
      ...(headerValues !== undefined && { headerValues }),
      ...(isRead ? readBody(media, bodyType) : readErrorBody(media ? [media, ...others] : [], bodyType)),
    }
    const readOther = (other: Media): ResponseModel => ({
      ...shared,
      ...readBody(other, bodyType + wordsOf(other.contentType)),
    })
    models.push(alternatives.length === 0 ? model : { ...model, others: alternatives.map(readOther) })
  }
  if (!models.some(({ status }) => status.startsWith('2') || status === 'default')) {
    // In strict mode, a note is an error, but an operation without a documented success is valid.
    if (!operation.contract.isStrict) responses.note('no success is documented, so any body is accepted')
    const type = operation.define(`${typeName}Response2XX`, {})
    models.push({ status: '2XX', kind: 'any', type, openEnums: [] })
  }
  return { models, secrets }
}

/** Whether a response never has content (RFC 9110, sections 9.3.2, 15.3.5, 15.3.6 and 15.4.5). */
function neverHasContent(response: ContractNode, method: string, status: string): boolean {
  const isHead = method === 'HEAD'
  if (!isHead && !['204', '205', '304'].includes(status)) return false
  const which = isHead ? 'to HEAD' : `with the status ${status}`
  if (response.raw['content'] !== undefined) response.note(`a response ${which} has no content`, 'content')
  return true
}

function noteOthers(media: Media, others: readonly Media[]): void {
  for (const { contentType, node } of others) {
    if (isJson(media.contentType) && isJson(contentType)) continue
    node.note(
      `errors are read as \`${media.contentType}\`; if an error is \`${contentType}\`, callers get its body as a string`,
    )
  }
}

function isSameJson(media: Media | undefined, other: Media): boolean {
  return (
    media !== undefined &&
    isJson(media.contentType) &&
    isJson(other.contentType) &&
    JSON.stringify(media.node.raw['schema']) === JSON.stringify(other.node.raw['schema'])
  )
}

function readErrorBody([media, ...others]: readonly Media[], bodyType: string): ReturnType<typeof readBody> {
  const json = others.filter(({ contentType }) => isJson(contentType))
  if (media === undefined || !isJson(media.contentType) || json.length === 0) return readBody(media, bodyType)
  const bodies = [media, ...json].map((each) => {
    each.node.widen(
      'clients do not distinguish the JSON media types of an error, so they accept a body that matches the schema of any of them',
      'schema',
    )
    return readBody(each, bodyType + wordsOf(each.contentType))
  })
  const type = media.node.define(bodyType, unionOf(bodies.map((each) => each.type)))
  const enums = bodies.flatMap((each) => each.openEnums)
  return { kind: 'json', contentType: media.contentType, type, openEnums: enums }
}

/** Turns a media type into a part of the name of a type: `text/csv` -> `TextCsv`. */
function wordsOf(contentType: string): string {
  return toTypeName(contentType.replaceAll('*', 'any').replace(/;.*/, ''))
}

/** Whether `x-not-shown` says that the service's documentation doesn't show the body of a success. */
function isOpenBody(status: string, raw: JsonObject): boolean {
  const sentences = raw['x-not-shown']
  return (
    status.startsWith('2') && isList(sentences) && sentences.some((one) => /^The body\b/.test(String(one)))
  )
}

function about(
  status: string,
  raw: JsonObject,
): Pick<ResponseModel, 'status' | 'openStatus' | 'doc' | 'rateMeanings'> {
  const doc = paragraphs(text(raw['description']), notShown(raw['x-not-shown']))
  const meanings = raw['x-rate-meaning']
  const rateMeanings = isList(meanings)
    ? meanings.filter(isObject).map(({ meaning, retryHelps, match }) => ({ meaning, retryHelps, match }))
    : undefined
  // In a success response, `x-not-shown` always says that other statuses are possible (see `words/values.ts`).
  const openStatus = status.startsWith('2') && 'x-not-shown' in raw
  return {
    status,
    ...(openStatus ? { openStatus } : {}),
    ...(doc === undefined ? {} : { doc }),
    ...(rateMeanings ? { rateMeanings } : {}),
  }
}

function readBody(
  media: Media | undefined,
  typeName: string,
): Pick<ResponseModel, 'kind' | 'contentType' | 'items' | 'type' | 'openEnums'> {
  if (!media) return { kind: 'empty', openEnums: [] }
  const { contentType, node } = media
  const format = streamFormat(contentType)
  if (format !== undefined) {
    const { items, schema } = readItemSchema(node, format)
    const read = readTyped(node, schema, items.item === 'text' ? { type: 'string' } : {}, typeName)
    return { kind: 'items', contentType, items, ...read }
  }
  if (/^multipart\//i.test(contentType)) node.widen(`clients don't read \`${contentType}\` responses`)
  const schema = node.at('schema')
  const target = schema.resolved()
  if (/^(?:\*|application)\/\*/.test(contentType) && !isBytes(target)) {
    node.widen(`the media type \`${contentType}\` leaves open how the body is read`)
    return { kind: 'any', type: schema.define(typeName, {}), openEnums: [] }
  }
  if (isJson(contentType)) return { kind: 'json', contentType, ...readTyped(node, schema, {}, typeName) }
  if (isText(contentType)) {
    if (target['type'] === 'string')
      return { kind: 'text', contentType, ...readTyped(node, schema, {}, typeName) }
    if (schema.value !== undefined)
      schema.widen(`a body of the type \`${contentType}\` is handed over as a string, and not checked`)
    const type = schema.defineBody(typeName, { type: 'string' })
    return { kind: 'text', contentType, type, openEnums: [] }
  }
  if (!isBytes(target) && target['type'] !== 'string' && Object.keys(target).length > 0)
    schema.widen(`a body of the type \`${contentType}\` is handed over as bytes, and not checked`)
  const type = schema.define(typeName, { type: 'string', [rulesKey]: { blob: true } })
  return { kind: 'binary', contentType, type, openEnums: [] }
}

/** Reads the schema of a body. If the schema refers to a component, the body has the component's type. */
function readTyped(
  media: ContractNode,
  schema: ContractNode,
  ofNothing: PlainSchema,
  typeName: string,
): Required<Pick<ResponseModel, 'type' | 'openEnums'>> {
  const { value } = schema
  if (value === undefined) media.note('without a schema, anything is accepted')
  const plain = value === undefined ? ofNothing : readSchema(schema)
  return {
    type: plain.$ref === undefined ? schema.defineBody(typeName, plain) : refName(plain.$ref),
    openEnums: openEnums(schema),
  }
}

function hasTwoForms(raw: JsonObject): boolean {
  const types = Object.keys(asObject(raw['content']))
  const streams = types.filter((type) => streamFormat(type) !== undefined)
  return streams.length > 0 && streams.length < types.length
}

/** Whether a success of an operation is documented as both a stream of items and another media type. */
export function isAlsoStream(operation: ContractNode): boolean {
  const responses = operation.at('responses').members()
  return responses.some(([status, entry]) => status.startsWith('2') && hasTwoForms(entry.follow().raw))
}

function capital(status: string): string {
  return status === 'default' ? 'Default' : status
}
