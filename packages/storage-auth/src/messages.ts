/** Error bodies of a service are not nested deeper than this. */
const MAX_DEPTH = 8
/** The longest part of a body in an error's message. The body itself is a property of the error. */
const MAX_MESSAGE_LENGTH = 1000

/**
 * Whether a body contains a message whose wording is documented, but not its place: searches every string of it up to a
 * depth, and the body as a whole if it isn't JSON.
 */
export function hasMessage(response: { readonly body: unknown }, fits: (text: string) => boolean): boolean {
  for (const text of textsOf(response.body, 0)) if (fits(text.trim())) return true
  return false
}

function* textsOf(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string') yield value
  else if (depth <= MAX_DEPTH) for (const part of Object.values(value ?? {})) yield* textsOf(part, depth + 1)
}

/** The most likely message of an error body: searches the usual places in order. Nothing depends on it. */
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
