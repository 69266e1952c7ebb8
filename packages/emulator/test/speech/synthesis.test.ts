import { expect, it } from 'vitest'

import { startSpeech } from '../support/speech.ts'

it('a stream of synthesis sends the audio of each string in frames, and then its end', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open('/v1/speak')
  socket.send({ text: 'Hello' })
  socket.send({ type: 'Speak', text: 'again' })
  await speech.settle()
  const kinds = socket.received.map((frame) => (typeof frame === 'string' ? 'event' : frame.byteLength))
  expect(kinds).toEqual([4_800, 4_800, 4_800, 'event', 4_800, 4_800, 4_800, 'event'])
  expect(socket.json()).toEqual([
    { type: 'SpeechEnd', index: 0, duration: 0.3 },
    { type: 'SpeechEnd', index: 1, duration: 0.3 },
  ])
  const samples = new Int16Array(new Uint8Array(socket.bytes()).buffer)
  expect(Math.max(...samples)).toBeGreaterThan(5_000)
  expect(speech.service.state.connections).toMatchObject([{ channel: 'speechStream', characters: 10 }])
})

it('a stream of synthesis sends frames at the chosen interval, one text after another', async () => {
  await using speech = await startSpeech({ choices: { timing: { frameInterval: 100 } } })
  const socket = await speech.open('/v1/speak')
  socket.send({ text: 'abcde' })
  socket.send({ text: 'f' })
  await speech.settle()
  expect(socket.received.length).toBe(1)
  await speech.advance(200)
  expect(socket.received.length).toBe(3)
  await speech.advance(100)
  expect(socket.json().length).toBe(1)
  await speech.advance(100)
  expect(socket.json().length).toBe(2)
})

it('a stream of synthesis responds to an empty text with 400, and continues', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open('/v1/speak')
  socket.send({ text: '' })
  socket.send({ text: 'x' })
  await speech.settle()
  expect(socket.json()).toMatchObject([{ type: 'Problem', code: '400' }, { type: 'SpeechEnd' }])
  expect(speech.control.violations()).toMatchObject([{ mismatches: [{ path: 'message/text' }] }])
})

it('a stream of synthesis responds with DATA-0001 above the character rate, and speaks again once there is room', async () => {
  await using speech = await startSpeech({ choices: { limits: { charactersPerMinute: 10 } } })
  const socket = await speech.open('/v1/speak')
  socket.send({ text: '12345678' })
  socket.send({ text: 'abc' })
  await speech.settle()
  expect(socket.json()).toMatchObject([{ type: 'SpeechEnd' }, { code: 'DATA-0001' }])
  expect(socket.closed).toBeUndefined()
  await speech.advance(60_000)
  socket.send({ text: 'abc' })
  await speech.settle()
  expect(socket.json().length).toBe(3)
  const other = await speech.open('/v1/speak')
  other.send({ text: '12345678' })
  await speech.settle()
  expect(other.json()).toMatchObject([{ code: 'DATA-0001' }])
})

it('a stream of synthesis rejects messages without text to speak', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open('/v1/speak')
  socket.send(new Uint8Array([1]))
  socket.send(new Uint8Array())
  socket.send({ type: 'KeepAlive' })
  await speech.settle()
  expect(socket.json()).toMatchObject([
    { message: expect.stringContaining('must not be binary') },
    { message: expect.stringContaining('must not be binary') },
    { message: expect.stringContaining("must have required property 'text'") },
  ])
  expect(socket.closed).toBeUndefined()
})

const settings = { voice: 'any' }

it('the voice agent acknowledges Settings, listens, and replies with text and audio', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open('/v1/agent/converse')
  socket.send(settings)
  await speech.advance(20)
  expect(socket.json()).toEqual([{ type: 'SettingsAccepted' }])
  socket.send(new Uint8Array(32_000))
  await speech.settle()
  const reply = 'You said: the ferry leaves at nine.'
  expect(socket.json().slice(1)).toEqual([
    { type: 'ConversationText', role: 'user', text: 'the ferry leaves at nine', turn: 0 },
    { type: 'ConversationText', role: 'agent', text: reply, turn: 0 },
    { type: 'AgentAudioEnd', turn: 0 },
  ])
  expect(socket.bytes().length).toBe(reply.length * 60 * 48)
})

it('the voice agent ignores and drops everything before its Settings are acknowledged, without a response', async () => {
  await using speech = await startSpeech()
  const socket = await speech.open('/v1/agent/converse')
  socket.send(new Uint8Array(64_000))
  socket.send('not JSON')
  socket.send('[]')
  await speech.advance(10_000)
  socket.send(settings)
  socket.send(new Uint8Array(64_000))
  await speech.advance(10_000)
  expect(socket.json()).toEqual([{ type: 'SettingsAccepted' }])
  expect(speech.service.state.connections).toMatchObject([{ settled: true, heardMs: 0 }])
  socket.send('not JSON')
  await speech.settle()
  expect(socket.json()[1]).toMatchObject({ code: 'message-rejected' })
})

it('the voice agent replies to a short utterance after a silence, with scripted words in both directions', async () => {
  await using speech = await startSpeech()
  speech.control.scriptTranscript({ text: 'hello there', on: 'agent' })
  speech.control.scriptReply({ text: 'Good day.' })
  const socket = await speech.open('/v1/agent/converse')
  socket.send({ type: 'Settings' })
  await speech.advance(20)
  socket.send(new Uint8Array(16_000))
  await speech.advance(1_000)
  expect(socket.json().map(({ text }) => text)).toEqual([undefined, 'hello there', 'Good day.', undefined])
})

it('the voice agent does not mistake other messages for Settings, and rejects Settings by choice', async () => {
  await using speech = await startSpeech({
    choices: {
      checkConfiguration: ({ values }) => (values['voice'] === 'bad' ? 'there is no such voice' : undefined),
    },
  })
  const socket = await speech.open('/v1/agent/converse')
  socket.send({ type: 'KeepAlive' })
  await speech.advance(1_000)
  expect(socket.received).toEqual([])
  socket.send({ voice: 'bad' })
  await speech.advance(1_000)
  expect(socket.json()).toMatchObject([
    { code: 'settings-rejected', message: 'The settings are invalid: there is no such voice.' },
  ])
})

it('the voice agent ends with 1011 if its choice fails, and the message says where', async () => {
  const lines: string[] = []
  await using speech = await startSpeech(
    { choices: { agentReply: () => JSON.parse('{') as string } },
    { log: (level, message) => lines.push(`${level} ${message}`) },
  )
  const socket = await speech.open('/v1/agent/converse')
  socket.send({})
  await speech.advance(20)
  socket.send(new Uint8Array(32_000))
  await socket.over
  expect(socket.closed?.code).toBe(1011)
  expect(socket.closed?.error).toMatchObject({
    code: 'choice-failed',
    choice: 'agentReply',
    during: 'agent',
    cause: expect.any(SyntaxError),
  })
  expect(lines).toEqual([
    expect.stringMatching(
      /^error speech: agent: During `agent`, the choice `agentReply` of `speech` threw an error: .*\n.*SyntaxError.*\n +at /s,
    ),
  ])
})
