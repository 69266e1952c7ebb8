import { expect, it } from 'vitest'
import * as z from 'zod'

import { presets } from '../src/presets.ts'
import { inRealTime, offline, samples, wav } from './offline.ts'
import { bytes, rejection, take } from './support.ts'

const transcript = z.object({
  type: z.literal('Transcript'),
  text: z.string(),
  start: z.number(),
  end: z.number(),
})
const raw = { encoding: 'linear16' }

it('transcribes a stream of any length, with its options', async () => {
  const { speech, emulator } = await offline()
  emulator.speech.control.scriptTranscript({ text: 'hello there', on: 'transcribe' })
  async function* audio() {
    yield wav(0)
    for (let second = 0; second < 100; second += 1) yield samples(1000)
  }
  const schema = z.object({ text: z.string(), duration: z.number(), summary: z.string() })
  const result = await speech.transcribe(audio(), { model: 'nova-3', summarize: true }, { schema })
  expect(result.text).toBe('hello there')
  expect(result.duration).toBeCloseTo(100, 0)
})

it('calls and channels work without a credential if the service demands none, and fail clearly if it does', async () => {
  const { emulator, client } = await offline({
    choices: {
      acceptsCredential: ({ target, credential }) =>
        credential !== 'none' || target === 'listModels' || target === 'liveTranscription',
    },
  })
  expect(emulator.speech.apiKey).toBeTypeOf('string')
  const speech = client({ apiKey: undefined })
  await speech.models()
  await using live = await speech.listen(raw)
  expect(live.state).toBe('open')
  const denied = await rejection(speech.api.grantToken())
  expect(denied).toMatchObject({ status: 401, message: expect.stringContaining('apiKey') })
  expect(await rejection(speech.converse({}))).toMatchObject({ code: 'socket-denied', status: 401 })
})

it('transcribes live audio in real time', async () => {
  const { speech, clock, emulator } = await offline()
  emulator.speech.control.scriptTranscript({ text: 'one two three four five six seven eight nine ten' })
  await using live = await speech.listen(raw, { schema: transcript })
  const sending = live.sendFrom(inRealTime(clock, 4000))
  const events = await take(live, 2)
  await sending
  expect(events.map((event) => event.type === 'event' && event.data.text)).toEqual([
    'one two three four five',
    'six seven eight nine ten',
  ])
})

it("requests a token for every connection, and an expired token doesn't end an open connection", async () => {
  const { speech, client, clock, emulator } = await offline()
  const user = client({ accessToken: speech.tokenSource(presets.emulator.grant) })
  const { control } = emulator.speech
  await using live = await user.listen(raw, { reconnect: true })
  await clock.advance(5 * 60_000)
  expect(live.state).toBe('open')
  control.dropConnection(control.connections().at(-1)?.id ?? -1)
  expect(await take(live, 1)).toMatchObject([{ type: 'reconnected' }])
  const grants = control.requests().filter(({ path }) => path === '/v1/auth/grant')
  expect(grants).toHaveLength(2)
})

it('a conversation yields turns, and can be configured while it runs', async () => {
  const { speech } = await offline()
  await using conversation = await speech.converse(raw)
  const applied = await conversation.configure({ thresholds: { eot_threshold: 0.9 }, keyterms: ['ferry'] })
  expect(applied).toEqual({
    type: 'ConfigureSuccess',
    thresholds: { eot_threshold: '0.9', eot_timeout_ms: '5000' },
    keyterms: ['ferry'],
  })
  const kept = await conversation.configure({ thresholds: { eot_timeout_ms: 800 } })
  expect(kept).toMatchObject({ thresholds: { eot_threshold: '0.9', eot_timeout_ms: '800' } })
  await conversation.sendAudio(samples(4000))
  const events = await take(conversation, 2)
  expect(events.every(({ type }) => type === 'event')).toBe(true)
  expect(events[0]?.data).toMatchObject({ turn_index: 0 })
})

it('R-54: a conversation is configured again after a loss', async () => {
  const { speech, emulator } = await offline()
  const { control } = emulator.speech
  await using conversation = await speech.converse({}, { reconnect: true })
  await conversation.configure({ thresholds: { eot_threshold: 0.4 } })
  control.dropConnection(control.connections().at(-1)?.id ?? -1)
  const [gap, again] = await take(conversation, 2)
  expect(gap).toMatchObject({ type: 'reconnected', data: { replayed: 1 } })
  expect(again).toMatchObject({ type: 'configured', data: { thresholds: { eot_threshold: '0.4' } } })
})

it('speak() returns a playable file, whose length depends on the text', async () => {
  const { speech } = await offline()
  const spoken = await speech.speak(presets.emulator.speakRequest('The ferry leaves at nine.'))
  const file = await spoken.bytes()
  expect(new TextDecoder().decode(file.subarray(0, 4))).toBe('RIFF')
  const longer = await (
    await speech.speak(presets.emulator.speakRequest('The ferry leaves at nine. '.repeat(2)))
  ).bytes()
  expect(longer.length).toBeGreaterThan(1.9 * file.length)
  expect(spoken.contentType).toMatch(/^audio\//)
})

it('DATA-0001 slows speakStream() down until everything is spoken, in order and without a repetition', async () => {
  const { speech, clock, emulator } = await offline({ choices: { limits: { charactersPerMinute: 20 } } })
  const texts = ['a'.repeat(15), 'b'.repeat(15), 'c'.repeat(15)]
  let size = 0
  for await (const audio of speech.speakStream(texts, presets.emulator.synthesis)) size += audio.length
  expect(size).toBe(45 * 60 * 48)
  expect(clock.elapsedMs).toBeGreaterThan(100_000)
  const sent = emulator.speech.control.connections().at(-1)
  expect(sent).toBeDefined()
})

it('the agent replies to speech with speech', async () => {
  const { speech, emulator } = await offline()
  emulator.speech.control.scriptReply({ text: 'Good morning.' })
  await using agent = await speech.agent({}, presets.emulator.agent)
  await agent.sendAudio(samples(2000))
  let size = 0
  for await (const event of agent) {
    if (event.type === 'audio') size += event.data.length
    else if ((event.data as { type: string }).type === 'AgentAudioEnd') break
  }
  expect(size).toBe('Good morning.'.length * 60 * 48)
})

it('R-56: the agent hears audio that was sent before its settings were acknowledged', async () => {
  const { speech, emulator } = await offline({ choices: { timing: { settings: 3000 } } })
  await using agent = await speech.agent({}, presets.emulator.agent)
  await agent.sendFrom([samples(1000), bytes(), samples(1000)])
  await agent.ready
  await take(agent, 2)
  // Without an encoding the emulator counts 16,000 bytes as a second.
  expect(emulator.speech.state.connections).toMatchObject([{ heardMs: 4000, settled: true }])
})
