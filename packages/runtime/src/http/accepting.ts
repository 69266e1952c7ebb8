import { OptionsError } from '../core/errors.ts'
import type { NegotiatedOperation, OperationDescriptor, ResponseDescriptor } from '../core/descriptors.ts'
import type { CallOptions } from './call-options.ts'
import type { Client } from './client.ts'
import type { Exchange } from './response.ts'

/** For the same arguments, {@link accepting} returns the same object, so that a client prepares it only once. */
const created = new WeakMap<object, Map<PropertyKey, OperationDescriptor>>()

/**
 * Returns a variant of the operation that requests the success response in the media type `type`.
 *
 * @example
 * ```ts
 * const csv = await client.send(accepting(getReport, 'text/csv'), { path: { report_id: '7' } })
 * ```
 *
 * @throws OptionsError if the contract defines no success response with this media type.
 * @public
 */
export function accepting<Input, Output, ErrorBody, Accepts, HeaderValues, Type extends keyof Accepts>(
  operation: NegotiatedOperation<Input, Output, ErrorBody, Accepts, HeaderValues>,
  type: Type,
): OperationDescriptor<Input, Accepts[Type], ErrorBody, HeaderValues> {
  const known = created.get(operation) ?? new Map<PropertyKey, OperationDescriptor>()
  created.set(operation, known)
  const found = known.get(type) ?? withAccept(operation, String(type))
  known.set(type, found)
  return found as OperationDescriptor<Input, Accepts[Type], ErrorBody, HeaderValues>
}

function withAccept(operation: OperationDescriptor, type: string): OperationDescriptor {
  const types = new Set<string>()
  let isOffered = false
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const { contentType, others = {} } = response
    const offered: Record<string, ResponseDescriptor> = {
      ...(contentType !== undefined &&
        (status.startsWith('2') || response.others) && { [contentType]: response }),
      ...others,
    }
    for (const each of Object.keys(offered)) types.add(each)
    const own = offered[type]
    isOffered ||= own !== undefined
    if (own === undefined || own === response) return [status, response] as const
    const { headers } = response
    return [status, { ...own, ...(headers && { headers }) }] as const
  })
  if (!isOffered)
    throw new OptionsError(
      'accept',
      `\`${operation.id}\` has no success response of the media type \`${type}\`.`,
      `Pass one of these media types: ${[...types].join(', ')}.`,
    )
  return { ...operation, responses: Object.fromEntries(responses) }
}

/** The options of a call, plus the media type to ask for. @public */
export type AcceptOptions<Type, Options extends CallOptions = CallOptions> = Options & {
  /**
   * The media type to ask for. Default: JSON if the operation can return JSON; otherwise, the `contentType` of the
   * response's descriptor.
   */
  readonly accept?: Type
}

/** Calls `send` with the media type that the options ask for. For generated code. */
export async function negotiate<Input, Output, ErrorBody, Accepts, HeaderValues, Type extends keyof Accepts>(
  send: Client['send'],
  operation: NegotiatedOperation<Input, Output, ErrorBody, Accepts, HeaderValues>,
  input: Input,
  options: AcceptOptions<Type> | undefined,
): Promise<Accepts[Type]> {
  const { accept, ...others } = options ?? {}
  const wanted = accept === undefined ? operation : accepting(operation, accept)
  return send(wanted as OperationDescriptor<Input, Accepts[Type], ErrorBody, HeaderValues>, input, others)
}

/** Like {@link negotiate}, but returns the whole exchange. For generated code. */
export function negotiateExchange<
  Input,
  Output,
  ErrorBody,
  Accepts,
  HeaderValues,
  Type extends keyof Accepts,
>(
  exchange: Client['exchange'],
  operation: NegotiatedOperation<Input, Output, ErrorBody, Accepts, HeaderValues>,
  input: Input,
  options: AcceptOptions<Type> | undefined,
): Promise<Exchange<Accepts[Type], HeaderValues>> {
  const send = exchange as unknown as Client['send']
  return negotiate(send, operation, input, options) as unknown as Promise<
    Exchange<Accepts[Type], HeaderValues>
  >
}
