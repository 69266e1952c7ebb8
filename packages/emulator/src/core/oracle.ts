import type { Media } from '@concord/spec-model'

import type { Mismatch } from './errors.ts'
import { mediaEssence, type Body } from './request-body.ts'
import {
  isObject,
  type JsonObject,
  type Operation,
  type Parameter,
  type Specification,
} from './specification.ts'

/** Checks requests and responses against the contract. */
export interface Oracle {
  request(operation: Operation, message: RequestMessage): Mismatch[]
  response(operation: Operation, message: ResponseMessage): Mismatch[]
}

/** The parts of a request that the oracle checks. */
interface RequestMessage {
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: Body
}

/** The parts of a response that the oracle checks. `json` is absent if the body is not JSON. */
interface ResponseMessage {
  status: number
  readonly contentType?: string
  readonly json?: unknown
  readonly isEmpty?: boolean
  /** The meaning of a 429 (`x-rate-meaning`); absent for other statuses. */
  readonly rateMeaning?: string
}

/** Represents a file's bytes when a form is checked. */
const FILE_STAND_IN = '(file)'

const oracles = new WeakMap<Specification, Oracle>()

/** Returns the oracle of a contract. It is stateless, so it is created once per contract. */
export function oracleOf(specification: Specification): Oracle {
  const oracle = oracles.get(specification) ?? createOracle(specification)
  oracles.set(specification, oracle)
  return oracle
}

/** Creates an oracle from the contract's schemas. */
function createOracle(specification: Specification): Oracle {
  const { judge } = specification

  function judgeParameter(parameter: Parameter, message: RequestMessage): Mismatch[] {
    const path = `${parameter.in}/${parameter.name}`
    const value = readParameter(parameter, message)
    if (value === undefined) return parameter.required ? [{ path, reason: 'is required' }] : []
    return judge(parameter.schema, convert(value, parameter.types), path)
  }

  function judgeRequestBody(operation: Operation, body: Body): Mismatch[] {
    const { requestBody } = operation
    if (!requestBody) return []
    if (body.kind === 'none') return requestBody.required ? [{ path: 'body', reason: 'is required' }] : []
    if (body.kind === 'malformed') return [{ path: 'body', reason: body.reason }]
    const media = findMedia(requestBody.content, body.contentType)
    if (!media)
      return [{ path: 'header/content-type', reason: listTypes(requestBody.content, body.contentType) }]
    if (body.kind === 'json') return judge(media.schema, body.value, 'body')
    if (body.kind === 'form') return judge(media.schema, formAsObject(body.form), 'body')
    return []
  }

  /** Whether a schema accepts an empty object, so that an empty body is acceptable too. */
  function leavesBodyOpen(content: readonly Media[]): boolean {
    return content.some(({ schema }) => judge(schema, {}, 'body').length === 0)
  }

  return {
    request: (operation, message) => [
      ...operation.parameters.flatMap((parameter) => judgeParameter(parameter, message)),
      ...judgeRequestBody(operation, message.body),
    ],
    response(operation, message) {
      const response = documentedResponse(operation, message.status)
      if (!response) return [{ path: 'status', reason: `${message.status} is not in the contract` }]
      if (message.rateMeaning !== undefined && !listsRateMeaning(response.source, message.rateMeaning))
        return [
          { path: 'status', reason: `${message.status} for ${message.rateMeaning} is not in the contract` },
        ]
      if (response.content.length === 0) return []
      if (message.isEmpty && isSuccess(message.status) && leavesBodyOpen(response.content)) return []
      const media = findMedia(response.content, message.contentType ?? '')
      if (!media)
        return [{ path: 'header/content-type', reason: listTypes(response.content, message.contentType) }]
      return message.json === undefined ? [] : judge(media.schema, message.json, 'body')
    },
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

/** Returns how to read an operation's body: parsed if the contract names JSON or a form, as bytes otherwise. */
export function bodyKindOf({ requestBody }: Operation, contentType: string): 'parsed' | 'bytes' {
  const media = requestBody && findMedia(requestBody.content, contentType)
  return media && !PARSED_TYPES.has(media.type.toLowerCase()) ? 'bytes' : 'parsed'
}

const PARSED_TYPES = new Set(['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded'])

/**
 * Finds the contract's response for a status: an exact match if present; otherwise `default` for an error, or the
 * response with an undocumented status for a success.
 */
function documentedResponse({ responses }: Operation, status: number) {
  const exact = responses.get(String(status))
  if (exact) return exact
  if (!isSuccess(status)) return responses.get('default')
  return [...responses].find(([key, { source }]) => key.startsWith('2') && 'x-not-shown' in source)?.[1]
}

/** Converts a form to the object that the contract describes: text parts as strings, files as a placeholder string. */
function formAsObject(form: FormData): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name).map((value) => (typeof value === 'string' ? value : FILE_STAND_IN))
    Object.defineProperty(object, name, {
      value: values.length === 1 ? values[0] : values,
      enumerable: true,
      configurable: true,
    })
  }
  return object
}

function listsRateMeaning(response: JsonObject, meaning: string): boolean {
  const list = response['x-rate-meaning']
  return Array.isArray(list) && list.some((entry) => isObject(entry) && entry['meaning'] === meaning)
}

function readParameter(parameter: Parameter, message: RequestMessage): string | undefined {
  if (parameter.in === 'path') return message.parameters[parameter.name]
  if (parameter.in === 'query') return message.query.get(parameter.name) ?? undefined
  if (parameter.in === 'header') return message.headers.get(parameter.name) ?? undefined
  return undefined
}

/** Converts a parameter to a number or boolean, if the schema allows that type and the string matches it. */
export function convert(text: string, types: readonly string[]): unknown {
  if ((types.includes('integer') || types.includes('number')) && /^-?\d+(\.\d+)?$/.test(text))
    return Number(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function findMedia(content: readonly Media[], contentType: string): Media | undefined {
  const essence = mediaEssence(contentType)
  const [family] = essence.split('/', 1)
  // An exact type takes precedence over a range of types.
  for (const type of [essence, `${family}/*`, '*/*']) {
    const media = content.find((candidate) => candidate.type.toLowerCase() === type)
    if (media) return media
  }
  return undefined
}

function listTypes(content: readonly Media[], contentType: string | undefined): string {
  const types = content.map((media) => media.type).join(' or ')
  return `must be ${types}${contentType ? `, not ${mediaEssence(contentType)}` : ''}`
}
