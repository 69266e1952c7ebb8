import type { Drift, Outcome } from '@concord/contract'
import {
  ApiError,
  ContractDriftError,
  RateLimitedError,
  SubmissionUncertainError,
  type OperationDescriptor,
  type StandardSchema,
} from '@concord/runtime'

import { lineage } from '../../../packages/contract/src/suite/client-class.ts'

/** Converts a client's error to an outcome for the contract tests. */
export async function outcomeOf(
  operation: OperationDescriptor | undefined,
  error: unknown,
  drift: readonly Drift[],
): Promise<Extract<Outcome, { kind: 'error' }>> {
  // After a server error, it is uncertain whether a submission was accepted. The API error is then the cause of the
  // error.
  const answered =
    SubmissionUncertainError.is(error) && ApiError.is(error.cause) ? (error.cause as ApiError) : error
  return {
    kind: 'error',
    errorNames: [...new Set([...lineage(error), ...lineage(answered)])],
    drift: [...drift, ...(await driftOf(operation, answered))],
    message: error instanceof Error ? error.message : String(error),
    ...(ApiError.is(answered) ? { status: answered.status, body: answered.body } : {}),
    ...(RateLimitedError.is(answered) && answered.meaning !== undefined ? { meaning: answered.meaning } : {}),
  }
}

/**
 * Returns the mistakes in an error's body. The client returns error bodies unchanged, so they are checked with the
 * schema of the generated descriptor.
 */
async function driftOf(
  operation: OperationDescriptor | undefined,
  error: unknown,
): Promise<readonly Drift[]> {
  if (ContractDriftError.is(error)) return error.issues
  if (!ApiError.is(error)) return []
  const responses = operation?.responses ?? {}
  const described = responses[String(error.status)] ?? responses['default']
  if (!described) return [{ path: '', reason: `the client doesn't know the status ${error.status}` }]
  return described.check ? issuesOf(await described.check.schema(), error.body) : []
}

/** Returns the reasons why a schema rejects a value; empty if it accepts the value. */
export function issuesOf(schema: StandardSchema, value: unknown): Drift[] {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) throw new TypeError('a generated schema must not be asynchronous')
  return (result.issues ?? []).map(({ message, path }) => ({
    path: (path ?? []).map((key) => `/${String(typeof key === 'object' ? key.key : key)}`).join(''),
    reason: message,
  }))
}
