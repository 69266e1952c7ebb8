import { expect, it } from 'vitest'

import type { ConverseOptions, ListenOptions, Speech, Typed } from '../src/index.ts'
import type { SpeechOptions } from '../src/index.ts'
import type { StandardSchema } from '@concord/runtime'

// What stands here is never run: the compiler judges it.
declare const speech: Speech
declare const listen: ListenOptions
declare const converse: ConverseOptions

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
  // @ts-expect-error an API key or a JWT, not both
  const both: SpeechOptions = { apiUrl: 'https://a', apiKey: 'a', accessToken: 'b' }
  void both
}

export async function right(): Promise<void> {
  const withoutCredential: SpeechOptions = { apiUrl: 'https://a' }
  void withoutCredential
  void speech.converse({ model: 'flux-general-en', encoding: 'any' })
  void speech.listen({ model: 'base', summarize: true, redact: ['a'] })
  const conversation = await speech.converse()
  await conversation.configure({ thresholds: { eot_threshold: 0.7, eot_timeout_ms: 3000 } })
}

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false
const holds = <_Statement extends true>(): void => {}
holds<Same<Typed<never>, unknown>>()
holds<Same<Typed<StandardSchema<string, number>>, number>>()

it('is judged by the compiler, which `npm test` runs over this file', () => {
  expect(typeof wrong).toBe('function')
})
