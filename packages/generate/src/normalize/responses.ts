import type { Contract } from '../read/contract.ts'
import { type JsonObject, asObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { notShown, text } from './docs.ts'
import { type Media, isJson, isText, readMediaTypes, withJsonOfRange } from './media.ts'
import { headersDoc, noteLinks, noteUnknown } from './members.ts'
import type { ResponseModel } from './model.ts'
import { toTypeName } from './definitions.ts'
import { type PlainSchema, refName, rulesKey } from './rules.ts'
import { isBytes, readSchema } from './schema.ts'
import { readItemSchema, streamFormat } from './streams.ts'
import { readErrorHeaders, readHeaders } from './response-headers.ts'
import { unionOf } from './union.ts'
import { openEnums, secretNames } from './walk.ts'

/** An operation or a response in the contract. */
interface DocumentedOperation {
  readonly raw: JsonObject
  readonly pointer: string
  readonly method: string
}

/** The responses of an operation. */
export interface Responses {
  readonly models: readonly ResponseModel[]
  /** The names of secret properties, whose values are never shown. */
  readonly secrets: readonly string[]
}

/**
 * Reads the responses of an operation. A body that isn't a component gets a type that is named after the operation,
 * with `Response` and the status.
 *
 * @param streams - Reads only successes, and, if a success is both a stream and another media type, only the stream.
 */
export function readResponses(
  contract: Contract,
  { raw: operation, pointer, method }: DocumentedOperation,
  { typeName, streams = false }: { readonly typeName: string; readonly streams?: boolean },
): Responses {
  const models: ResponseModel[] = []
  const secrets: string[] = []
  const responses = asObject(operation['responses'])
  const hasSuccess = Object.keys(responses).some((status) => status.startsWith('2'))
  for (const [status, entry] of Object.entries(responses)) {
    if (status.startsWith('x-') || (streams && !status.startsWith('2'))) continue
    const at = childPointer(pointer, 'responses', status)
    contract.visit(at)
    const key = /^[1-5]xx$/i.test(status) ? status.toUpperCase() : status
    if (!/^(?:[1-5]\d\d|[1-5]XX|default)$/.test(key)) {
      contract.widen(
        at,
        `\`${status}\` is not a status; write a number such as 404, a range such as 4XX, or default`,
      )
      continue
    }
    const { raw, pointer: place } = contract.follow(entry, at)
    if (!isObject(raw)) {
      if (raw !== null) contract.widen(at, 'this is not a response')
      continue
    }
    noteUnknown(contract, 'response', raw, place)
    noteLinks(contract, raw, place)
    if (key.startsWith('1')) {
      contract.note(
        at,
        'an informational response comes before the response of a call, which is all that it returns',
      )
      continue
    }
    const isSuccess = key.startsWith('2')
    const isElsewhere = (type: string) =>
      isSuccess && hasTwoForms(raw) && (streamFormat(type) === undefined) === streams
    const [media, ...rest] = mediaOf(contract, { raw, pointer: place, method, status: key, isElsewhere })
    const isRead = isSuccess || (key === 'default' && !hasSuccess)
    const others = isRead ? rest : rest.filter((each) => !isSameJson(media, each))
    const alternatives = isRead ? others : []
    if (media && alternatives.length < others.length) noteOthers(contract, media, others)
    for (const each of media ? [media, ...alternatives] : []) {
      noteUnknown(contract, 'mediaType', each.raw, each.pointer)
      secrets.push(...secretNames(contract, each.raw['itemSchema'] ?? each.raw['schema']))
    }
    const headers = headersDoc(contract, raw, place)
    const bodyType = `${typeName}Response${capital(key)}`
    const documentedHeaders = { raw, pointer: place, typeName: `${bodyType}Headers`, at }
    const headerValues = (isRead ? readHeaders : readErrorHeaders)(contract, documentedHeaders)
    const shared = {
      ...about(key, raw),
      ...(headers !== undefined && { headers }),
      ...(media !== undefined && isOpenBody(status, raw) && { openBody: true as const }),
    }
    const model = {
      ...shared,
      ...(headerValues !== undefined && { headerValues }),
      ...(isRead
        ? readBody(contract, media, bodyType)
        : readErrorBody(contract, media ? [media, ...others] : [], bodyType)),
    }
    const readOther = (other: Media): ResponseModel => ({
      ...shared,
      ...readBody(contract, other, bodyType + wordsOf(other.contentType)),
    })
    models.push(alternatives.length === 0 ? model : { ...model, others: alternatives.map(readOther) })
  }
  if (!models.some(({ status }) => status.startsWith('2') || status === 'default')) {
    // Like the contract, the client accepts any response, so strict mode has nothing to reject.
    if (!contract.isStrict)
      contract.note(childPointer(pointer, 'responses'), 'no success is documented, so any body is accepted')
    const type = contract.define(`${typeName}Response2XX`, {}, pointer)
    models.push({ status: '2XX', kind: 'any', type, openEnums: [] })
  }
  return { models, secrets }
}

/** The media types of a response. The default comes first. */
function mediaOf(
  contract: Contract,
  response: DocumentedOperation & {
    readonly status: string
    readonly isElsewhere: (contentType: string) => boolean
  },
): readonly Media[] {
  if (neverHasContent(contract, response, response.status)) return []
  const documented = readMediaTypes(contract, response.raw, response.pointer, response.isElsewhere)
  return withJsonOfRange(contract, documented, 'received')
}

/**
 * Whether a response never has content (RFC 9110, sections 9.3.2, 15.3.5, 15.3.6 and 15.4.5). Notes content that is
 * documented anyway.
 */
function neverHasContent(
  contract: Contract,
  { raw, pointer, method }: DocumentedOperation,
  status: string,
): boolean {
  const isHead = method === 'HEAD'
  if (!isHead && !['204', '205', '304'].includes(status)) return false
  const which = isHead ? 'to HEAD' : `with the status ${status}`
  if (raw['content'] !== undefined)
    contract.note(childPointer(pointer, 'content'), `a response ${which} has no content`)
  return true
}

/** Reports the other media types of an error. The service decides which media type it sends. */
function noteOthers(contract: Contract, media: Media, others: readonly Media[]): void {
  for (const { contentType, pointer } of others) {
    if (isJson(media.contentType) && isJson(contentType)) continue
    contract.note(
      pointer,
      `errors are read as \`${media.contentType}\`; of one that is \`${contentType}\`, callers get the text`,
    )
  }
}

/** Whether two media types are JSON with the same schema. */
function isSameJson(media: Media | undefined, other: Media): boolean {
  return (
    media !== undefined &&
    isJson(media.contentType) &&
    isJson(other.contentType) &&
    JSON.stringify(media.raw['schema']) === JSON.stringify(other.raw['schema'])
  )
}

/**
 * Reads the body of an error. Clients don't distinguish its JSON media types, so the body may match the schema of any
 * of them.
 */
function readErrorBody(
  contract: Contract,
  [media, ...others]: readonly Media[],
  bodyType: string,
): ReturnType<typeof readBody> {
  const json = others.filter(({ contentType }) => isJson(contentType))
  if (media === undefined || !isJson(media.contentType) || json.length === 0)
    return readBody(contract, media, bodyType)
  const bodies = [media, ...json].map((each) => {
    contract.widen(
      childPointer(each.pointer, 'schema'),
      'the JSON types of an error are not told apart, so its body may be what any of them describes',
    )
    return readBody(contract, each, bodyType + wordsOf(each.contentType))
  })
  const type = contract.define(bodyType, unionOf(bodies.map((each) => each.type)), media.pointer)
  const enums = bodies.flatMap((each) => each.openEnums)
  return { kind: 'json', contentType: media.contentType, type, openEnums: enums }
}

/** Turns a media type into a part of the name of a type: `text/csv` -> `TextCsv`. */
function wordsOf(contentType: string): string {
  return toTypeName(contentType.replaceAll('*', 'any').replace(/;.*/, ''))
}

/** Whether the documented body of a success may be absent. */
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
  const doc = [text(raw['description']), notShown(raw['x-not-shown'])]
    .filter((part) => part !== undefined)
    .join('\n\n')
  const meanings = raw['x-rate-meaning']
  const rateMeanings = isList(meanings)
    ? meanings.filter(isObject).map(({ meaning, retryHelps, match }) => ({ meaning, retryHelps, match }))
    : undefined
  // On a success, the first sentence of `x-not-shown` is about the status. A check of the contracts enforces that.
  const openStatus = status.startsWith('2') && 'x-not-shown' in raw
  return {
    status,
    ...(openStatus ? { openStatus } : {}),
    ...(doc === '' ? {} : { doc }),
    ...(rateMeanings ? { rateMeanings } : {}),
  }
}

