import { differences, type Media, type Operation } from '@concord/spec-model'
import {
  essenceOf,
  type Finding,
  finding,
  headerValue,
  headerValues,
  isInRange,
  isJson,
  mediaTypeOf,
  readJson,
  type RecordedRequest,
  typeToSend,
} from '../http/exchange.ts'
import { type FormPart, readForm } from '../http/multipart.ts'
import type { CallInput } from '../suite/subject.ts'
import { formPairs, formParts, sentFields, URL_ENCODED } from './form-fields.ts'
import { decodeSegment, type QueryPair, rawPairs, represents, segmentValue } from './parameters.ts'
import { expectedPairs } from './request-judge.ts'

/**
 * Compares a sent request with the request that the contract requires for an input: method, path (including any
 * trailing slash), every query pair, the documented headers, and the body.
 */
export async function compareRequest(
  operation: Operation,
  media: Media | undefined,
  input: CallInput,
  request: RecordedRequest,
): Promise<readonly Finding[]> {
  return [
    ...compareTarget(operation, input, request),
    ...compareQuery(operation, input, request),
    ...compareHeaders(operation, input, request),
    ...(await compareBody(media, input, request)),
  ]
}

function compareTarget(operation: Operation, input: CallInput, request: RecordedRequest): Finding[] {
  const findings: Finding[] = []
  if (request.method !== operation.method) {
    findings.push(finding('method', 'request.method', `expected ${operation.method}, got ${request.method}`))
  }
  const expected = (operation.path.split('?')[0] ?? '').split('/').map((segment) =>
    segment.replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
      const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === name)
      return parameter ? segmentValue(parameter, input.path[name]) : `{${name}}`
    }),
  )
  const sent = (request.target.split('?')[0] ?? '').split('/').map(decodeSegment)
  if (expected.length !== sent.length || expected.some((segment, at) => segment !== sent[at])) {
    const message = `expected ${operation.path} with the values that were passed to the client, got ${sent.join('/').slice(0, 200)}`
    findings.push(finding('path', 'request.path', message))
  }
  return findings
}

function compareQuery(operation: Operation, input: CallInput, request: RecordedRequest): Finding[] {
  const pairs = expectedPairs(operation, input.query)
  return comparePairs(pairs, rawPairs(request.target)).map(({ name, problem }) =>
    finding('query', `request.query.${name}`, problem),
  )
}

/** Compares the expected pairs with the sent ones, in any order. An open pair can have any value, or be absent. */
function comparePairs(
  pairs: readonly QueryPair[],
  sent: readonly (readonly [name: string, raw: string])[],
): { readonly name: string; readonly problem: string }[] {
  const left = [...sent]
  const wrong: string[] = []
  for (const pair of pairs.filter(({ isOpen }) => !isOpen)) {
    const at = left.findIndex(([name, raw]) => name === pair.name && represents(raw, pair))
    if (at >= 0) left.splice(at, 1)
    else wrong.push(pair.name)
  }
  const problems = wrong.map((name) => {
    const at = left.findIndex((one) => one[0] === name)
    if (at === -1) return { name, problem: 'was passed to the client, but not sent' }
    left.splice(at, 1)
    return { name, problem: 'differs from the value that was passed to the client' }
  })
  const isAbout = (name: string, pair: QueryPair): boolean =>
    pair.isOpen === true && (name === pair.name || name.startsWith(`${pair.name}[`))
  const stray = left.filter(([name]) => !pairs.some((pair) => isAbout(name, pair)))
  return [
    ...problems,
    ...stray.map(([name]) => ({ name, problem: 'was sent, although the caller did not pass it' })),
  ]
}

function compareHeaders(operation: Operation, input: CallInput, request: RecordedRequest): Finding[] {
  return operation.parameters
    .filter((one) => one.in === 'header')
    .flatMap((parameter): Finding[] => {
      const at = `request.headers.${parameter.name}`
      const given = input.headers[parameter.name] ?? parameter.constant
      const isPassed = input.headers[parameter.name] !== undefined
      const sent = headerValues(request.headers, parameter.name)
      if (given === undefined) {
        return sent.length === 0
          ? []
          : [finding('header', at, 'was sent, although the caller did not pass it')]
      }
      if (sent.length === 0)
        return [
          finding(
            'header',
            at,
            isPassed
              ? 'was passed to the client, but not sent'
              : 'has a fixed value in the contract, but was not sent',
          ),
        ]
      const same = sent.length === 1 && sent[0] === segmentValue(parameter, given)
      return same
        ? []
        : [
            finding(
              'header',
              at,
              isPassed
                ? 'differs from the value that was passed to the client'
                : 'differs from the fixed value in the contract',
            ),
          ]
    })
}

