import { RequestInvalidError } from '../core/errors.ts'
import type { OperationDescriptor } from '../core/operation.ts'
import type { CallOptions } from './call-options.ts'
import type { TransportBody } from './transport.ts'

/** A body ready to be sent. */
export interface EncodedBody {
  readonly content: TransportBody | undefined
  /** The media type, where it is not the one that every call of the operation has. */
  readonly contentType: string | undefined
  /** Whether it can be sent again; asked before each retry. */
  readonly replayable: () => boolean
}

const always = (): boolean => true

export const NO_BODY: EncodedBody = { content: undefined, contentType: undefined, replayable: always }

/** Writes a body as the contract says. */
export function encodeBody(
  operation: OperationDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): EncodedBody | Promise<EncodedBody> {
  const body = operation.body
  if (body === undefined || body.kind === 'json') return encodeJson(operation, value, options)
  if (value === undefined) return NO_BODY
  throw new RequestInvalidError('not yet', [], { operation: operation.id })
}

function encodeJson(
  operation: OperationDescriptor,
  value: unknown,
  options: CallOptions | undefined,
): EncodedBody {
  const extra = options?.extra?.body
  const whole = extra === undefined ? value : { ...(value as object), ...extra }
  if (whole === undefined) return NO_BODY
  const contentType = operation.body === undefined ? 'application/json' : undefined
  return { content: JSON.stringify(whole), contentType, replayable: always }
}
