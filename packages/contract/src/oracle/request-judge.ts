import {
  type Media,
  objectOf,
  type Operation,
  type Parameter,
  type SchemaOracle,
  type Spec,
} from '@concord/spec-model'
import {
  acceptedRanges,
  cookiesOf,
  essenceOf,
  type Finding,
  finding,
  headerValue,
  headerValues,
  isAccepted,
  isInRange,
  isJson,
  jsonOrText,
  mediaTypeOf,
  readJson,
  type RecordedRequest,
} from '../http/exchange.ts'
import { readForm, type FormPart } from '../http/multipart.ts'
import { emptyLists, readByChoice, readFormFields, URL_ENCODED } from './form-fields.ts'
import {
  decode,
  decodeSegment,
  isListType,
  matchOperation,
  queryPairs,
  rawPairs,
  readings,
} from './parameters.ts'
import { judgeSecurity, type Credentials, withoutKeys } from './security.ts'

interface RequestVerdict {
  readonly operation?: Operation
  readonly media?: Media
  readonly findings: readonly Finding[]
}

const fileStandIn = '(file)'

/** Checks a request against the contract alone, without the input from which the client built the request. */
export function judgeRequest(
  spec: Spec,
  oracle: SchemaOracle,
  request: RecordedRequest,
  credentials?: Credentials,
): RequestVerdict {
  const rawPath = request.target.split('?')[0] ?? ''
  const match = matchOperation(spec.operations, request.method, request.target)
  if (!match) {
    const message = `no operation is documented for ${request.method} ${rawPath}`
    return { findings: [finding('unknown-operation', 'request.path', message)] }
  }
  const { operation, values } = match
  const body = judgeBody(operation, oracle, request)
  return {
    operation,
    ...(body.media ? { media: body.media } : {}),
    findings: [
      ...judgeParameters(operation, oracle, withoutKeys(spec, request), values),
      ...judgeSecurity(spec, operation, request, credentials),
      ...judgeAccept(operation, request),
      ...body.findings,
    ],
  }
}

function judgeParameters(
  operation: Operation,
  oracle: SchemaOracle,
  request: RecordedRequest,
  values: Readonly<Record<string, string>>,
): Finding[] {
  const pairs = rawPairs(request.target)
  const known = new Set(rawPairs(operation.path).map(([name]) => name))
  // An object can be sent as one query pair for each member. If a member and a parameter have the same name, a pair
  // with this name can belong to either.
  const hasMembers = operation.parameters.some((one) => isSentByMember(one, oracle))
  const findings: Finding[] = []
  for (const parameter of operation.parameters) {
    const { name, schema } = parameter
    const at = `request.${parameter.in}.${name}`
    let texts: readonly string[] = []
    if (parameter.in === 'path') texts = [decodeSegment(values[name] ?? '')]
    else if (parameter.in === 'header') texts = headerValues(request.headers, name)
    else if (parameter.in === 'cookie')
      texts = cookiesOf(request.headers).flatMap(([key, value]) =>
        key === name ? [parameter.style === 'cookie' ? value : decode(value)] : [],
      )
    else {
      // If the parameter is an object, every pair that may belong to it counts as documented.
      const type = objectOf(oracle.deref(schema.schema))['type']
      if (type === 'object' && !parameter.isJson) {
        for (const [key] of pairs) if (key === name || key.startsWith(`${name}[`)) known.add(key)
        if (isSentByMember(parameter, oracle)) for (const [key] of pairs) known.add(key)
        continue
      }
      known.add(name)
      texts = pairs.flatMap(([key, raw]) => (key === name ? splitRaw(parameter, raw) : []))
    }
    const code = parameter.in
    // Two kinds of parameters can't be checked without the caller's input: objects, and path parameters with a style
    // other than `simple`.
    const isStyled = parameter.in === 'path' && parameter.style !== 'simple'
    const { type, items } = objectOf(oracle.deref(schema.schema))
    const isObject = type === 'object' || objectOf(oracle.deref(items))['type'] === 'object'
    if (parameter.isJson !== true && (isStyled || isObject)) continue
    if (texts.length === 0) {
      if (parameter.required) findings.push({ code, at, message: 'is required and was not sent' })
      continue
    }
    const lists = code === 'query' && hasMembers ? [texts, ...texts.map((text) => [text])] : [texts]
    const possible = lists.flatMap((list) => valuesOf(parameter, oracle, list))
    if (!possible.some((value) => oracle.accepts(schema, value))) {
      const issue = oracle.judge(schema, texts.length > 1 ? texts : texts[0])[0]
      findings.push({ code, at, message: issue?.reason ?? 'does not match its schema' })
    }
  }
  for (const name of new Set(pairs.map(([key]) => key))) {
    if (!known.has(name)) {
      findings.push(finding('query', `request.query.${name}`, 'is not documented'))
    }
  }
  return findings
}

