import type { Contract } from '../read/contract.ts'
import { type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { Definitions } from './definitions.ts'
import { notShown, text } from './docs.ts'
import { type Media, isJson, readMedia } from './media.ts'
import type { ResponseModel } from './model.ts'
import { refName, rulesKey } from './rules.ts'
import { isBytes, readSchema } from './schema.ts'
import { openEnums, secretNames } from './walk.ts'

/** The answers of an operation. */
export interface Responses {
  readonly models: readonly ResponseModel[]
  /** Names in them whose values are never shown. */
  readonly secrets: readonly string[]
}

/**
 * Reads the answers of an operation. A body that is not a component gets a type of its own: the name of the
 * operation, `Response` and the status.
 */
export function readResponses(
  contract: Contract,
  definitions: Definitions,
  { raw: operation, pointer }: { readonly raw: JsonObject; readonly pointer: string },
  typeName: string,
): Responses {
  const models: ResponseModel[] = []
  const secrets: string[] = []
  const responses = isObject(operation['responses']) ? operation['responses'] : {}
  for (const [status, entry] of Object.entries(responses)) {
    if (status.startsWith('x-')) continue
    const at = childPointer(pointer, 'responses', status)
    contract.visit(at)
    const key = /^[1-5]xx$/i.test(status) ? status.toUpperCase() : status
    if (!/^(?:[1-5]\d\d|[1-5]XX|default)$/.test(key)) {
      contract.widen(at, `\`${status}\` is not a status; write it as a number, or default`)
      continue
    }
    const { raw, pointer: place } = contract.follow(entry, at)
    if (!isObject(raw)) continue
    const media = readMedia(contract, raw, place)
    if (media) secrets.push(...secretNames(contract, media.raw['schema']))
    models.push({
      ...about(key, raw),
      ...(media !== undefined && isOpenBody(status, raw) && { openBody: true }),
      ...readBody(contract, definitions, media, `${typeName}Response${capital(key)}`),
    })
  }
  if (!models.some(({ status }) => status.startsWith('2') || status === 'default')) {
    contract.widen(childPointer(pointer, 'responses'), 'no success is described, so any body is taken')
    const type = definitions.add(`${typeName}Response2XX`, {}, pointer, contract)
    models.push({ status: '2XX', kind: 'any', type, openEnums: [] })
  }
  return { models, secrets }
}

/** Whether a success may come without the body that is written for it. */
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
  // On a success the word speaks of the status first; a check of the contracts holds them to it.
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
  definitions: Definitions,
  media: Media | undefined,
  typeName: string,
): Pick<ResponseModel, 'kind' | 'contentType' | 'type' | 'openEnums'> {
  if (!media) return { kind: 'empty', openEnums: [] }
  const { contentType, raw } = media
  const at = childPointer(media.pointer, 'schema')
  if (/^(?:text\/event-stream|multipart\/form-data)\b/i.test(contentType))
    contract.widen(media.pointer, `answers of the type \`${contentType}\` are not read by the clients`)
  if (/^(?:\*|application)\/\*/.test(contentType) && !isBytes(contract.resolve(raw['schema'] ?? true))) {
    contract.widen(media.pointer, `the media type \`${contentType}\` leaves open how the body is read`)
    const type = definitions.add(typeName, {}, at, contract)
    return { kind: 'any', type, openEnums: [] }
  }
  const isText = /^text\/(?!event-stream)/i.test(contentType)
  const target = contract.resolve(raw['schema'] ?? true)
  const isStructured =
    isObject(target) &&
    (target['type'] === 'object' || target['type'] === 'array' || target['properties'] !== undefined)
  if (!isJson(contentType) && (!isText || isStructured)) {
    if (isStructured)
      contract.widen(at, `a body of the type \`${contentType}\` is handed over as bytes, and not checked`)
    const type = definitions.add(typeName, { type: 'string', [rulesKey]: { blob: true } }, at, contract)
    return { kind: 'binary', contentType, type, openEnums: [] }
  }
  if (raw['schema'] === undefined) contract.note(media.pointer, 'there is no schema, so anything is accepted')
  const schema = raw['schema'] === undefined ? {} : readSchema(contract, raw['schema'], at)
  const type =
    schema.$ref === undefined ? definitions.add(typeName, schema, at, contract) : refName(schema.$ref)
  return {
    kind: isJson(contentType) ? 'json' : 'text',
    contentType,
    type,
    openEnums: openEnums(contract, raw['schema']),
  }
}

function capital(status: string): string {
  return status === 'default' ? 'Default' : status
}
