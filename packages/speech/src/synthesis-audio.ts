import { type Clock, type RandomSource, SocketError } from '@concord/runtime'

import { speechCode } from './codes.ts'
import { refineSocketError } from './errors.ts'
import { toEvent } from './events.ts'
import type { AnyReceived, OpenChannel } from './open-channel.ts'
import type { SynthesisSettings, TextSource } from './synthesis.ts'
import { SynthesisPacer } from './synthesis-pacer.ts'

/** Ends the connection when everything was spoken; nobody gets to see it. */
const SPOKEN = new Error('everything was spoken')

/**
 * Opens a connection, sends the text as it comes, and gives the audio as it comes. Leaving the loop ends it all.
 *
 * @param open Opens the connection, which ends with the signal.
 */
export async function* synthesisAudio(
  open: (signal: AbortSignal) => Promise<OpenChannel>,
  source: TextSource,
  settings: SynthesisSettings,
  timing: { readonly clock: Clock; readonly random: RandomSource },
): AsyncGenerator<Uint8Array, void, undefined> {
  const over = new AbortController()
  const { signal } = settings
  const connection = await open(signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]))
  const pacer = new SynthesisPacer(connection, settings, timing)
  // The reader may be waiting for a message that will not come any more.
  pacer.done.then(
    () => over.abort(SPOKEN),
    (error: unknown) => over.abort(error),
  )
  void pacer.run(source)
  try {
    for await (const received of { [Symbol.asyncIterator]: () => connection[Symbol.asyncIterator]() }) {
      const audio = await take(received, pacer, settings)
      if (audio !== undefined) yield audio
    }
    checkEnd(pacer, settings)
  } catch (error) {
    if (error === SPOKEN) return
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