/** Returns whether a parameter is an object that is sent as one query pair for each member. */
function isSentByMember(
  { in: place, schema, isJson, explode, style }: Parameter,
  oracle: SchemaOracle,
): boolean {
  const { type } = objectOf(oracle.deref(schema.schema))
  return place === 'query' && type === 'object' && isJson !== true && explode && style === 'form'
}

function valuesOf(parameter: Parameter, oracle: SchemaOracle, texts: readonly string[]): readonly unknown[] {
  if (!parameter.isJson) return readings(oracle, parameter.schema.schema, texts, parameter.in === 'query')
  const read = readJson(texts[0] ?? '')
  return read ? [read.value] : []
}

const DELIMITERS: Readonly<Record<string, RegExp>> = {
  pipeDelimited: /\||%7C/i,
  spaceDelimited: /%20|\+/,
}

function splitRaw({ explode, isJson, style }: Parameter, raw: string): string[] {
  return explode || isJson === true ? [decode(raw)] : raw.split(DELIMITERS[style] ?? ',').map(decode)
}

function judgeAccept(operation: Operation, request: RecordedRequest): Finding[] {
  const accept = headerValue(request.headers, 'accept')
  const offered = operation.responses.flatMap((one) => (one.status.startsWith('2') ? one.media : []))
  if (accept === undefined || offered.length === 0) return []
  const ranges = acceptedRanges(accept)
  if (offered.some(({ type }) => ranges.some((range) => isAccepted(range, type)))) return []
  return [
    finding(
      'accept',
      'request.headers.accept',
      'does not allow any media type of the documented success responses',
    ),
  ]
}

function judgeBody(
  operation: Operation,
  oracle: SchemaOracle,
  request: RecordedRequest,
): { media?: Media; findings: Finding[] } {
  const { body } = operation
  const at = 'request.body'
  if (request.body.length === 0) {
    const empty = body?.media.find(({ type }) => essenceOf(type) === mediaTypeOf(request.headers))
    // A URL-encoded form without fields is an empty body.
    if (empty && essenceOf(empty.type) === URL_ENCODED)
      return { media: empty, findings: judgeValue(empty, oracle, emptyLists(oracle, empty), at) }
    if (!body?.required) return { findings: [] }
    return { findings: [finding('body', at, 'a body is required, but none was sent')] }
  }
  if (!body) return { findings: [finding('body', at, 'no body is documented, but one was sent')] }
  const type = mediaTypeOf(request.headers)
  const media = body.media.find((one) => isInRange(one.type, type))
  if (!media) {
    const documented = body.media.map((one) => one.type).join(' or ')
    const message = `expected ${documented}, got ${type ?? 'none'}`
    return { findings: [finding('content-type', 'request.headers.content-type', message)] }
  }
  // If the schema of a form has the type `string`, the caller passes the whole form as one encoded string, and the
  // contract describes no fields.
  const isWritten = objectOf(oracle.deref(media.schema?.schema))['type'] === 'string'
  if (media.type === 'multipart/form-data')
    return isWritten ? { media, findings: [] } : { media, findings: judgeForm(media, oracle, request) }
  if (essenceOf(media.type) === URL_ENCODED) {
    const form = readFormFields(media, oracle, Buffer.from(request.body).toString('utf8'))
    return { media, findings: form === undefined ? [] : judgeValue(media, oracle, form, at) }
  }
  if (!isReadAsJson(media, oracle, type)) return { media, findings: [] }
  const read = readJson(request.body)
  if (!read) return { media, findings: [finding('body', at, 'is not JSON')] }
  return { media, findings: judgeValue(media, oracle, read.value, at) }
}

