import { ConnectionError } from '../core/errors.ts'
import { load } from '../core/load.ts'
import { BufferedResponse, bufferResponse, UndecodableError } from './buffered-response.ts'
import { headerValue, type RawHeaders, type RequestControl, type TransportResponse } from './transport.ts'

/** More codings than this, one over the other, only serve to make a small body large. */
const MOST_CODINGS = 3

/** Removes one content coding from a body; throws a {@link CodingError} where the body is not in that coding. */
export type Decode = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

/** A body is not in the content coding that its header names. */
export class CodingError extends Error {
  /** The body ends before its last block does: it was cut short on its way. */
  readonly cut: boolean
  constructor(cut: boolean, options?: ErrorOptions) {
    super(cut ? 'the encoded body ends early' : 'the body is not in its content coding', options)
    this.cut = cut
  }
}

/** The content codings of a body, in the order in which they were applied (RFC 9110, section 8.4). */
export function contentCodings(headers: RawHeaders): string[] {
  return (headerValue(headers, 'content-encoding') ?? '')
    .split(',')
    .map((coding) =>
      coding
        .trim()
        .toLowerCase()
        .replace(/^x-(?=gzip$)/, ''),
    )
    .filter((coding) => coding !== '' && coding !== 'identity')
}

/**
 * Decodes the body of an answer at once. Bounded: no more than `maxResponseBytes` come of it, however small it was. An
 * answer in a coding that cannot be decoded keeps its status and has no body.
 *
 * @throws UnexpectedContentError when it is too large; ConnectionError when it was cut short.
 */
export function decodeBuffered(
  response: TransportResponse,
  control: RequestControl,
  maxResponseBytes: number,
): Promise<TransportResponse> {
  return bufferResponse(decodeStreamed(response, control), maxResponseBytes)
}

/** Decodes the body of an answer while it is read. A coding that cannot be decoded shows with the first piece. */
export function decodeStreamed(response: TransportResponse, control: RequestControl): TransportResponse {
  return new DecodedStream(response, control)
}

class DecodedStream extends BufferedResponse {
  readonly #response: TransportResponse
  readonly #control: RequestControl

  constructor(response: TransportResponse, control: RequestControl) {
    super(response.status, response.headers, new Uint8Array(0), true)
    this.#response = response
    this.#control = control
  }

  override async *stream(): AsyncGenerator<Uint8Array> {
    const codings = contentCodings(this.headers)
    const { openDecoder } = await load(import('#decoders'))
    if (this.#control.cancelled) throw this.#control.reason
    const decoders = codings.map((coding) => openDecoder(coding))
    const unknown = codings.find((_, index) => decoders[index] === undefined)
    let body: AsyncIterable<Uint8Array> = this.#response.stream()
    if (unknown !== undefined || codings.length > MOST_CODINGS) {
      // An empty body has no coding, whatever its header says: the answer to HEAD, a 304.
      for await (const piece of body) if (piece.length > 0) throw this.#undecodable(codings.join(', '))
      return
    }
    for (const decode of decoders.toReversed()) body = decode!(body)
    try {
      for await (const piece of body) {
        if (this.#control.cancelled) throw this.#control.reason
        yield piece
      }
    } catch (error) {
      if (!(error instanceof CodingError)) throw error
      if (!error.cut) throw this.#undecodable(codings.join(', '), error.cause)
      throw new ConnectionError(
        'The body was cut short: its compressed content ends early.',
        { phase: 'receive', sent: 'yes' },
        { cause: error.cause },
      )
    }
  }

  #undecodable(codings: string, cause?: unknown): UndecodableError {
    const problem =
      cause === undefined
        ? `the body has the content coding ${JSON.stringify(codings.slice(0, 80))}, which this client cannot decode and did not ask for`
        : `the body is not valid ${codings}, which its content-encoding header says it is`
    return new UndecodableError(this, problem, cause)
  }
}
