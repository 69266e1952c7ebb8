import type { RawHeaders, TransportRequest, TransportResponse } from './transport.ts'

/** An answer whose body is at hand as bytes. */
export class BufferedResponse implements TransportResponse {
  readonly status: number
  readonly headers: RawHeaders
  readonly #body: Uint8Array<ArrayBuffer>
  #text: string | undefined = undefined

  constructor(status: number, headers: RawHeaders, body: Uint8Array<ArrayBuffer>) {
    this.status = status
    this.headers = headers
    this.#body = body
  }

  text(): string {
    this.#text ??= new TextDecoder().decode(this.#body)
    return this.#text
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#body
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    yield this.#body
  }
}

/** Reads the body of a streamed answer, but no more of it than the limit. */
export async function bufferResponse(
  response: TransportResponse,
  { maxResponseBytes }: Pick<TransportRequest, 'maxResponseBytes'>,
): Promise<BufferedResponse> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.stream()) {
    chunks.push(chunk)
    sizeBytes += chunk.length
    if (sizeBytes > maxResponseBytes) break
  }
  return new BufferedResponse(response.status, response.headers, concat(chunks, sizeBytes))
}

/** All chunks as one. */
export function concat(chunks: readonly Uint8Array[], sizeBytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(sizeBytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
