import { expect, it } from 'vitest'

import { encodeWav } from '../../src/speech/audio/wav.ts'
import { pcm, startSpeech } from '../support/speech.ts'

const PATH = '/v1/listen?model=nova-3&encoding=linear16'
const KEEP_ALIVE = { type: 'KeepAlive' }

it('live transcription sends transcripts as the audio arrives, with times from zero', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open(PATH)
  for (let piece = 0; piece < 19; piece++) socket.send(pcm(100))
  await speech.settle()
  expect(socket.received).toEqual([])
  for (let piece = 0; piece < 21; piece++) socket.send(pcm(100))
  await speech.settle()
  expect(socket.json()).toMatchObject([
    { type: 'Transcript', text: 'the ferry leaves at nine', start: 0, end: 2 },
    { type: 'Transcript', text: 'and the harbour is quiet', start: 2, end: 4 },
  ])
})

it('live transcription starts at zero on each connection', async () => {
  await using speech = await startSpeech()
  for (let connection = 0; connection < 2; connection++) {
    const socket = await speech.open(PATH)
    socket.send(pcm(2_000))
    await speech.advance(3_000)
    expect(socket.json()).toMatchObject([{ start: 0, end: 2 }])
    socket.close()
  }
})

it('live transcription uses scripted words once, on the channel that they are for', async () => {
  await using speech = await startSpeech()
  speech.control.scriptTranscript({ text: 'one two', on: 'liveTranscription' })
  speech.control.scriptTranscript({ text: 'elsewhere', on: 'conversation', times: 'always' })
  const first = await speech.open(PATH)
  first.send(pcm(4_000))
  const second = await speech.open(PATH)
  second.send(pcm(2_000))
  await speech.settle()
  expect(first.json().map(({ text }) => text)).toEqual(['one two', ''])
  expect(second.json().map(({ text }) => text)).toEqual(['the ferry leaves at nine'])
  expect(() => speech.control.scriptTranscript({ text: 'x', times: 0 })).toThrow('`times` must be')
})

it('live transcription transcribes the remaining audio after a silence', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open(PATH)
  socket.send(pcm(700))
  await speech.advance(999)
  expect(socket.received).toEqual([])
  await speech.advance(1)
  expect(socket.json()).toMatchObject([{ text: 'the', start: 0, end: 0.7 }])
  await speech.advance(5_000)
  expect(socket.received.length).toBe(1)
})

it('live transcription emits voice activity and utterance ends if utterance_end_ms is set', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open(`${PATH}&utterance_end_ms=1500`)
  socket.send(pcm(800))
  await speech.advance(1_499)
  socket.send(pcm(400))
  await speech.advance(1_499)
  expect(socket.json().map(({ type }) => type)).toEqual(['VoiceActivity', 'Transcript', 'Transcript'])
  await speech.advance(1)
  expect(socket.json().at(-1)).toEqual({ type: 'UtteranceEnd', last_word_end: 1.12 })
  socket.send(pcm(100))
  await speech.settle()
  expect(socket.json().at(-1)).toEqual({ type: 'VoiceActivity', at: 1.2 })
})

it('live transcription reads the length of a WAV stream from its header', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open('/v1/listen')
  const wav = encodeWav(new Int16Array(8_000 * 2), 8_000)
  socket.send(wav.subarray(0, 20))
  socket.send(wav.subarray(20, 60))
  socket.send(wav.subarray(60))
  await speech.advance(1_000)
  expect(socket.json()).toMatchObject([{ start: 0, end: 2 }])
})

it('live transcription ends with DATA-0000 for a WAV file with an encoding', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open(PATH)
  socket.send(encodeWav(new Int16Array(100), 16_000))
  await socket.over
  const message = 'The encoding does not match the audio.'
  expect(socket.json()).toEqual([{ type: 'Problem', code: 'DATA-0000', message }])
  expect(socket.closed).toEqual({ code: 4000, reason: `DATA-0000: ${message}` })
})