function readBody(
  contract: Contract,
  media: Media | undefined,
  typeName: string,
): Pick<ResponseModel, 'kind' | 'contentType' | 'items' | 'type' | 'openEnums'> {
  if (!media) return { kind: 'empty', openEnums: [] }
  const { contentType, raw } = media
  const at = childPointer(media.pointer, 'schema')
  const format = streamFormat(contentType)
  if (format !== undefined) {
    const item = readItemSchema(contract, media, format)
    if (item.raw === undefined) contract.note(media.pointer, 'without a schema, anything is accepted')
    const ofNothing = { ...(item.items.item === 'text' && { type: 'string' as const }) }
    const schema = item.raw === undefined ? ofNothing : readSchema(contract, item.raw, item.pointer)
    return {
      kind: 'items',
      contentType,
      items: item.items,
      type: typeOf(contract, { schema, typeName, pointer: item.pointer }),
      openEnums: openEnums(contract, item.raw, item.pointer),
    }
  }
  if (/^multipart\//i.test(contentType))
    contract.widen(media.pointer, `clients don't read \`${contentType}\` responses`)
  const target = contract.resolveObject(raw['schema'])
  if (/^(?:\*|application)\/\*/.test(contentType) && !isBytes(target)) {
    contract.widen(media.pointer, `the media type \`${contentType}\` leaves open how the body is read`)
    const type = contract.define(typeName, {}, at)
    return { kind: 'any', type, openEnums: [] }
  }
  if (!isJson(contentType) && isText(contentType)) {
    const isString = target['type'] === 'string'
    if (raw['schema'] !== undefined && !isString)
      contract.widen(at, `a body of the type \`${contentType}\` is handed over as a string, and not checked`)
    const schema: PlainSchema = isString ? readSchema(contract, raw['schema'], at) : { type: 'string' }
    const type = typeOf(contract, { schema, typeName, pointer: at })
    return {
      kind: 'text',
      contentType,
      type,
      openEnums: isString ? openEnums(contract, raw['schema'], at) : [],
    }
  }
  if (!isJson(contentType)) {
    if (!isBytes(target) && target['type'] !== 'string' && Object.keys(target).length > 0)
      contract.widen(at, `a body of the type \`${contentType}\` is handed over as bytes, and not checked`)
    const type = contract.define(typeName, { type: 'string', [rulesKey]: { blob: true } }, at)
    return { kind: 'binary', contentType, type, openEnums: [] }
  }
  if (raw['schema'] === undefined) contract.note(media.pointer, 'without a schema, anything is accepted')
  const schema = raw['schema'] === undefined ? {} : readSchema(contract, raw['schema'], at)
  return {
    kind: 'json',
    contentType,
    type: typeOf(contract, { schema, typeName, pointer: at }),
    openEnums: openEnums(contract, raw['schema'], at),
  }
}

/** The type of a body: the type of its component, or else a new type. */
function typeOf(
  contract: Contract,
  {
    schema,
    typeName,
    pointer,
  }: { readonly schema: PlainSchema; readonly typeName: string; readonly pointer: string },
): string {
  return schema.$ref === undefined ? contract.defineBody(typeName, schema, pointer) : refName(schema.$ref)
}

/** Whether a body is documented as both a stream of items and another media type. */
function hasTwoForms(raw: JsonObject): boolean {
  const types = Object.keys(asObject(raw['content']))
  const streams = types.filter((type) => streamFormat(type) !== undefined)
  return streams.length > 0 && streams.length < types.length
}

/** Whether a success of an operation is documented as both a stream of items and another media type. */
export function isAlsoStream(
  contract: Contract,
  { raw, pointer }: { readonly raw: JsonObject; readonly pointer: string },
): boolean {
  const responses = asObject(raw['responses'])
  return Object.entries(responses).some(([status, entry]) => {
    if (!status.startsWith('2')) return false
    const { raw: response } = contract.follow(entry, childPointer(pointer, 'responses', status))
    return isObject(response) && hasTwoForms(response)
  })
}

function capital(status: string): string {
  return status === 'default' ? 'Default' : status
}
