import { listIssues } from '../core/check.ts'
import { type Issue, RequestInvalidError } from '../core/errors.ts'
import { toJson } from '../core/json.ts'
import { load } from '../core/load.ts'
import type { OperationDescriptor } from '../core/operation.ts'
import type { CallOptions } from './call-options.ts'
import type { Upload } from './streamed-body.ts'

/** A body ready to be sent, with its media type. */
export interface EncodedBody {
  readonly content: string | Upload | undefined
  /** Not there when there is no body. */
  readonly contentType: string | undefined
}

export const NO_BODY: EncodedBody = { content: undefined, contentType: undefined }

/** Whether a body can be sent (again); asked before each retry. */
export function isReplayable({ content }: EncodedBody): boolean {
  return content === undefined || typeof content === 'string' || content.replayable()
}

/** Writes a body as the contract says. @throws RequestInvalidError when something in it cannot be read. */
export function encodeBody(
  operation: OperationDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): EncodedBody | Promise<EncodedBody> {
  const kind = operation.body?.kind ?? 'json'
  const extra = options?.extra
  if (extra?.parts !== undefined && kind !== 'multipart') {
    refuseBody(operation, [{ path: '/parts', reason: 'extra parts need an operation whose body is a form' }])
  }
  if (extra?.body !== undefined && kind !== 'json') {
    refuseBody(operation, [{ path: '/body', reason: 'extra fields need an operation whose body is JSON' }])
  }
  if (kind === 'json') return encodeJson(operation, value, extra?.body)
  if (kind === 'text') {
    return value === undefined
      ? NO_BODY
      : { content: String(value), contentType: operation.body?.contentType }
  }
  // Most operations upload nothing, and should not load what uploads need.
  return load(import('./upload-body.ts'), { operation: operation.id }).then(({ encodeUpload }) =>
    encodeUpload(operation, value, options),
  )
}

function encodeJson(operation: OperationDescriptor, value: unknown, extra: object | undefined): EncodedBody {
  const whole = extra === undefined ? value : { ...(value as object), ...extra }
  if (whole === undefined) return NO_BODY
  const content = toJson(whole)
  if (typeof content !== 'string') return refuseBody(operation, [{ path: '/body', ...content }])
  return { content, contentType: operation.body?.contentType ?? 'application/json' }
}

/** Says what about a body makes it impossible to send. */
export function refuseBody(operation: OperationDescriptor, issues: readonly Issue[]): never {
  throw new RequestInvalidError(
    `${operation.id}: the body cannot be sent; nothing was sent. ${listIssues(issues)}`,
    issues,
    { operation: operation.id },
  )
}
