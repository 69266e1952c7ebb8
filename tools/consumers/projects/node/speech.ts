// The code of a team that uses the speech client; type-checked against the packed packages.
import {
  ConfigureDeniedError,
  presets,
  Speech,
  type ConverseOptions,
  type ListenOptions,
  type SpeechOptions,
} from '@concord/speech'
import { configure, keepAlive, speak, type Configure, type ListenModel } from '@concord/speech-validators'
import * as z from 'zod'

const Heard = z.object({ text: z.string(), start: z.number() })

export async function heard(
  apiUrl: string,
  apiKey: string,
  microphone: AsyncIterable<Uint8Array>,
): Promise<number> {
  await using speech = new Speech({ apiUrl, apiKey })
  const { text } = await speech.transcribe('meeting.wav', { model: 'nova-3' }, { schema: Heard })
  await using live = await speech.listen(
    { model: 'nova-3', smart_format: true },
    { schema: Heard, reconnect: true },
  )
  void live.sendFrom(microphone)
  for await (const event of live) {
    if (event.type === 'event') return event.data.start
    if (event.type === 'reconnected') console.log(text, event.data.gapMs)
  }
  return 0
}

export async function spoken(speech: Speech): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const audio of speech.speakStream(['The ferry '], presets.emulator.synthesis)) pieces.push(audio)
  const agent = await speech.agent({}, presets.emulator.agent)
  for await (const event of agent) if (event.type === 'audio') pieces.push(event.data)
  return pieces
}

export async function configured(speech: Speech): Promise<void> {
  const conversation = await speech.converse({ model: 'flux-general-en' })
  await conversation.configure({ thresholds: { eot_threshold: 0.8 } }).catch((error: unknown) => {
    if (ConfigureDeniedError.is(error)) console.warn(error.reply)
  })
}

export async function mistakesDoNotCompile(
  speech: Speech,
  v1: ListenOptions,
  v2: ConverseOptions,
): Promise<void> {
  // @ts-expect-error: `flux` alone is no model
  await speech.converse({ model: 'flux' })
  // @ts-expect-error: a model of the other family
  await speech.listen({ model: 'flux-general-en' })
  // @ts-expect-error: unavailable on /v2/listen
  await speech.converse({ punctuate: true })
  // @ts-expect-error: options of the other family
  await speech.converse(v1)
  // @ts-expect-error: options of the other family
  await speech.listen(v2)
  // @ts-expect-error: no option says how to recognize the end of the audio
  speech.speakStream('a text')
  // @ts-expect-error: a key or a JWT, not both
  const both: SpeechOptions = { apiUrl: 'https://speech.example', apiKey: 'k', accessToken: 't' }
  console.log(both)
}

export function composed(value: unknown): Configure | undefined {
  const FromClient = z.union([keepAlive, configure, speak])
  const model: ListenModel = 'nova-3'
  const message = FromClient.parse(value)
  return 'thresholds' in message && model === 'nova-3' ? (message as Configure) : undefined
}
