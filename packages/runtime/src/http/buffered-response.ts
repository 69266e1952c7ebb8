import { UnexpectedContentError } from '../core/errors.ts'
import { ByteQueue } from './byte-queue.ts'
import {
  headerValue,
  type RawHeaders,
  toHeaders,
  type TransportResponse,
  type UndecodableResponse,
} from './transport.ts'

/** An answer whose body is at hand as bytes. */
export class BufferedResponse implements TransportResponse {
  readonly status: number
  readonly headers: RawHeaders
  readonly decoded: boolean
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

/** An answer whose body can't be decoded. */
class Undecodable extends BufferedResponse implements UndecodableResponse {
  readonly undecodable: string
  constructor({ status, headers }: Answered, problem: string) {
    super(status, headers, new Uint8Array(0), true)
    this.undecodable = problem
  }
}

/** A body that cannot be decoded, with the sentence that says why. */
export class UndecodableError extends UnexpectedContentError {
  static override readonly errorName = UnexpectedContentError.errorName
  readonly #problem: string

  constructor(response: Answered, problem: string, cause?: unknown) {
    const told = withoutBody(response)
    super(
      `The service answered ${response.status}, but ${problem}.`,
      ...told,
      cause === undefined ? {} : { cause },
    )
    this.#problem = problem
  }

  get problem(): string {
    return this.#problem
  }
}

/** Reads the body of a streamed answer. @throws UnexpectedContentError when it is longer than the limit. */
export async function bufferResponse(
  response: TransportResponse,
  maxResponseBytes: number,
): Promise<BufferedResponse> {
  const queue = new ByteQueue()
  try {
    for await (const piece of response.stream()) {
      queue.push(piece)
      if (queue.sizeBytes > maxResponseBytes) throw tooLarge(response, maxResponseBytes)
    }
  } catch (error) {
    if (error instanceof UndecodableError) return new Undecodable(response, error.problem)
    throw error
  }
  return new BufferedResponse(response.status, response.headers, queue.join(), true)
}

/** The error for a body of which no more is read. */
export function tooLarge(response: Answered, maxResponseBytes: number): UnexpectedContentError {
  return new UnexpectedContentError(
    `The service answered ${response.status} with more than ${maxResponseBytes} bytes (maxResponseBytes), ` +
      'so the rest was not read. Raise the limit if such answers are expected.',
    ...withoutBody(response),
  )
}

type Answered = Pick<TransportResponse, 'status' | 'headers'>

function withoutBody({
  status,
  headers,
}: Answered): [
  ConstructorParameters<typeof UnexpectedContentError>[1],
  ConstructorParameters<typeof UnexpectedContentError>[2],
] {
  return [
    { status, body: undefined, text: '', headers: () => toHeaders(headers) },
    { contentType: headerValue(headers, 'content-type') ?? '', excerpt: '' },
  ]
}
