import { systemClock } from '../core/clock.ts'
import { ContractDriftError, SubmissionUncertainError } from '../core/errors.ts'
import type { DriftReport } from '../core/events.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { isOfCaller } from '../retry/caller-errors.ts'
import { submissionUncertain } from '../retry/outcome.ts'
import type { CallOptions } from './call-options.ts'
import type { Client } from './client.ts'
import { acceptedId } from './decode.ts'
import type { Exchange } from './response.ts'
import { collectSecrets, RECEIVED_LENGTH } from './secrets.ts'

/** An accepted submission. @public */
export interface Accepted<Output> {
  readonly id: string
  /** The response as received; `undefined` if only the id could be read. */
  readonly data: Output | undefined
  /**
   * The number of submissions that the service may have accepted, including this one. For example, the number is 2
   * if the request was retried once, after a 502, 503 or 504.
   */
  readonly possibleDuplicates: number
}

/**
 * Sends a submission and returns the id of the accepted work, so that the caller can wait for this work. If the
 * response has an id, errors in the rest of the response are only reported as drift, even with `validate: 'enforce'`.
 * If these errors were thrown, the caller could lose the id of paid work.
 *
 * @throws the errors of {@link Client.exchange}, and a SubmissionUncertainError if the response has no id.
 * @public
 */
export async function submit<Input, Output, ErrorBody>(
  client: Pick<Client, 'exchange' | 'reportDrift'> & Partial<Pick<Client, 'clock'>>,
  operation: OperationDescriptor<Input, Output, ErrorBody>,
  input: Input,
  options?: CallOptions,
): Promise<Accepted<Output>> {
  try {
    const exchange = await client.exchange(operation, input, options)
    const { data, possibleDuplicates = 1 } = exchange
    const id = acceptedId(operation, data) ?? ''
    // The contract allows any string, but an empty string can't identify work.
    if (id === '') throw withoutId(operation, input, exchange, (client.clock ?? systemClock).now())
    return { id, data, possibleDuplicates }
  } catch (error) {
    // The caller's code or signal may pass on an error of another call. Then the error's id belongs to other work.
    if (isOfCaller(error)) throw error
    if (ContractDriftError.is(error) && error.id !== undefined && error.id !== '') {
      client.reportDrift(driftOf(operation, error.status ?? 200, error.issues))
      return { id: error.id, data: error.data as Output, possibleDuplicates: error.possibleDuplicates ?? 1 }
    }
    if (SubmissionUncertainError.is(error) && error.id !== undefined) {
      const reason = 'cannot be read, except for its id'
      client.reportDrift(driftOf(operation, error.status ?? 200, [{ path: '', reason }]))
      return { id: error.id, data: undefined, possibleDuplicates: error.possibleDuplicates }
    }
    throw error
  }
}

function withoutId(
  operation: OperationDescriptor,
  input: unknown,
  exchange: Exchange,
  submittedAtMs: number,
): unknown {
  const { id, secrets } = operation
  const { data, status, possibleDuplicates = 1 } = exchange
  const path = operation.outcome?.id ?? ''
  const message = `${id}: the service returned ${status}, but the id in the response is empty.`
  return submissionUncertain(operation, {
    body: (input as { readonly body?: unknown }).body,
    submittedAtMs,
    cause: new ContractDriftError(message, [{ path, reason: 'is empty' }], data, { operation: id }),
    status,
    received: collectSecrets(secrets, [], data)(exchange.text()).slice(0, RECEIVED_LENGTH),
    possibleDuplicates,
  })
}

function driftOf({ id }: OperationDescriptor, status: number, issues: DriftReport['issues']): DriftReport {
  return { operation: id, status, issues }
}
