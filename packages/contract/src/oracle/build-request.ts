import type { Media, Operation, Spec } from '@concord/spec-model'

import { essenceOf, isJson, type HeaderLine, type RecordedRequest, typeToSend } from '../http/exchange.ts'
import { bodyBytes } from '../http/responder.ts'
import type { CallInput } from '../suite/subject.ts'
import { formParts, URL_ENCODED, writeFormFields } from './form-fields.ts'
import { queryPairs, segmentValue } from './parameters.ts'
import { credentialHeader, type Credentials } from './security.ts'

interface RequestParts {
  readonly input: CallInput
  readonly media?: Media | undefined
  /** The security schemes to use. Default: none. */
  readonly schemes?: readonly string[] | undefined
  readonly credentials?: Credentials
}

/** Builds a request from the contract, without a client. */
export async function buildRequest(
  spec: Spec,
  operation: Operation,
  { input, media, schemes = [], credentials = {} }: RequestParts,
): Promise<RecordedRequest> {
  const path = operation.path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name)
    return encodeURIComponent(parameter ? segmentValue(parameter, input.path[name]) : name)
  })
  const query = operation.parameters
    .filter((one) => one.in === 'query' && input.query[one.name] !== undefined)
    .flatMap((one) => queryPairs(one, input.query[one.name]))
    .map(({ name, pieces, delimiter }) => {
      const value = pieces.map(encodeURIComponent).join(delimiter === ' ' ? '%20' : delimiter)
      return `${encodeURIComponent(name)}=${value}`
    })
  const headers: HeaderLine[] = [['accept', acceptOf(operation)]]
  for (const parameter of operation.parameters) {
    const value = parameter.in === 'header' ? input.headers[parameter.name] : undefined
    if (value !== undefined) headers.push([parameter.name, segmentValue(parameter, value)])
  }
  const cookies = operation.parameters.flatMap((one) => {
    const value = one.in === 'cookie' ? input.cookies?.[one.name] : undefined
    if (value === undefined) return []
    const text = segmentValue(one, value)
    return [`${one.name}=${one.style === 'cookie' ? text : encodeURIComponent(text)}`]
  })
  for (const name of schemes) {
    const scheme = spec.securitySchemes[name]
    const secret = credentials[name]
    if (!scheme || secret === undefined) continue
    const line = credentialHeader(scheme, secret)
    if (line?.[0] === 'cookie') cookies.push(line[1])
    else if (line) headers.push(line)
    else if (scheme.type === 'apiKey' && scheme.in === 'query') {
      query.push(`${encodeURIComponent(scheme.name)}=${encodeURIComponent(secret)}`)
    }
  }
  if (cookies.length > 0) headers.push(['cookie', cookies.join('; ')])
  const body = await writeBody(media, input.body)
  if (body.type !== undefined) headers.push(['content-type', body.type])
  return {
    method: operation.method,
    target: query.length > 0 ? `${path}?${query.join('&')}` : path,
    headers,
    body: body.bytes,
  }
}

function acceptOf(operation: Operation): string {
  const types = operation.responses.flatMap((one) => one.media.map((media) => media.type))
  return [...new Set(types)].join(', ') || '*/*'
}

async function writeBody(
  media: Media | undefined,
  body: unknown,
): Promise<{ readonly type?: string; readonly bytes: Uint8Array }> {
  if (!media || body === undefined) return { bytes: new Uint8Array() }
  if (media.type === 'multipart/form-data') {
    const form = new FormData()
    for (const [name, item] of formParts(media, body))
      form.append(name, item instanceof Blob || typeof item === 'string' ? item : JSON.stringify(item))
    const written = new Response(form)
    const type = written.headers.get('content-type') ?? media.type
    return { type, bytes: new Uint8Array(await written.arrayBuffer()) }
  }
  if (essenceOf(media.type) === URL_ENCODED)
    return { type: media.type, bytes: Buffer.from(writeFormFields(media, body)) }
  if (body instanceof Uint8Array) return { type: media.type, bytes: body }
  const type = typeToSend(media.type, body)
  return { type, bytes: isJson(type) ? Buffer.from(JSON.stringify(body)) : bodyBytes(media, body) }
}
