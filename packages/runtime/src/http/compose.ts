import { isPromise, load } from '../core/async.ts'
import { check, listIssues } from '../core/check.ts'
import { type Issue, RequestInvalidError } from '../core/errors.ts'
import { toJson } from '../core/json.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import type { CallerError } from './attempt.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import { isInRange, mediaType } from './decode.ts'
import { addHeaders, hasHeader, setHeader } from './headers.ts'
import { fillPath, lostParameters, toText, writeQuery, written } from './path.ts'
import type { Plan } from './prepare.ts'
import type { StreamedBody } from './transport.ts'

/** A request without its credential. The request is the same for every attempt. */
export interface Composed {
  /** The path and query. */
  readonly path: string
  readonly headers: readonly string[]
  readonly body: EncodedBody
}

const NO_INPUT: CallInput = {}

/**
 * Validates an input against the contract and encodes it as a request. Returns a promise only if it has to load code:
 * a schema, the code that explains why an input is invalid, or the code for forms and files.
 *
 * @throws RequestInvalidError if the input can't be sent; ConnectionError if code fails to load.
 */
export function compose(
  plan: Plan,
  input: CallInput | undefined,
  options: CallOptions | undefined,
): Composed | Promise<Composed> {
  const given = input ?? NO_INPUT
  const checked = checkInput(plan.operation, given)
  return checked === undefined ? write(plan, given, options) : checked.then(() => write(plan, given, options))
}

/**
 * Validates an input against the contract without sending it. For code that does expensive work before it sends the
 * request. Returns a promise only if it has to load the schema or the code that explains why an input is invalid.
 *
 * @throws RequestInvalidError if the input doesn't match the contract.
 * @public
 */
export function checkInput(
  operation: Pick<OperationDescriptor, 'id' | 'secrets' | 'check'>,
  input: unknown,
): Promise<void> | undefined {
  if (operation.check === undefined) return undefined
  return check(operation.check, input, operation)?.then((issues) => rejectInput(operation, issues))
}

function rejectInput(operation: { readonly id: string }, issues: readonly Issue[] | undefined): void {
  if (issues !== undefined && issues.length > 0) invalid(operation, issues)
}

function invalid(
  { id }: { readonly id: string },
  issues: readonly Issue[],
  problem = 'the input does not match the contract',
): never {
  throw new RequestInvalidError(`${id}: ${problem}; nothing was sent. ${listIssues(issues)}`, issues, {
    operation: id,
  })
}

export function rejectBody(operation: OperationDescriptor, issues: readonly Issue[]): never {
  return invalid(operation, issues, 'the input cannot be sent')
}

/**
 * Returns issues for input that would otherwise be ignored: unknown parts, and query parameters that the contract
 * doesn't define.
 */
function unknownParts({ queryParameters }: Plan, input: CallInput): Issue[] {
  const issues = lostParameters(queryParameters, input.query)
  for (const part in input)
    if (!Object.hasOwn(PARTS, part))
      issues.push({
        path: `/${part}`,
        reason: `is not a valid part of the input (valid parts: ${Object.keys(PARTS).join(', ')})`,
      })
  return issues
}

const PARTS: Readonly<Record<keyof CallInput, true>> = {
  path: true,
  query: true,
  headers: true,
  cookies: true,
  contentType: true,
  body: true,
}

/** Returns the headers of an input in encoded form, including its cookies. */
function writtenHeaders(operation: OperationDescriptor, input: CallInput): Record<string, unknown> {
  const headers: Record<string, unknown> = { ...input.headers }
  const cookies: string[] = []
  for (const { name, in: place, write } of operation.parameters) {
    if (place === 'header' && write !== undefined)
      headers[name] = textOf(operation, written(write, name, headers[name], 'headers'))
    if (place !== 'cookie') continue
    const value = input.cookies?.[name]
    const pair = textOf(operation, written(write ?? writeCookie, name, value, 'cookies'))
    if (pair !== undefined) cookies.push(pair)
  }
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ')
  return headers
}

function writeCookie(name: string, value: unknown): string | undefined {
  const text = toText(value)
  return text === undefined ? undefined : `${name}=${encodeURIComponent(text)}`
}

function textOf<Text extends string | undefined>(operation: OperationDescriptor, result: Text | Issue): Text {
  return typeof result === 'object' ? invalid(operation, [result]) : result
}

