import { ConcordError, SocketError } from '@concord/runtime'

/** The codes that the service's documentation names beside HTTP statuses. @public */
export type SpeechCode = 'DATA-0000' | 'DATA-0001'

const CODE = /\bDATA-000[01]\b/

/**
 * Finds one of the documented codes in something that came from the service: a message, a close reason, an error or
 * its body. Where the codes stand is not shown by the documentation, so every text of the value is looked through.
 *
 * - `DATA-0000`: the encoding does not match the audio.
 * - `DATA-0001`: the character rate limit on synthesis; slow down instead of retrying at once.
 *
 * @see specs/speech/asyncapi.yaml#/info
 * @public
 */
export function speechCode(value: unknown): SpeechCode | undefined {
  return find(value, 0)
}

/** Deeper than this no code is looked for. */
const DEEPEST = 8

function find(value: unknown, depth: number): SpeechCode | undefined {
  if (typeof value === 'string') return CODE.exec(value)?.[0] as SpeechCode | undefined
  if (typeof value !== 'object' || value === null || depth > DEEPEST || value instanceof Uint8Array)
    return undefined
  if (ConcordError.is(value)) return findInError(value, depth)
  for (const item of Object.values(value)) {
    const found = find(item, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function findInError(error: ConcordError, depth: number): SpeechCode | undefined {
  const { body } = error as { readonly body?: unknown }
  const reason = error instanceof SocketError ? error.reason : undefined
  return find(reason, depth) ?? find(body, depth + 1)
}
