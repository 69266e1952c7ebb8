import {
  connect,
  createClient,
  type ChannelDescriptor,
  type Connection,
  tokenCredential,
} from '@concord/runtime'
import { type VirtualClock, virtualClock } from '@concord/runtime/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createEmulator, type SpeechOptions } from '../../src/index.ts'
import { SECOND } from '../support/speech.ts'

interface Sends {
  audio: Uint8Array
  keepAlive: object
  settings: object
}
interface Receives {
  audio: Uint8Array
  serverEvent: unknown
}
type Channel = ChannelDescriptor<{ encoding?: string }, Sends, Receives>

/** A handwritten version of a generated channel, because the emulator must not import a client. */
const channel = (id: string, address: string, more: Partial<Channel> = {}): Channel => ({
  id,
  address,
  server: 'apiUrl',
  security: ['apiKey'],
  query: [],
  sends: {
    audio: { kind: 'binary', tags: [] },
    keepAlive: { kind: 'json', tags: [] },
    settings: { kind: 'json', tags: [] },
  },
  receives: { audio: { kind: 'binary', tags: [] }, serverEvent: { kind: 'json', tags: [] } },
  replies: {},
  rules: {},
  secrets: [],
  ...more,
})

const live = channel('liveTranscription', '/v1/listen', {
  query: [{ name: 'encoding', required: false }],
  rules: {
    keepAlive: {
      message: 'keepAlive',
      payload: { type: 'KeepAlive' },
      minIntervalMs: 3_000,
      maxIntervalMs: 5_000,
    },
  },
})
const agent = channel('agent', '/v1/agent/converse', { rules: { gate: { message: 'settings' } } })

async function start(speech: SpeechOptions = {}) {
  const clock: VirtualClock = virtualClock()
  const emulator = await createEmulator({ clock, seed: 1, speech })
  const { apiUrl, apiKey, socketFactory, control } = emulator.speech
  const client = createClient({
    servers: { apiUrl },
    credentials: { apiKey: tokenCredential(apiKey) },
    clock,
    // The two are independent, but their types match.
    socketFactory,
  })
  onTestFinished(async () => {
    await client.close()
    await emulator.close()
    clock[Symbol.dispose]()
  })
  const pass = (ms: number) => new Promise<void>((resolve) => clock.setTimer(resolve, ms))
  return { clock, client, control, pass }
}

/** Reads a connection until it ends. */
function read(connection: Connection<Channel>) {
  const received: { type: string; data: unknown }[] = []
  const over = (async () => {
    for await (const { type, data } of connection) received.push({ type, data })
  })()
  return { received, over }
}

const query = { encoding: 'linear16' }

describe('a client of the runtime', () => {
  it('stays connected through an hour of silence, transcribes, and ends', async () => {
    const { client, control, pass, clock } = await start()
    const connection = await connect(client, live, { query })
    const { received, over } = read(connection)
    await pass(3_600_000)
    await connection.send('audio', new Uint8Array(2 * SECOND))
    await pass(100)
    await connection.close()
    await over
    expect(received).toMatchObject([{ type: 'message', data: { type: 'Transcript', end: 2 } }])
    const [record] = control.connections()
    expect(record?.closed).toMatchObject({ code: 1000, by: 'client' })
    expect(record?.received).toBeGreaterThan(3_600_000 / 5_000 - 1)
    expect(clock.elapsedMs).toBeLessThan(3_600_200)
  })

  it('reconnects after a dropped connection, with timestamps from zero', async () => {
    const { client, control, pass } = await start()
    control.faults.add({ kind: 'socket-drop', operation: 'liveTranscription', afterReceived: 25 })
    const connection = await connect(client, live, { query, reconnect: true })
    const { received, over } = read(connection)
    for (let piece = 0; piece < 50; piece++) {
      await connection.send('audio', new Uint8Array(SECOND / 10))
      await pass(100)
    }
    await pass(2_000)
    await connection.close()
    await over
    expect(received.map(({ type }) => type)).toEqual(['message', 'reconnected', 'message', 'message'])
    expect(received[0]?.data).toMatchObject({ start: 0, end: 2 })
    expect(received[2]?.data).toMatchObject({ start: 0, end: 2 })
    expect(control.connections().map(({ closed }) => closed?.by)).toEqual(['emulator', 'client'])
  })

  it('holds audio until its Settings are acknowledged, without losing any', async () => {
    const { client, pass } = await start()
    const acknowledged = ({ data }: { data: unknown }) =>
      (data as { type?: string } | undefined)?.type === 'SettingsAccepted'
    const connection = await connect(client, agent, { acknowledged })
    const { received, over } = read(connection)
    void connection.send('audio', new Uint8Array(SECOND))
    await connection.send('settings', { any: 'thing' })
    await pass(3_000)
    await connection.close()
    await over
    expect(received[1]?.data).toMatchObject({ role: 'user', text: 'the ferry leaves at nine' })
  })

  it('waits for a stalled peer, within its buffer limit', async () => {
    const { client, control, clock } = await start()
    control.faults.add({ kind: 'socket-stall', operation: 'liveTranscription', afterReceived: 1 })
    const connection = await connect(client, live, { query })
    let sent = 0
    const sending = (async () => {
      for (; sent < 200; sent++) await connection.send('audio', new Uint8Array(1_000_000))
    })()
    sending.catch(() => {})
    await clock.advance(1_000)
    expect(sent).toBeLessThan(5)
    control.dropConnection(1)
    await expect(sending).rejects.toMatchObject({ code: 'socket-closed' })
  })

  it('sees the status and the body of a denied upgrade', async () => {
    const { client } = await start({ connectionAllowance: 1 })
    await connect(client, live, { query })
    await expect(connect(client, live, { query })).rejects.toMatchObject({
      code: 'socket-denied',
      status: 429,
      body: expect.anything(),
    })
  })
})