function write(plan: Plan, input: CallInput, options: CallOptions | undefined): Composed | Promise<Composed> {
  const extra = options?.extra
  rejectInput(plan.operation, unknownParts(plan, input))
  const filled = textOf(plan.operation, fillPath(plan.template, input.path))
  const query = textOf(plan.operation, writeQuery(plan.queryParameters, input.query, extra?.query))
  // Some contracts distinguish operations by a query in the path.
  const path = filled + (filled.includes('?') ? query.replace('?', '&') : query)
  let headers = plan.headers
  if (input.headers !== undefined || input.cookies !== undefined || extra?.headers !== undefined) {
    const own = [...headers]
    const given = writtenHeaders(plan.operation, input)
    rejectInput(plan.operation, [...addHeaders(own, given), ...addHeaders(own, extra?.headers ?? {})])
    headers = own
  }
  const { contentType } = input
  const operation = contentType === undefined ? plan.operation : withContentType(plan.operation, contentType)
  if (operation.body === undefined && extra?.body === undefined && extra?.parts === undefined) {
    return { path, headers, body: NO_BODY }
  }
  const complete = (encoded: EncodedBody): Composed => finish(path, headers, encoded, contentType)
  const body = encodeBody(operation, input.body, options)
  return isPromise(body) ? body.then(complete) : complete(body)
}

function withContentType(operation: OperationDescriptor, contentType: string): OperationDescriptor {
  const { body } = operation
  const bodies = body === undefined ? [] : [body, ...(body.others ?? [])]
  const type = mediaType(contentType)
  const found =
    bodies.find((one) => mediaType(one.contentType) === type) ??
    bodies.find((one) => one.contentType.includes('*') && isInRange(type, mediaType(one.contentType)))
  if (found !== undefined) return { ...operation, body: { ...found, contentType } }
  const known = bodies.map((one) => one.contentType).join(', ')
  return rejectBody(operation, [
    {
      path: '/contentType',
      reason:
        known === ''
          ? 'has no effect, because this operation has no body; omit `contentType`'
          : `must be one of ${known}`,
    },
  ])
}

/**
 * Adds the media type of the body to the headers. The media type that the caller chose takes precedence over that of
 * a Blob. A multipart form keeps its own media type, which contains the boundary.
 */
function finish(
  path: string,
  headers: readonly string[],
  body: EncodedBody,
  chosen: string | undefined,
): Composed {
  if (body.contentType === undefined) return { path, headers, body }
  const isForm = body.contentType.startsWith('multipart/')
  if (!isForm && hasHeader(headers, 'content-type')) return { path, headers, body }
  const own = [...headers]
  setHeader(own, 'content-type', isForm ? body.contentType : (chosen ?? body.contentType))
  return { path, headers: own, body }
}

export interface UploadBody extends StreamedBody {
  /** The error that the caller's own stream or progress callback threw. */
  readonly failure: CallerError | undefined
  /**
   * Restarts the time limit of the attempt, with `timeoutMs` multiplied by `times`. Called with 1 after each piece that
   * is read. A body that is sent as a whole is first read in pieces. Just before it is sent, this is called again, with
   * a value of `times` that depends on the size of the body.
   */
  onTaken: ((times: number) => void) | undefined
  replayable(): boolean
  /** Called after each attempt. Cancels a read of the caller's content that is still running. */
  release(): void
}

export interface EncodedBody {
  readonly content: string | UploadBody | undefined
  readonly contentType: string | undefined
}

export const NO_BODY: EncodedBody = { content: undefined, contentType: undefined }

export function isReplayable({ content }: EncodedBody): boolean {
  return content === undefined || typeof content === 'string' || content.replayable()
}

/** Encodes a body as the contract defines. @throws RequestInvalidError if the body or a part can't be encoded. */
export function encodeBody(
  operation: OperationDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): EncodedBody | Promise<EncodedBody> {
  const { body } = operation
  const kind = body?.kind ?? 'json'
  const extra = options?.extra
  if (extra?.parts !== undefined && kind !== 'multipart') {
    rejectBody(operation, [{ path: '/parts', reason: '`extra.parts` can be added only to a multipart body' }])
  }
  if (extra?.body !== undefined && kind !== 'json' && kind !== 'form') {
    rejectBody(operation, [
      { path: '/body', reason: '`extra.body` can be added only to a JSON or URL-encoded body' },
    ])
  }
  if (body === undefined || kind === 'json') return encodeJson(operation, value, extra?.body)
  if (kind === 'text') {
    return value === undefined ? NO_BODY : { content: String(value), contentType: body.contentType }
  }
  // Most operations send no forms or files, so the code for these is loaded on demand.
  return load(import('./upload.ts'), { operation: operation.id }).then(({ encodeUpload }) =>
    encodeUpload(operation, body, value, options),
  )
}

function encodeJson(operation: OperationDescriptor, value: unknown, extra: object | undefined): EncodedBody {
  const whole = extra === undefined ? value : { ...(value as object), ...extra }
  if (whole === undefined) return NO_BODY
  const content = toJson(whole)
  if (typeof content !== 'string') return rejectBody(operation, [{ path: '/body', ...content }])
  return { content, contentType: operation.body?.contentType ?? 'application/json' }
}
