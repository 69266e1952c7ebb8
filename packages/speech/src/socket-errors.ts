import { OperationFailedError, SocketError } from '@concord/runtime'
import type { ConcordErrorOptions } from '@concord/runtime/internal'
import type { ConfigureFailure } from '@concord/speech-validators'

import { CREDENTIALS, speechCode } from './errors.ts'
import type { AnyReceived } from './open-channel.ts'

/**
 * DATA-0000: the connection ended because the encoding doesn't match the audio. Pass the actual encoding of the
 * audio, or omit `encoding` for mp3, wav and ogg. The client doesn't reconnect, because it would send the same audio.
 * If the service doesn't detect a mismatch, the output is garbled.
 *
 * @see `specs/speech/asyncapi.yaml#/info`
 * @public
 */
export class EncodingMismatchError extends SocketError {
  static override readonly errorName = 'speech.EncodingMismatchError'
}

/**
 * DATA-0001: the character rate limit on synthesis was reached. The client doesn't resend the text, for one of these
 * reasons: the connection has ended, several pieces were in flight, `spoken` is `'close'`, or all attempts
 * (`pace.attempts`) were used. Slow down instead of retrying immediately.
 *
 * @see `specs/speech/asyncapi.yaml#/channels/speechStream`
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

  /**
   * The pieces of text that the client took from a `TextSource`, but that weren't completely spoken. To continue,
   * speak these pieces and then the rest of the source. The pieces never appear in a log of this error.
   */
  get unspoken(): readonly string[] {
    return this.#unspoken
  }
}

/** The service denied a message. The form of the service's reply is not documented. */
class DeniedError<Reply> extends OperationFailedError {
  readonly #reply: Reply

  constructor(message: string, reply: Reply, options: ConcordErrorOptions) {
    super(message, { id: '', reason: '', advice: 'fix-input' }, options)
    this.#reply = reply
  }

  /** The reply as the service sent it. It never appears in a log of this error. */
  get reply(): Reply {
    return this.#reply
  }
}

/** The service replied to a `Configure` with `ConfigureFailure`: nothing was changed. @public */
export class ConfigureDeniedError extends DeniedError<ConfigureFailure> {
  static override readonly errorName = 'speech.ConfigureDeniedError'

  constructor(reply: ConfigureFailure, options: ConcordErrorOptions = {}) {
    super(
      "configure: the service denied the configuration. `reply` is the service's message, whose form is not documented. " +
        'Check the thresholds and the key terms.',
      reply,
      options,
    )
  }
}

/** The service denied the settings of an agent. @public */
export class SettingsDeniedError extends DeniedError<unknown> {
  static override readonly errorName = 'speech.SettingsDeniedError'

  constructor(reply: unknown, options: ConcordErrorOptions = {}) {
    super(
      'agent: the service denied the settings, so the connection was closed. `reply` is the event that denied them; its ' +
        'form is not documented. Check the settings.',
      reply,
      options,
    )
  }
}

/** Returns the connection's final error if a message or an error ends the connection for good. */
export function finalSocketError(cause: AnyReceived | SocketError, channel: string): Error | undefined {
  if (!(cause instanceof SocketError)) return messageError(cause, channel)
  if (cause instanceof EncodingMismatchError || cause instanceof CharacterRateError) return undefined
  if (cause.code === 'socket-denied') return deniedUpgrade(cause)
  return speechCode(cause) === 'DATA-0000'
    ? mismatchError('closed the connection with', channel, cause)
    : undefined
}

/** Ignores `reconnected` events, which the service doesn't send, and audio, which contains no code. */
function messageError({ type, data, message }: AnyReceived, channel: string): Error | undefined {
  if (type === 'reconnected' || message === 'audio' || speechCode(data) !== 'DATA-0000') return undefined
  return mismatchError('sent', channel)
}

function mismatchError(how: string, operation: string, cause?: SocketError): EncodingMismatchError {
  const { closeCode, reason, unsent } = cause ?? {}
  return new EncodingMismatchError(
    'socket-closed',
    `${operation}: the service ${how} DATA-0000, because the encoding doesn't match the audio. ` +
      'Pass the actual encoding of the audio, or omit `encoding` for mp3, wav and ogg.',
    { closeCode, reason, unsent },
    { operation, cause },
  )
}

function deniedUpgrade(error: SocketError): Error | undefined {
  if (error.status !== 401) return undefined
  const { status, headers, body, retryAfterMs, operation } = error
  return new SocketError(
    'socket-denied',
    `${error.message} ${CREDENTIALS} JWTs expire, so pass a function that returns a fresh JWT. The client calls ` +
      'the function for each connection.',
    { denial: { status, headers: () => headers, body, retryAfterMs } },
    { operation },
  )
}
