import { expect, it } from 'vitest'

import type { StandardSchema } from '@concord/runtime'

import {
  type AppliedConfiguration,
  type Conversation,
  type ConverseOptions,
  conversation as conversationChannel,
  type ListenOptions,
  type Speak,
  type Speech,
  type SpeechOptions,
  speechStream,
  type Thresholds,
  type Typed,
} from '../src/index.ts'

// Only the compiler reads this code; it never runs.
declare const conversation: Conversation
declare const speech: Speech
declare const listen: ListenOptions
declare const converse: ConverseOptions
declare const schema: StandardSchema<unknown, { readonly eot: number }>

export function wrong(): void {
  // @ts-expect-error flux alone is not a model
  void speech.converse({ model: 'flux' })
  // @ts-expect-error a model of the other family
  void speech.converse({ model: 'nova-3' })
  // @ts-expect-error unavailable on /v2/listen
  void speech.converse({ smart_format: true })
  // @ts-expect-error unavailable on /v2/listen
  void speech.converse({ diarize: true })
  // @ts-expect-error unavailable on /v2/listen
  void speech.converse({ punctuate: true })
  // @ts-expect-error an option of /v1/listen only
  void speech.converse({ utterance_end_ms: 1000 })
  // @ts-expect-error the options of the two families do not mix
  void speech.converse(listen)
  // @ts-expect-error the options of the two families do not mix
  void speech.listen(converse)
  // @ts-expect-error a model of the other family
  void speech.listen({ model: 'flux-general-en' })
  // @ts-expect-error the acknowledgement has no default
  void speech.agent({})
  // @ts-expect-error the end of synthesis has no default
  void speech.speakStream('a')
  // @ts-expect-error an agent has no query
  void speech.agent({}, { acknowledged: () => true, query: {} })
  // @ts-expect-error a misspelled threshold
  void conversation.configure({ thresholds: { eot_treshold: 0.8 } })
  // @ts-expect-error a threshold is a number
  void conversation.configure({ thresholds: { eot_threshold: '0.8' } })
  // @ts-expect-error a misspelled field
  void conversation.configure({ keyterm: ['ferry'] })
  // @ts-expect-error a misspelled threshold on the wire
  const thresholds: Thresholds = { eot_treshold: '0.8' }
  // @ts-expect-error a text is required
  const speak: Speak = { type: 'Speak' }
  // @ts-expect-error an API key or a JWT, not both
  const both: SpeechOptions = { apiUrl: 'https://a', apiKey: 'a', accessToken: 'b' }
  void [both, thresholds, speak]
}

export async function right(): Promise<void> {
  const withoutCredential: SpeechOptions = { apiUrl: 'https://a' }
  void withoutCredential
  void speech.converse({ model: 'flux-general-en', encoding: 'any' })
  void speech.listen({ model: 'base', summarize: true, redact: ['a'] })
  const applied = await conversation.configure({ thresholds: { eot_threshold: 0.7, eot_timeout_ms: 3000 } })
  holds<Same<typeof applied, AppliedConfiguration>>()
  // The names and forms of echoed values aren't documented, so they can be read without a cast, as unknown.
  holds<Same<typeof applied.thresholds, unknown>>()
  holds<Same<(typeof applied)['any_other'], unknown>>()
  const typed = await conversation.configure({}, { schema })
  holds<Same<typeof typed, { readonly eot: number }>>()
  const raw = await speech.connect(conversationChannel)
  const reply = await raw.request('configure', { type: 'Configure' })
  if (reply.message === 'configureSuccess') holds<Same<typeof reply.data.thresholds, unknown>>()
  const stream = await speech.connect(speechStream)
  await stream.send('speak', { type: 'Speak', text: 'a' })
  await stream.send('speak', { text: 'a' })
}

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false
const holds = <_Statement extends true>(): void => {}
holds<Same<Typed<never>, unknown>>()
holds<Same<Typed<StandardSchema<string, number>>, number>>()

it('is checked by the compiler, which `npm test` runs on this file', () => {
  expect(typeof wrong).toBe('function')
})
