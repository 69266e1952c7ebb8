import { ConnectionError } from '../core/errors.ts'
import { load } from '../core/async.ts'
import { BufferedResponse, UndecodableError } from './buffered-response.ts'
import { headerValue, type RawHeaders, type RequestControl, type TransportResponse } from './transport.ts'

/** The maximum number of content codings of a body. More would only serve to hide a huge body in a small one. */
const MAX_CODINGS = 3

/** Removes one content coding from a body. Throws a {@link CodingError} if the data is invalid or incomplete. */
export type Decode = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

export class CodingError extends Error {
  /** True if the encoded data is incomplete, because the body was cut short in transit. */
  readonly cut: boolean
  constructor(cut: boolean, options?: ErrorOptions) {
    super(
      cut ? 'the encoded body ends early' : 'the body is not encoded as its content-encoding header says',
      options,
    )
    this.cut = cut
  }
}

/** Returns the content codings of a body, in the order in which they were applied (RFC 9110, section 8.4). */
function contentCodings(headers: RawHeaders): string[] {
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
 * Decodes the body of a response while the body is being read. If this client doesn't support the content coding, the
 * stream fails at the first piece. If the body is cut short, the stream fails with a ConnectionError.
 */
export function decodeStreamed(response: EncodedResponse, control: Control): TransportResponse {
  return new DecodedStream(response, control)
}

type EncodedResponse = Pick<TransportResponse, 'status' | 'headers' | 'stream'>
type Control = Pick<RequestControl, 'cancelled' | 'reason'>

class DecodedStream extends BufferedResponse {
  readonly #response: EncodedResponse
  readonly #control: Control

  constructor(response: EncodedResponse, control: Control) {
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
    if (unknown !== undefined || codings.length > MAX_CODINGS) {
      // An empty body has no coding, even if its header names one, as in a 304 or the response to HEAD.
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
        'The response body was cut short. Its compressed data ends early.',
        { phase: 'receive', sent: 'yes' },
        { cause: error.cause },
      )
    }
  }

  #undecodable(codings: string, cause?: unknown): UndecodableError {
    const problem =
      cause === undefined
        ? `the body has the content coding ${JSON.stringify(codings.slice(0, 80))}, which this client cannot decode and did not ask for`
        : `the body is not valid ${codings}, although its content-encoding header claims that it is`
    return new UndecodableError(this, problem, cause)
  }
}
