import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import type { Mismatch } from './errors.ts'
import type { Body } from './request-body.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  type MediaType,
  type Operation,
  type Parameter,
  type Specification,
} from './specification.ts'

/** Judges messages by the contract itself, in both directions. */
export interface Oracle {
  request(operation: Operation, message: RequestMessage): Mismatch[]
  response(operation: Operation, message: ResponseMessage): Mismatch[]
}

/** What the oracle looks at in a request. */
export interface RequestMessage {
  parameters: Readonly<Record<string, string>>
  query: URLSearchParams
  headers: Headers
  body: Body
}

/** What the oracle looks at in a response. `json` is absent where the body is not JSON. */
export interface ResponseMessage {
  status: number
  contentType?: string
  json?: unknown
  /** What a 429 means, where it is one. */
  rateMeaning?: string
}

/** Stands for the bytes of a file where a form is judged. */
const FILE_STAND_IN = '(file)'

const oracles = new WeakMap<Specification, Oracle>()

/** The oracle of a contract; made once, since it keeps nothing between messages. */
export function oracleOf(specification: Specification): Oracle {
  const oracle = oracles.get(specification) ?? createOracle(specification)
  oracles.set(specification, oracle)
  return oracle
}

/** Makes an oracle of Ajv's 2020 dialect, with formats asserted. */
function createOracle(specification: Specification): Oracle {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  addFormats.default(ajv)
  ajv.addSchema(openEnums(specification.document), 'contract:', undefined, false)

  function judge(schemaPointer: string | undefined, value: unknown, place: string): Mismatch[] {
    if (schemaPointer === undefined) return []
    const validate = ajv.getSchema(`contract:${schemaPointer}`)
    if (!validate) throw new Error(`The contract has no schema at ${schemaPointer}.`)
    if (validate(value)) return []
    return (validate.errors ?? []).map((error) => ({
      path: place + error.instancePath,
      reason: describe(error),
    }))
  }

  function judgeParameter(parameter: Parameter, message: RequestMessage): Mismatch[] {
    const place = `${parameter.in}/${parameter.name}`
    const value = readParameter(parameter, message)
    if (value === undefined) return parameter.required ? [{ path: place, reason: 'is required' }] : []
    return judge(parameter.schemaPointer, convert(value, parameter.types), place)
  }

  function judgeRequestBody(operation: Operation, body: Body): Mismatch[] {
    const { requestBody } = operation
    if (!requestBody) return []
    if (body.kind === 'none') return requestBody.required ? [{ path: 'body', reason: 'is required' }] : []
    if (body.kind === 'malformed') return [{ path: 'body', reason: body.reason }]
    const media = findMedia(requestBody.content, body.contentType)
    if (!media)
      return [{ path: 'header/content-type', reason: listTypes(requestBody.content, body.contentType) }]
    if (body.kind === 'json') return judge(media.schemaPointer, body.value, 'body')
    if (body.kind === 'form') return judge(media.schemaPointer, formAsObject(body.form), 'body')
    return []
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
      const media = findMedia(response.content, message.contentType ?? '')
      if (!media)
        return [{ path: 'header/content-type', reason: listTypes(response.content, message.contentType) }]
      return judge(media.schemaPointer, message.json, 'body')
    },
  }
}

/** The response that a status is: by its number; as the success whose status is open; as `default`, for an error. */
function documentedResponse({ responses }: Operation, status: number) {
  const exact = responses.get(String(status))
  if (exact) return exact
  if (status < 200 || status > 299) return responses.get('default')
  return [...responses].find(([key, { source }]) => key.startsWith('2') && 'x-not-shown' in source)?.[1]
}

/** Takes the value lists of open enums (`x-open-enum`) out: other values may come, and are no mismatch. */
function openEnums<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map(openEnums) as T
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([name]) => name !== 'enum' || value['x-open-enum'] !== true)
  return Object.fromEntries(entries.map(([name, child]) => [name, openEnums(child)])) as T
}

/** Looks at the body of a form as the contract does: text parts as strings, files as a string that stands for them. */
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

/** Reads the text of a parameter as the schema's type, where it is one. */
function convert(text: string, types: readonly string[]): unknown {
  if ((types.includes('integer') || types.includes('number')) && /^-?\d+(\.\d+)?$/.test(text))
    return Number(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function findMedia(content: readonly MediaType[], contentType: string): MediaType | undefined {
  const essence = mediaEssence(contentType)
  return content.find((media) => media.type.toLowerCase() === essence)
}

/** The media type without its parameters, in lower case. */
export function mediaEssence(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

function listTypes(content: readonly MediaType[], contentType: string | undefined): string {
  const types = content.map((media) => media.type).join(' or ')
  return `must be ${types}${contentType ? `, not ${mediaEssence(contentType)}` : ''}`
}

function describe(error: ErrorObject): string {
  if (error.keyword === 'const') return `must be ${JSON.stringify(error.params['allowedValue'])}`
  if (error.keyword === 'enum') return `must be one of ${JSON.stringify(error.params['allowedValues'])}`
  if (error.keyword === 'not') return 'must not be this combination of values'
  return error.message ?? `breaks ${error.keyword}`
}