async function compareBody(
  media: Media | undefined,
  input: CallInput,
  request: RecordedRequest,
): Promise<Finding[]> {
  const at = 'request.body'
  if (!media || input.body === undefined) {
    return request.body.length === 0
      ? []
      : [finding('body', at, 'was sent, although the caller did not pass it')]
  }
  const type = mediaTypeOf(request.headers)
  if (!isInRange(media.type, type)) {
    const message = `expected ${media.type}, got ${type ?? 'none'}`
    return [finding('content-type', 'request.headers.content-type', message)]
  }
  if (media.type === 'multipart/form-data' && !(input.body instanceof Uint8Array))
    return compareForm(media, input.body, request)
  const bytes = Buffer.from(request.body)
  if (essenceOf(media.type) === URL_ENCODED) return compareFields(media, input.body, bytes.toString('utf8'))
  if (isJson(typeToSend(media.type, input.body))) {
    const sent = readJson(bytes)
    if (!sent) return [finding('body', at, 'is not JSON')]
    return differences(input.body, sent.value).map((place) =>
      finding('body', at + place, 'differs from the value that was passed to the client'),
    )
  }
  const given =
    typeof input.body === 'string' ? Buffer.from(input.body) : Buffer.from(input.body as Uint8Array)
  return bytes.equals(given)
    ? []
    : [finding('body', at, 'differs from the bytes that were passed to the client')]
}

function compareFields(media: Media, body: unknown, text: string): Finding[] {
  return comparePairs(formPairs(media, body), sentFields(text)).map(({ name, problem }) =>
    finding('part', `request.body/${name}`, problem),
  )
}

async function compareForm(media: Media, body: unknown, request: RecordedRequest): Promise<Finding[]> {
  const read = readForm(headerValue(request.headers, 'content-type'), request.body)
  if (read.problem !== undefined) {
    return [finding('body', 'request.body', `malformed multipart: ${read.problem}`)]
  }
  const findings: Finding[] = []
  const rest = [...read.parts]
  for (const [name, item] of formParts(media, body)) {
    // A form can't represent `null`.
    if (item === null) continue
    const position = rest.findIndex((part) => part.name === name)
    const [part] = position === -1 ? [] : rest.splice(position, 1)
    const problems = part ? await partProblems(item, part) : ['was passed to the client, but not sent']
    findings.push(...problems.map((problem) => finding('part', `request.body/${name}`, problem)))
  }
  for (const part of rest) {
    findings.push(
      finding('part', `request.body/${part.name}`, 'was sent, although the caller did not pass it'),
    )
  }
  return findings
}

async function partProblems(item: unknown, { body, fileName, contentType }: FormPart): Promise<string[]> {
  const bytes = Buffer.from(body)
  if (item instanceof Blob) {
    const problems: string[] = []
    if (!bytes.equals(Buffer.from(await item.arrayBuffer()))) {
      problems.push('differs from the bytes that were passed to the client')
    }
    if (fileName === undefined) problems.push('has no file name')
    else if (item instanceof File && fileName !== item.name) {
      problems.push("doesn't have the file name that was passed to the client")
    }
    if (item.type !== '' && contentType !== item.type) {
      problems.push(`has the content type ${contentType ?? 'none'}; expected ${item.type}`)
    }
    return problems
  }
  if (typeof item === 'string') {
    return [
      ...(bytes.toString('utf8') === item ? [] : ['differs from the text that was passed to the client']),
      ...(fileName === undefined ? [] : ['is text, but has a file name']),
    ]
  }
  return differences(item, readJson(bytes)?.value).length > 0
    ? ['differs from the value that was passed to the client']
    : []
}
