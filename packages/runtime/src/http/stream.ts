import type { OperationDescriptor } from '../core/operation.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import type { Client } from './client.ts'
import type { Opened } from './call.ts'
import { coreOf } from './client-state.ts'
import { isExpected } from './decode.ts'
import { bodyStream } from './limited-body.ts'
import { perform } from './pipeline.ts'
import { answerPlan, isSuccess, planOf } from './prepare.ts'
import { StreamedAnswer, type StreamedExchange } from './response.ts'
import { headerValue } from './transport.ts'

/**
 * Sends an operation and gives its success as soon as the headers are there; the body follows as a stream.
 * `timeoutMs` then holds until the headers, until somebody begins to read the body, and for each silence in it. Retries are over with the headers.
 *
 * @throws the same as {@link Client.send}; the stream ends with the same errors.
 * @public
 */
export async function stream<Input>(
  client: Client,
  operation: OperationDescriptor<Input>,
  input: Input,
  options?: CallOptions,
): Promise<StreamedExchange> {
  const core = coreOf(client, operation.id)
  const plan = planOf(core, operation)
  const answer = await perform({ core, plan }, input as CallInput, options, openBody)
  return answer as StreamedExchange
}

/** Hands a body on unread where it is a success in the media type of the contract. */
function openBody({
  core,
  plan,
  response,
  attempt,
  attempts,
  timeoutMs,
}: Opened): StreamedExchange | undefined {
  if (!isSuccess(response.status)) return undefined
  const { contentType } = answerPlan(plan, response.status).descriptor
  if (!isExpected(headerValue(response.headers, 'content-type'), contentType)) return undefined
  const body = bodyStream(response, { core, attempt, operation: plan.operation.id, timeoutMs })
  return new StreamedAnswer(core, response, body, attempts)
}
