import { expect, it } from 'vitest'

import { encodeWav } from '../../src/speech/audio/wav.ts'
import { pcm, startSpeech } from '../support/speech.ts'

const PATH = '/v2/listen?model=flux-general-en&encoding=linear16'

it('conversational transcription sends turns with an index: start, updates, eager end and end', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open(PATH)
  for (let piece = 0; piece < 50; piece++) socket.send(pcm(100))
  await speech.settle()
  const told = socket.json().map(({ event, turn_index, start, end }) => [event, turn_index, start, end])
  expect(told).toEqual([
    ['turn-start', 0, 0, 0],
    ['turn-update', 0, 0, 1],
    ['turn-update', 0, 0, 2],
    ['turn-update', 0, 0, 3],
    ['eager-end-of-turn', 0, 0, 3.5],
    ['end-of-turn', 0, 0, 4],
    ['turn-start', 1, 4, 4],
    ['turn-update', 1, 4, 5],
  ])
  expect(socket.json()[5]).toMatchObject({ text: 'the ferry leaves at nine and the harbour is quiet' })
})

it('conversational transcription sends the same events for one large piece of audio as for many small ones', async () => {
  await using speech = await startSpeech()
  const [small, large] = [await speech.open(PATH), await speech.open(PATH)]
  for (let piece = 0; piece < 90; piece++) small.send(pcm(100))
  large.send(pcm(9_000))
  await speech.settle()
  expect(large.received).toEqual(small.received)
  expect(large.received.length).toBe(14)
})

it('conversational transcription ends a turn when no audio comes for eot_timeout_ms', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open(PATH)
  socket.send({ type: 'Configure', thresholds: { eot_timeout_ms: '700' } })
  socket.send(pcm(1_200))
  await speech.advance(699)
  expect(socket.json().map(({ event }) => event)).toEqual([undefined, 'turn-start', 'turn-update'])
  await speech.advance(1)
  expect(socket.json().slice(3)).toMatchObject([
    { event: 'eager-end-of-turn', end: 1.2 },
    { event: 'end-of-turn', end: 1.2, turn_index: 0, text: 'the ferry leaves' },
  ])
  socket.send(pcm(100))
  await speech.settle()
  expect(socket.json().at(-1)).toMatchObject({ event: 'turn-start', turn_index: 1, start: 1.2 })
})

it('conversational transcription is not closed because of silence', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open(PATH)
  await speech.advance(3_600_000)
  expect(socket.closed).toBeUndefined()
})

it('conversational transcription sends DATA-0000 for a container with an encoding, and denies one with a language', async () => {
  await using speech = await startSpeech()
  const wav = encodeWav(new Int16Array(100), 16_000)
  const socket = await speech.open(PATH)
  socket.send(wav)
  await socket.over
  expect(socket.closed?.reason).toMatch(/^DATA-0000/)
  const other = await speech.open('/v2/listen?language=en')
  other.send(wav)
  other.send(wav)
  await speech.settle()
  expect(other.json()).toMatchObject([
    { code: 'message-rejected', message: expect.stringContaining('language must not be set') },
    { event: 'turn-start' },
  ])
})

const configure = async (messages: object[], choices = {}) => {
  const speech = await startSpeech({ choices })
  const socket = await speech.open(PATH)
  for (const message of messages) socket.send({ type: 'Configure', ...message })
  await speech.settle()
  await speech.emulator.close()
  return { replies: socket.json(), control: speech.control }
}

it('Configure is confirmed with all current values, and keeps omitted thresholds', async () => {
  const { replies } = await configure([
    { thresholds: { eot_threshold: '0.8' } },
    { thresholds: { eot_timeout_ms: '3000' }, keyterms: ['ferry'] },
    { thresholds: {} },
    { keyterms: [] },
  ])
  const first = { eot_threshold: '0.8', eot_timeout_ms: '5000' }
  const later = { eot_threshold: '0.8', eot_timeout_ms: '3000' }
  expect(replies).toEqual([
    { type: 'ConfigureSuccess', thresholds: first, keyterms: [] },
    { type: 'ConfigureSuccess', thresholds: later, keyterms: ['ferry'] },
    { type: 'ConfigureSuccess', thresholds: later, keyterms: ['ferry'] },
    { type: 'ConfigureSuccess', thresholds: later, keyterms: [] },
  ])
})

it('Configure clears omitted key terms if `keytermsWhenOmitted` says so', async () => {
  const { replies } = await configure([{ keyterms: ['a'] }, {}], {
    conversation: { keytermsWhenOmitted: 'clear' },
  })
  expect(replies).toMatchObject([{ keyterms: ['a'] }, { keyterms: [] }])
})

it.each([
  [{ thresholds: { eot_threshold: '1.5' } }, 'eot_threshold must be from 0 to 1', 0],
  [{ thresholds: { eot_timeout_ms: '-1' } }, 'eot_timeout_ms must be from 0', 0],
  [{ thresholds: { eot_threshold: 0.5 } }, 'message/thresholds/eot_threshold must be string', 1],
  [{ thresholds: { eot_threshold: 'half' } }, 'must match pattern', 1],
  [{ keyterms: 'ferry' }, 'message/keyterms must be array', 1],
])('Configure with %j is rejected and changes nothing', async (message, reason, violations) => {
  const { replies, control } = await configure([message, {}])
  expect(replies).toMatchObject([
    { type: 'ConfigureFailure', reason: expect.stringContaining(reason) },
    {
      type: 'ConfigureSuccess',
      thresholds: { eot_threshold: '0.7', eot_timeout_ms: '5000' },
      keyterms: [],
    },
  ])
  expect(control.violations().length).toBe(violations)
})
