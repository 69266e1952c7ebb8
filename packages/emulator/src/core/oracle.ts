import type { Media, Parameter, ResponseSpec } from '@concord/spec-model'

import type { Mismatch } from './errors.ts'
import { mediaEssence, type Body } from './request-body.ts'
import type { Operation, Schemas } from './specification.ts'

interface RequestMessage {
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: Body
}

/** `json` is undefined if the body is not JSON. */
interface ResponseMessage {
  readonly status: number
  readonly contentType: string
  readonly json: unknown
  readonly isEmpty: boolean
  readonly rateMeaning: string | undefined
}

const FILE_STAND_IN = '(file)'

export function judgeRequest(schemas: Schemas, operation: Operation, message: RequestMessage): Mismatch[] {
  return [
    ...operation.parameters.flatMap((parameter) => judgeParameter(schemas, parameter, message)),
    ...judgeRequestBody(schemas, operation, message.body),
  ]
}

export function judgeResponse(
  { judge }: Schemas,
  { responses }: Operation,
  { status, contentType, json, isEmpty, rateMeaning }: ResponseMessage,
): Mismatch[] {
  const response = documentedResponse(responses, status)
  if (!response) return [{ path: 'status', reason: `${status} is not in the contract` }]
  const { media: content, rateMeanings } = response
  if (rateMeaning !== undefined && !rateMeanings.some(({ meaning }) => meaning === rateMeaning))
    return [
      { path: 'status', reason: `${status} with the meaning \`${rateMeaning}\` is not in the contract` },
    ]
  if (content.length === 0) return []
  // If the contract accepts an empty object, it requires nothing in the body. A success response may then be empty.
  const leavesBodyOpen = () => content.some(({ schema }) => judge(schema, {}, 'body').length === 0)
  if (isEmpty && isSuccess(status) && leavesBodyOpen()) return []
  const media = findMedia(content, contentType)
  if (!media) return [{ path: 'header/content-type', reason: listTypes(content, contentType) }]
  return json === undefined ? [] : judge(media.schema, json, 'body')
}

function judgeParameter(
  { judge, convert }: Schemas,
  parameter: Parameter,
  message: RequestMessage,
): Mismatch[] {
  const path = `${parameter.in}/${parameter.name}`
  const value = readParameter(parameter, message)
  if (value === undefined) return parameter.required ? [{ path, reason: 'is required' }] : []
  return judge(parameter.schema, convert(value, parameter.schema.schema), path)
}

function judgeRequestBody(
  { judge }: Schemas,
  { body: documented }: Operation,
  body: Body,
): readonly Mismatch[] {
  if (!documented) return []
  if (body.kind === 'none') return documented.required ? [{ path: 'body', reason: 'is required' }] : []
  if (body.kind === 'malformed') return [{ path: 'body', reason: body.reason }]
  const media = findMedia(documented.media, body.contentType)
  if (!media) return [{ path: 'header/content-type', reason: listTypes(documented.media, body.contentType) }]
  if (body.kind === 'json') return judge(media.schema, body.value, 'body')
  if (body.kind === 'form') return judge(media.schema, formAsObject(body.form), 'body')
  return []
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

/** Returns `bytes` if the contract's media type for `contentType` is neither JSON nor a form, otherwise `parsed`. */
export function bodyKindOf({ body }: Operation, contentType: string): 'parsed' | 'bytes' {
  const media = body && findMedia(body.media, contentType)
  return media && !PARSED_TYPES.has(media.type.toLowerCase()) ? 'bytes' : 'parsed'
}

const PARSED_TYPES = new Set(['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded'])

/** Finds the contract's response for a status. A response with `openStatus` allows any success status. */
function documentedResponse(responses: Operation['responses'], status: number): ResponseSpec | undefined {
  const exact = responses.get(String(status))
  if (exact) return exact
  return isSuccess(status)
    ? [...responses.values()].find(({ openStatus }) => openStatus)
    : responses.get('default')
}

/** Converts a form to the object that its schema describes. Each file becomes a placeholder string. */
function formAsObject(form: FormData): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null)
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name).map((value) => (typeof value === 'string' ? value : FILE_STAND_IN))
    object[name] = values.length === 1 ? values[0] : values
  }
  return object
}

function readParameter(parameter: Parameter, message: RequestMessage): string | undefined {
  if (parameter.in === 'path') return message.parameters[parameter.name]
  if (parameter.in === 'query') return message.query.get(parameter.name) ?? undefined
  if (parameter.in === 'header') return message.headers.get(parameter.name) ?? undefined
  return undefined
}

function findMedia(content: readonly Media[], contentType: string): Media | undefined {
  const essence = mediaEssence(contentType)
  const [family] = essence.split('/', 1)
  // An exact type takes precedence over a wildcard such as `image/*`.
  for (const type of [essence, `${family}/*`, '*/*']) {
    const media = content.find((candidate) => candidate.type.toLowerCase() === type)
    if (media) return media
  }
  return undefined
}

function listTypes(content: readonly Media[], contentType: string): string {
  const types = content.map((media) => media.type).join(' or ')
  return `must be ${types}${contentType === '' ? '' : `, not ${mediaEssence(contentType)}`}`
}
