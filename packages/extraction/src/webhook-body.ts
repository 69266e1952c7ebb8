import { ByteQueue } from '@concord/runtime/internal'

/** The result of reading a request body as JSON. */
type BodyRead =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'unreadable' }

/** Reads a request body as JSON, and stops reading once it is larger than `maxBytes`. Never throws. */
export async function readBody(request: Request, maxBytes: number): Promise<BodyRead> {
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maxBytes) return { kind: 'too-large' }
  // Anyone can send a body, also byte by byte, and a string that grows byte by byte takes 40 times the memory.
  const queue = new ByteQueue()
  try {
    // Fails without a body, too.
    for await (const chunk of request.body as NonNullable<typeof request.body>) {
      queue.push(chunk)
      if (queue.sizeBytes > maxBytes) return { kind: 'too-large' }
    }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(queue.join())
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return { kind: 'unreadable' }
  }
}
