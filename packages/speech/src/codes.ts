import { ConcordError, SocketError } from '@concord/runtime'

/** The codes that the documentation names in addition to HTTP statuses. @public */
export type SpeechCode = 'DATA-0000' | 'DATA-0001'

const CODE = /\bDATA-000[01]\b/

/**
 * Finds a documented code in anything that the service sent: a message, a close reason, an error or its body.
 * The documentation doesn't show where the codes appear, so every string of the value is searched.
 *
 * - `DATA-0000`: the encoding doesn't match the audio.
 * - `DATA-0001`: the character rate limit on synthesis; slow down instead of retrying immediately.
 *
 * @see `specs/speech/asyncapi.yaml#/info`
 * @public
 */
export function speechCode(value: unknown): SpeechCode | undefined {
  return find(value, 0, { left: MAX_VALUES })
}

/** Limits of the search, so that a huge message costs little time. */
const MAX_DEPTH = 8
const MAX_VALUES = 10_000

function find(value: unknown, depth: number, budget: { left: number }): SpeechCode | undefined {
  if (typeof value === 'string') return CODE.exec(value)?.[0] as SpeechCode | undefined
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || value instanceof Uint8Array)
    return undefined
  if (ConcordError.is(value)) return findInError(value, depth, budget)
  for (const item of Object.values(value)) {
    if (budget.left-- <= 0) return undefined
    const found = find(item, depth + 1, budget)
    if (found !== undefined) return found
  }
  return undefined
}

function findInError(error: ConcordError, depth: number, budget: { left: number }): SpeechCode | undefined {
  const { body } = error as { readonly body?: unknown }
  const reason = error instanceof SocketError ? error.reason : undefined
  return find(reason, depth, budget) ?? find(body, depth, budget)
}