it('live transcription returns garbled output if `encodingMismatch` says so', async () => {
  await using speech = await startSpeech({ choices: { encodingMismatch: () => 'garbled' } })
  speech.control.scriptTranscript({ text: 'the ferry', times: 2 })
  const socket = await speech.open(PATH)
  socket.send(encodeWav(new Int16Array(16_000), 16_000))
  await speech.advance(1_000)
  expect(socket.json()).toMatchObject([{ text: 'eht yrref' }])
  expect(socket.closed).toBeUndefined()
  const right = await speech.open('/v1/listen')
  right.send(encodeWav(new Int16Array(16_000), 16_000))
  await speech.advance(1_000)
  expect(right.json()).toMatchObject([{ text: 'the ferry' }])
})

it.each([
  ['Ogg', new TextEncoder().encode('OggS and more')],
  ['MP3 with a tag', new TextEncoder().encode('ID3 and more')],
  ['MP3 without a tag', mp3Frames()],
])('live transcription also recognizes %s', async (_, bytes) => {
  await using speech = await startSpeech()
  const socket = await speech.open(PATH)
  socket.send(bytes)
  await speech.settle()
  expect(socket.json()).toMatchObject([{ code: 'DATA-0000' }])
  const right = await speech.open('/v1/listen')
  right.send(bytes)
  await speech.settle()
  expect(right.received).toEqual([])
})

it('live transcription does not mistake raw samples for MP3', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open(PATH)
  socket.send(new Uint8Array(2_000).fill(0xff))
  const other = await speech.open(PATH)
  other.send(new Uint8Array(1_000).fill(7))
  const oneFrame = await speech.open(PATH)
  oneFrame.send(mp3Frames().subarray(0, 417))
  oneFrame.send(new Uint8Array(1_000).fill(7))
  await speech.settle()
  for (const { received } of [socket, other, oneFrame]) expect(received).toEqual([])
})

it('live transcription closes after 10 seconds without audio, unless KeepAlive is sent as text', async () => {
  await using speech = await startSpeech()
  const [kept, left] = [await speech.open(PATH), await speech.open(PATH)]
  for (let round = 0; round < 10; round++) {
    await speech.advance(4_000)
    kept.send(KEEP_ALIVE)
  }
  await speech.settle()
  expect(left.closed).toEqual({ code: 4008, reason: 'The service received no audio for 10 seconds.' })
  expect(speech.control.connections()[1]?.closed?.at).toBe(Date.UTC(2026, 0, 5, 9) + 10_000)
  expect(kept.closed).toBeUndefined()
  expect(kept.received).toEqual([])
  await speech.advance(9_999)
  kept.send(pcm(10))
  await speech.advance(9_999)
  expect(kept.closed).toBeUndefined()
  await speech.advance(1)
  expect(kept.closed?.code).toBe(4008)
})

it('live transcription does not count other text as a keep-alive', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open(PATH)
  await speech.advance(6_000)
  socket.send({ type: 'Hello' })
  await speech.advance(4_000)
  expect(socket.closed?.code).toBe(4008)
  expect(socket.json()).toMatchObject([{ type: 'Problem', code: 'message-rejected' }])
})

it('live transcription stalls after a binary KeepAlive without a message', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open(PATH)
  socket.send(new TextEncoder().encode(JSON.stringify(KEEP_ALIVE)))
  socket.send(pcm(4_000))
  socket.send(KEEP_ALIVE)
  socket.send(pcm(4_000))
  await speech.advance(5_000)
  expect(socket.received).toEqual([])
  expect(socket.closed).toBeUndefined()
  expect(speech.service.state.connections).toMatchObject([{ stalled: true, heardMs: 0 }])
})

it('live transcription continues after a stall if `stallEnds` says so', async () => {
  await using speech = await startSpeech({
    choices: { binaryKeepAlive: { stallEnds: 'with-text-keep-alive' } },
  })
  const socket = await speech.open(PATH)
  socket.send(new TextEncoder().encode(JSON.stringify(KEEP_ALIVE)))
  socket.send(KEEP_ALIVE)
  socket.send(pcm(2_000))
  await speech.settle()
  expect(socket.json()).toMatchObject([{ type: 'Transcript' }])
})

/** Two MPEG-1 layer III frames of 128 kbit/s at 44.1 kHz. */
function mp3Frames(): Uint8Array {
  const bytes = new Uint8Array(417 * 2)
  for (const offset of [0, 417]) bytes.set([0xff, 0xfb, 0x90, 0x00], offset)
  return bytes
}
