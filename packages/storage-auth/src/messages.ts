/**
 * Looks for a message of which only the wording is documented, not the place: in every text of the body, at any depth,
 * and in the body as a whole where that is no JSON.
 */
export function findMessage(
  answer: { readonly body: unknown; readonly text: string },
  fits: (text: string) => boolean,
): string | undefined {
  for (const text of textsOf(answer.body, 0)) {
    const trimmed = text.trim()
    if (fits(trimmed)) return trimmed
  }
  return undefined
}

function* textsOf(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value !== 'object' || value === null || depth > 8) return
  for (const part of Object.values(value)) yield* textsOf(part, depth + 1)
}

/** The likeliest sentence of an error body: the places that are usual, in their order. Nothing depends on it. */
export function likelyMessage(body: unknown): string | undefined {
  if (typeof body === 'string') return body.length <= 200 && !body.includes('<') ? body : undefined
  if (typeof body !== 'object' || body === null) return undefined
  for (const name of ['message', 'error', 'detail', 'title']) {
    const part = (body as Record<string, unknown>)[name]
    if (typeof part === 'string' && part !== '') return part
    const inner = likelyMessage(part)
    if (inner !== undefined) return inner
  }
  return undefined
}
