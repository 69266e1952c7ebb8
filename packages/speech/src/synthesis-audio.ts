import type { Clock, RandomSource } from '@concord/runtime'

import type { OpenChannel } from './open-channel.ts'
import type { SynthesisSettings, TextSource } from './synthesis.ts'
import { Synthesizer } from './synthesizer.ts'

/**
 * Opens a connection, sends the text as it comes, and yields the audio as it comes. Leaving the loop or aborting ends all
 * of it at once.
 *
 * @param open Opens the connection.
 */
export async function* synthesisAudio(
  open: () => Promise<OpenChannel>,
  source: TextSource,
  settings: SynthesisSettings,
  timing: { readonly clock: Clock; readonly random: RandomSource },
): AsyncGenerator<Uint8Array, void, undefined> {
  const synthesizer = new Synthesizer(await open(), settings, timing)
  synthesizer.speak(source).then(
    () => synthesizer.finish(),
    (error: unknown) => synthesizer.fail(error),
  )
  try {
    yield* { [Symbol.asyncIterator]: () => synthesizer[Symbol.asyncIterator]() }
  } finally {
    synthesizer.finish()
  }
}
