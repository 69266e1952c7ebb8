import type { Drift, Outcome } from '@concord/contract'
import {
  ApiError,
  ContractDriftError,
  RateLimitedError,
  SubmissionUncertainError,
  type OperationDescriptor,
  type StandardSchema,
} from '@concord/runtime'

/** An error of a client, as the contract tests take it. */
export async function outcomeOf(
  operation: OperationDescriptor | undefined,
  error: unknown,
  drift: readonly Drift[],
): Promise<Extract<Outcome, { kind: 'error' }>> {
  // A server error leaves open whether a submission was accepted; the answer itself is the cause then.
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

/** The names of an error's class and of those above it, the most specific one first. */
export function lineage(error: unknown): string[] {
  const names: string[] = []
  for (
    let current: unknown = error instanceof Error ? error.constructor : undefined;
    typeof current === 'function' && current !== Function.prototype;
    current = Object.getPrototypeOf(current)
  ) {
    names.push(
      Object.hasOwn(current, 'errorName')
        ? String((current as { errorName?: unknown }).errorName)
        : current.name,
    )
  }
  return names
}

/**
 * The mistakes of a body that came with an error. The client passes on error bodies as they are; whether their types
 * are right is asked of the schema that the generated description names for the status.
 */
async function driftOf(
  operation: OperationDescriptor | undefined,
  error: unknown,
): Promise<readonly Drift[]> {
  if (ContractDriftError.is(error)) return error.issues
  if (!ApiError.is(error)) return []
  const responses = operation?.responses ?? {}
  const described = responses[String(error.status)] ?? responses['default']
  if (!described) return [{ path: '', reason: `the client does not know the status ${error.status}` }]
  return described.check ? issuesOf(await described.check.schema(), error.body) : []
}

/** The reasons why a schema rejects a value; empty if it accepts it. */
export function issuesOf(schema: StandardSchema, value: unknown): Drift[] {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) throw new TypeError('a generated schema must not need time')
  return (result.issues ?? []).map(({ message, path }) => ({
    path: (path ?? []).map((key) => `/${String(typeof key === 'object' ? key.key : key)}`).join(''),
    reason: message,
  }))
}
