import { UnexpectedContentError } from '../core/errors.ts'
import { headerValue, type RawHeaders, toHeaders, type TransportResponse } from './transport.ts'

export class BufferedResponse implements TransportResponse {
  readonly status: number
  readonly headers: RawHeaders
  readonly decoded: boolean
  /** Why the body couldn't be decoded, as a clause for an error message. Absent if decoding didn't fail. */
  declare readonly undecodable?: string
  readonly #body: Uint8Array<ArrayBuffer>
  #text: string | undefined = undefined

  constructor(status: number, headers: RawHeaders, body: Uint8Array<ArrayBuffer>, decoded = false) {
    this.status = status
    this.headers = headers
    this.decoded = decoded
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

export class UndecodableError extends UnexpectedContentError {
  static override readonly errorName = UnexpectedContentError.errorName
  readonly #problem: string

  constructor(response: ResponseHead, problem: string, cause?: unknown) {
    super(`The service returned ${response.status}, but ${problem}.`, ...withoutBody(response), { cause })
    this.#problem = problem
  }

  get problem(): string {
    return this.#problem
  }
}

/**
 * Reads the body of a streamed response. A body that can't be decoded counts as empty, so that the status of the
 * response isn't lost.
 *
 * @throws UnexpectedContentError if the body is longer than the limit.
 */
export async function bufferResponse(
  response: TransportResponse,
  maxResponseBytes: number,
): Promise<BufferedResponse> {
  const { status, headers } = response
  const queue = new ByteQueue()
  try {
    for await (const piece of response.stream()) {
      queue.push(piece)
      if (queue.sizeBytes > maxResponseBytes) throw tooLarge(response, maxResponseBytes)
    }
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error
    const empty = new BufferedResponse(status, headers, new Uint8Array(0), true)
    return Object.assign(empty, { undecodable: error.problem })
  }
  return new BufferedResponse(status, headers, queue.join(), true)
}

export function tooLarge(response: ResponseHead, maxResponseBytes: number): UnexpectedContentError {
  return new UnexpectedContentError(
    `The service returned ${response.status} with a body of more than ${maxResponseBytes} bytes (\`maxResponseBytes\`), ` +
      'so the rest of the body was not read. Raise `maxResponseBytes` if you expect responses of this size.',
    ...withoutBody(response),
  )
}

type ResponseHead = Pick<TransportResponse, 'status' | 'headers'>

/** Returns constructor arguments for an UnexpectedContentError about a response whose body isn't available. */
export function withoutBody({
  status,
  headers,
}: ResponseHead): [
  ConstructorParameters<typeof UnexpectedContentError>[1],
  ConstructorParameters<typeof UnexpectedContentError>[2],
] {
  return [
    { status, body: undefined, text: '', headers: () => toHeaders(headers) },
    { contentType: headerValue(headers, 'content-type') ?? '', excerpt: '' },
  ]
}

/** Pieces shorter than this are joined once `FEW_PIECES` pieces are waiting. */
const SHORT_BYTES = 1_024
const FEW_PIECES = 8
const JOINED_BYTES = 16_384

const NOTHING = new Uint8Array(0)

/**
 * A queue of bytes. Short pieces are joined, because each piece takes about a hundred bytes of memory besides its
 * content, and a peer may send one byte at a time.
 *
 * @public
 */
export class ByteQueue {
  sizeBytes = 0
  #pieces: Uint8Array[] = []
  #head = 0
  /** The number of filled bytes in the last piece, while short pieces are being copied into it. */
  #filledBytes: number | undefined = undefined

  get empty(): boolean {
    return this.#head === this.#pieces.length
  }

  push(piece: Uint8Array): void {
    this.sizeBytes += piece.length
    const few = this.#pieces.length - this.#head < FEW_PIECES && this.#filledBytes === undefined
    if (few || piece.length >= SHORT_BYTES) {
      this.#seal()
      this.#pieces.push(piece)
      return
    }
    if (this.#filledBytes === undefined || this.#filledBytes + piece.length > JOINED_BYTES) {
      this.#seal()
      this.#pieces.push(new Uint8Array(JOINED_BYTES))
      this.#filledBytes = 0
    }
    this.#pieces.at(-1)!.set(piece, this.#filledBytes)
    this.#filledBytes += piece.length
  }

  /** Removes and returns the first piece. Returns `undefined` if the queue is empty. */
  shift(): Uint8Array | undefined {
    if (this.empty) return undefined
    if (this.#head === this.#pieces.length - 1) this.#seal()
    const piece = this.#pieces[this.#head]!
    this.#pieces[this.#head++] = NOTHING
    // Removing items from the start of an array moves all other items, so used items are removed 1,024 at a time.
    if (this.#head === 1_024) {
      this.#pieces.splice(0, this.#head)
      this.#head = 0
    }
    this.sizeBytes -= piece.length
    return piece
  }

  clear(): void {
    this.#pieces = []
    this.#head = this.sizeBytes = 0
    this.#filledBytes = undefined
  }

  /** Returns all pieces without removing them. Some may be empty, in place of pieces that `shift` removed. */
  pieces(): readonly Uint8Array[] {
    this.#seal()
    return this.#pieces
  }

  /** Returns all bytes as one piece. */
  join(): Uint8Array<ArrayBuffer> {
    const whole = new Uint8Array(this.sizeBytes)
    let at = 0
    for (const piece of this.pieces()) {
      whole.set(piece, at)
      at += piece.length
    }
    return whole
  }

  #seal(): void {
    if (this.#filledBytes === undefined) return
    const last = this.#pieces.length - 1
    this.#pieces[last] = this.#pieces[last]!.subarray(0, this.#filledBytes)
    this.#filledBytes = undefined
  }
}
