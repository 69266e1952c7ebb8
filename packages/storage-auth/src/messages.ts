/** How deep error bodies are searched. */
const MAX_DEPTH = 8
/** How much of a message is looked at; what is shown of it is shorter. */
const MAX_MESSAGE_LENGTH = 1000

/**
 * Returns whether a body contains a message whose wording is documented, but not where it appears. Searches every string
 * of the body up to a maximum depth, or the whole body if it isn't JSON.
 */
export function hasMessage(response: { readonly body: unknown }, fits: (text: string) => boolean): boolean {
  for (const text of textsOf(response.body, 0)) if (fits(text.trim())) return true
  return false
}

function* textsOf(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string') yield value
  else if (depth <= MAX_DEPTH) for (const part of Object.values(value ?? {})) yield* textsOf(part, depth + 1)
}

/** Returns the most likely message in an error body, by trying the usual fields in order. People read it; no decision depends on
 * it. */
export function likelyMessage(body: unknown, depth = 0): string | undefined {
  if (typeof body === 'string')
    return body !== '' && body.length <= 200 && !body.includes('<') ? body : undefined
  if (typeof body !== 'object' || body === null || depth > MAX_DEPTH) return undefined
  for (const name of ['message', 'error', 'detail', 'title']) {
    const part = (body as Record<string, unknown>)[name]
    if (typeof part === 'string' && part !== '')
      return part.length > MAX_MESSAGE_LENGTH ? `${part.slice(0, MAX_MESSAGE_LENGTH)}…` : part
    const inner = likelyMessage(part, depth + 1)
    if (inner !== undefined) return inner
  }
  return undefined
}