/** Returns whether a body is read as JSON. The sent media type matters only if the documented type is a range. */
export function isReadAsJson(media: Media, oracle: SchemaOracle, sent: string | undefined): boolean {
  if (!media.type.includes('*')) return isJson(media.type)
  const { type } = objectOf(oracle.deref(media.schema?.schema))
  return isJson(sent ?? '') && type !== 'string'
}

function judgeForm(media: Media, oracle: SchemaOracle, request: RecordedRequest): Finding[] {
  const at = 'request.body'
  const read = readForm(headerValue(request.headers, 'content-type'), request.body)
  if (read.problem !== undefined) {
    return [finding('body', at, `malformed multipart: ${read.problem}`)]
  }
  const properties = objectOf(objectOf(oracle.deref(media.schema?.schema))['properties'])
  // A form has no part for an empty list. So a required list without parts counts as an empty list, not as missing.
  const value = emptyLists(oracle, media)
  const findings: Finding[] = []
  const sent = new Map<string, unknown[]>()
  for (const part of read.parts) {
    const text = part.fileName === undefined ? Buffer.from(part.body).toString('utf8') : fileStandIn
    sent.set(part.name, [...(sent.get(part.name) ?? []), text])
    const allowed = media.partTypes[part.name]
    if (allowed && part.contentType !== undefined && !allowed.includes(essenceOf(part.contentType))) {
      findings.push(
        finding(
          'part',
          `${at}/${part.name}`,
          `has the content type ${part.contentType}; expected ${allowed.join(' or ')}`,
        ),
      )
    }
    const schema = objectOf(oracle.deref(properties[part.name]))
    const one = partValue(part, schema)
    const earlier = value[part.name]
    if (isListType(schema['type']) && !(allowed ?? []).some(isJson)) {
      if (Array.isArray(earlier)) earlier.push(one)
      else value[part.name] = [one]
    } else if (earlier === undefined) value[part.name] = one
    // A schema without a type also allows a list, so the part may be sent more than once.
    else if (schema['type'] === undefined) value[part.name] = [earlier, one].flat()
    else
      findings.push(
        finding(
          'part',
          `${at}/${part.name}`,
          'was sent more than once, but the contract allows it only once',
        ),
      )
  }
  return [...findings, ...judgeValue(media, oracle, readByChoice(oracle, media, value, sent), at)]
}

function partValue(part: FormPart, schema: { readonly [key: string]: unknown }): unknown {
  if (part.fileName !== undefined) return fileStandIn
  const text = Buffer.from(part.body).toString('utf8')
  const type = schema['type']
  if (type === 'string' || (Array.isArray(type) && type.includes('string'))) return text
  if (type === undefined && !part.contentType?.includes('json')) return text
  return jsonOrText(text)
}

function judgeValue(media: Media, oracle: SchemaOracle, value: unknown, at: string): Finding[] {
  if (!media.schema) return []
  return oracle
    .judge(media.schema, value, 'request')
    .map((issue) => finding('body', `${at}${issue.path}`, issue.reason))
}

/**
 * Returns the query pairs that a request with the given input must have. If the operation's path contains a query,
 * as in `/jobs?type=new`, the pairs of that query are included.
 */
export function expectedPairs(
  operation: Operation,
  query: { readonly [name: string]: unknown },
): ReturnType<typeof queryPairs> {
  const fixed = rawPairs(operation.path).map(([name, raw]) => ({
    name,
    pieces: [decode(raw)],
    delimiter: '',
  }))
  const passed = operation.parameters
    .filter((one) => one.in === 'query' && query[one.name] !== undefined)
    .flatMap((one) => queryPairs(one, query[one.name]))
  return [...fixed, ...passed]
}
