import type { Outcome, Walk, WalkContext, WalkStep } from '@concord/contract'

export function step(
  operation: string,
  status: string,
  title: string,
  run: (at: WalkContext) => Promise<unknown>,
): WalkStep {
  return { operation, status, title, run: async (at) => void (await run(at)) }
}

/** Creates a step that sends a body that the contract doesn't allow. */
export function wrongBodyStep(...parts: Parameters<typeof step>): WalkStep {
  return { ...step(...parts), breaks: ['body'] }
}

/** A running emulator, and the walk that calls it. */
export interface Served<Script = Walk> extends AsyncDisposable {
  readonly walk: Script
}

/** Sends a request that a client wouldn't send. */
export async function sendRaw(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: BodyInit,
): Promise<void> {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
  await response.arrayBuffer()
}

/** Returns the object that a call returned. @throws Error if the call failed. */
export function dataOf(outcome: Outcome): Record<string, unknown> {
  if (outcome.kind === 'data') return outcome.data as Record<string, unknown>
  throw new Error(`the call failed: ${outcome.errorNames[0]}: ${outcome.message ?? ''}`)
}

/** Checks some properties of the object that a call returned. @throws Error if one of them differs. */
export function expectBody(outcome: Outcome, wanted: Record<string, unknown>): void {
  const data = dataOf(outcome)
  for (const [name, value] of Object.entries(wanted)) {
    if (data[name] !== value) throw new Error(`expected ${name} ${String(value)}, got ${String(data[name])}`)
  }
}

/**
 * Expects an error with status 429. `meaning` is the kind of limit, such as `page-count`.
 *
 * @throws Error for any other outcome.
 */
export function expectMeaning(outcome: Outcome, meaning: string): void {
  if (outcome.kind !== 'error' || outcome.meaning !== meaning)
    throw new Error(`expected a 429 for ${meaning}`)
}

/** Expects a call to fail with an error of the class `errorName`. @throws Error for any other outcome. */
export function expectError(outcome: Outcome, errorName: string): void {
  if (outcome.kind !== 'error' || !outcome.errorNames.includes(errorName))
    throw new Error(`expected ${errorName}, got ${outcome.kind === 'error' ? outcome.errorNames[0] : 'data'}`)
}
