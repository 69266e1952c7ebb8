/** The result of reading a request body as JSON. */
export type BodyRead =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'unreadable' }

/** Reads a request body as JSON, and stops reading once it is larger than `maxBytes`. Never throws. */
export async function readBody(request: Request, maxBytes: number): Promise<BodyRead> {
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maxBytes) return { kind: 'too-large' }
  if (!request.body) return { kind: 'unreadable' }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  try {
    for await (const chunk of request.body) {
      size += chunk.byteLength
      if (size > maxBytes) return { kind: 'too-large' }
      text += decoder.decode(chunk, { stream: true })
    }
    text += decoder.decode()
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return { kind: 'unreadable' }
  }
}
