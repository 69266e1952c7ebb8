import {
  AuthenticationError,
  type ApiError,
  type ConcordErrorOptions,
  type ErrorAnswer,
  OperationFailedError,
  RateLimitedError,
  SocketError,
} from '@concord/runtime'
import type { ConfigureFailure } from '@concord/speech-validators'

import { speechCode } from './codes.ts'

/**
 * DATA-0000: the connection ended because the encoding does not match the audio. Give the `encoding` that the audio
 * really has, and leave it out for mp3, wav and ogg. The service does not always notice: the other outcome is garbled
 * output.
 *
 * @see specs/speech/asyncapi.yaml#/info
 * @public
 */
export class EncodingMismatchError extends SocketError {
  static override readonly errorName = 'speech.EncodingMismatchError'
}

/**
 * DATA-0001: the character rate limit on synthesis is reached, and the text cannot be sent again by this client: the
 * connection has ended, or several texts were under way. Slow down; trying again at once makes it worse.
 *
 * @see specs/speech/asyncapi.yaml#/channels/speechStream
 * @public
 */
export class CharacterRateError extends SocketError {
  static override readonly errorName = 'speech.CharacterRateError'
  readonly #unspoken: readonly string[]

  constructor(
    message: string,
    details: {
      readonly closeCode?: number | undefined
      readonly reason?: string
      readonly unspoken: readonly string[]
    },
    options: ConcordErrorOptions = {},
  ) {
    super('socket-closed', message, details, options)
    this.#unspoken = details.unspoken
  }

  /** The texts that were sent and not yet spoken to their end. Never part of a log of this error. */
  get unspoken(): readonly string[] {
    return this.#unspoken
  }
}

/** The service answered a `Configure` with `ConfigureFailure`: nothing was changed. @public */
export class ConfigureRefusedError extends OperationFailedError {
  static override readonly errorName = 'speech.ConfigureRefusedError'
  readonly #answer: ConfigureFailure

  constructor(answer: ConfigureFailure, options: ConcordErrorOptions = {}) {
    super(
      'configure: the service refused the configuration. What it says stands in `answer`; its form is not documented. ' +
        'Check the thresholds and the key terms.',
      { id: '', reason: '', advice: 'fix-input' },
      options,
    )
    this.#answer = answer
  }

  /** The message as the service sent it. Never part of a log of this error. */
  get answer(): ConfigureFailure {
    return this.#answer
  }
}

/** The error of this service where the runtime's own says less. */
export function refineSocketError(error: unknown): unknown {
  if (!(error instanceof SocketError) || error.code !== 'socket-closed') return error
  if (error instanceof EncodingMismatchError || error instanceof CharacterRateError) return error
  if (speechCode(error) !== 'DATA-0000') return error
  const { closeCode, reason, unsent, operation } = error
  return new EncodingMismatchError(
    'socket-closed',
    `${operation ?? 'socket'}: the service ended the connection with DATA-0000: the encoding does not match the audio. ` +
      'Give the encoding that the audio really has, and leave it out for mp3, wav and ogg.',
    { closeCode, reason, unsent },
    { ...(operation === undefined ? undefined : { operation }), cause: error },
  )
}

/** A sentence for an error's message. Error bodies are open: all that can be known of them is a documented code. */
export function explain(body: unknown): string | undefined {
  const code = speechCode(body)
  if (code === 'DATA-0000') return 'DATA-0000, the encoding does not match the audio.'
  if (code === 'DATA-0001')
    return 'DATA-0001, the character rate limit on synthesis is reached; slow down instead of retrying at once.'
  return undefined
}

const TOO_MANY =
  'Too many connections are open; waiting alone frees none, so close one, or give the client a connectionLimit.'
const CREDENTIALS = 'An API key belongs into apiKey (sent as Token), a JWT into accessToken (sent as Bearer).'

/** The errors of REST calls whose message can say more: a 429 means connections, wherever it comes from. */
export function refineError(message: string, answer: ErrorAnswer, operation: string): ApiError | undefined {
  if (answer.status === 429)
    return new RateLimitedError(
      `${message} ${TOO_MANY}`,
      answer,
      { meaning: 'connections', retryHelps: false },
      { operation },
    )
  if (answer.status === 401)
    return new AuthenticationError(`${message} ${CREDENTIALS}`, answer, { operation })
  return undefined
}

/** A refused upgrade whose message can say more; that of a 429 does already. */
export function refineRefusal(error: unknown): unknown {
  if (!(error instanceof SocketError) || error.code !== 'socket-refused' || error.status !== 401) return error
  const { status, headers, body, retryAfterMs, operation } = error
  return new SocketError(
    'socket-refused',
    `${error.message} ${CREDENTIALS}`,
    { refusal: { status, headers: () => headers, body, retryAfterMs } },
    operation === undefined ? {} : { operation },
  )
}
