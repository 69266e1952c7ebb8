import { type Clock, type RandomSource, SocketError } from '@concord/runtime'

import { speechCode } from './codes.ts'
import { refineSocketError } from './errors.ts'
import { toEvent } from './events.ts'
import type { AnyReceived, OpenChannel } from './open-channel.ts'
import type { SynthesisSettings, TextSource } from './synthesis.ts'
import { SynthesisPacer } from './synthesis-pacer.ts'

/**
 * Opens a connection, sends the text as it comes, and gives the audio as it comes. Leaving the loop ends it all.
 *
 * @param open Opens the connection.
 */
export async function* synthesisAudio(
  open: () => Promise<OpenChannel>,
  source: TextSource,
  settings: SynthesisSettings,
  timing: { readonly clock: Clock; readonly random: RandomSource },
): AsyncGenerator<Uint8Array, void, undefined> {
  const connection = await open()
  const pacer = new SynthesisPacer(connection, settings, timing)
  const messages = connection[Symbol.asyncIterator]()
  void pacer.run(source)
  const finished = pacer.done.then(() => 'finished' as const)
  // Only what is still waited for may fail unseen.
  finished.catch(() => undefined)
  try {
    for (;;) {
      const next = messages.next()
      next.catch(() => undefined)
      const result = await Promise.race([next, finished])
      if (result === 'finished') return
      if (result.done === true) return checkEnd(pacer, settings)
      const audio = await take(result.value, pacer, settings)
      if (audio !== undefined) yield audio
    }
  } catch (error) {
    if (error instanceof SocketError && error.code === 'socket-closed' && speechCode(error) === 'DATA-0001')
      throw pacer.rateError(
        'the service ended the connection at its character rate limit (DATA-0001).',
        error,
      )
    throw refineSocketError(error)
  } finally {
    pacer.stop()
    await connection.close()
  }
}

async function take(
  received: AnyReceived,
  pacer: SynthesisPacer,
  settings: SynthesisSettings,
): Promise<Uint8Array | undefined> {
  const { data } = received
  if (received.message === 'audio') {
    pacer.heard()
    return data as Uint8Array
  }
  const event = await toEvent(received, settings.schema)
  if (event.type === 'event' || event.type === 'other') settings.onEvent?.(event)
  if (settings.pace.limited(data)) pacer.limited()
  else if (settings.spoken !== 'close') pacer.spoken(Number(settings.spoken(data)))
  return undefined
}

/** The service closed the connection as it should be closed; whether everything was spoken is another question. */
function checkEnd(pacer: SynthesisPacer, { spoken }: SynthesisSettings): void {
  if (spoken === 'close' && pacer.textIsOver) return
  throw new SocketError(
    'socket-closed',
    'speechStream: the service closed the connection before everything was spoken. The audio that came is not whole.',
    { closeCode: 1000 },
    { operation: 'speechStream' },
  )
}
