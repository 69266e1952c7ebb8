import type { Outcome } from '../core/descriptors.ts'

/**
 * Maps each error of the caller to the outcome of the request that it ended. An error of the caller is an error that
 * the caller's function threw, or the reason of an aborted signal. Its type says nothing about the request: for
 * example, the caller's function may throw an error that it got from another call to this library.
 */
const outcomes = new WeakMap<object, Outcome>()

/**
 * Errors thrown by this library's own objects that the caller passed, such as a token session. The type of these
 * errors does say something about the request.
 */
const trusted = new WeakSet<object>()

export function noteCallerError(error: unknown, outcome: Outcome): void {
  if (!isObject(error)) return
  // A signal can end several calls with one reason. If the outcomes of these calls differ, `uncertain` is stored.
  const before = outcomes.get(error) ?? outcome
  outcomes.set(error, before === outcome ? outcome : 'uncertain')
}

/** Notes an error if it is the reason of an aborted signal. Returns whether the error is such a reason. */
export function noteAbort(signals: readonly AbortSignal[], error: unknown, outcome: Outcome): boolean {
  const isReason = signals.some(({ aborted, reason }) => aborted && reason === error)
  if (isReason) noteCallerError(error, outcome)
  return isReason
}

/** Notes an error that an object of this library threw, unless it is already noted as an error of the caller. */
export function noteTrusted(error: unknown): void {
  if (isObject(error) && !outcomes.has(error)) trusted.add(error)
}

/**
 * Runs a function of the caller, and notes the error that it throws.
 *
 * @param outcome The outcome of the request if the function throws an error.
 */
export async function callCaller<Result>(
  work: () => Result | Promise<Result>,
  outcome: Outcome,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    noteCallerError(error, outcome)
    throw error
  }
}

/**
 * Returns the result of a caller's function that adds details to an error. If the function itself throws, returns
 * `undefined`, so that its error doesn't replace the original one.
 */
export function addedByCaller<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/**
 * Returns whether this is an error of the caller. Such an error is final, so nothing is retried.
 * Returns false for an error in `trusted`, because its type decides whether to retry.
 */
export function isOfCaller(error: unknown): boolean {
  return isObject(error) && outcomes.has(error) && !trusted.has(error)
}

export function outcomeOfCaller(error: unknown): Outcome | undefined {
  return isObject(error) ? outcomes.get(error) : undefined
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}
