import type { CallInput, SocketWalk, SocketWalkStep, SocketWalkTarget } from '@concord/contract'
import { expectError, expectMeaning, step, type Served } from '@concord/contract-kit'
import { createEmulator, frozenClock, type Emulator } from '@concord/emulator'
import {
  connect,
  createClient,
  tokenCredential,
  type ChannelDescriptor,
  type Connection,
} from '@concord/runtime'

import { WebSocket } from 'ws'

import { testedSockets } from './subject.ts'

const { channels } = testedSockets

const inputs: Readonly<Record<string, Partial<CallInput>>> = {
  transcribe: {
    query: { model: 'nova-3' },
    body: new Uint8Array(32_000),
    contentType: 'application/octet-stream',
  },
  synthesize: { body: { text: 'The ferry leaves at nine.' } },
  analyzeText: { body: { text: 'The ferry leaves at nine.' } },
  listModels: {},
  grantToken: { body: {} },
  listThinkModels: {},
}

/** Serves an emulator and lists the calls to it. */
export async function speechWalk(): Promise<Served> {
  const emulator = await createEmulator({ clock: frozenClock(), seed: 'walk' })
  const { speech } = await emulator.serve()
  const { control } = emulator.speech
  const steps = Object.entries(inputs).flatMap(([operation, input]) => [
    step(operation, '200', 'as documented', (at) => at.call(input)),
    step(operation, '429', 'too many connections at once', async (at) => {
      control.faults.add({
        kind: 'status',
        status: 429,
        operation,
        body: { message: 'Too many connections.' },
      })
      expectMeaning(await at.call(input), 'connections')
    }),
    step(operation, 'default', 'another error', async (at) => {
      control.faults.add({ kind: 'status', status: 500, operation, body: { message: 'Something is wrong.' } })
      expectError(await at.call(input), 'ServerError')
    }),
    step(operation, 'default', 'a key that is not valid', async (at) => {
      expectError(await at.call(input, { credentials: { apiKey: 'not-a-key' } }), 'AuthenticationError')
    }),
  ])
  return {
    walk: {
      upstream: { '{api_url}': speech.apiUrl, '{agent_url}': speech.agentUrl },
      credentials: { apiKey: speech.apiKey },
      steps,
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

/** Serves an emulator and lists the calls to its channels. */
export async function speechSocketWalk(): Promise<Served<SocketWalk>> {
  const emulator = await createEmulator({ clock: frozenClock(), seed: 'walk' })
  const { speech } = await emulator.serve()
  return {
    walk: {
      upstream: { '{api_url}': speech.apiUrl, '{agent_url}': speech.agentUrl },
      credentials: { apiKey: speech.apiKey },
      clock: { monotonic: () => emulator.speech.state.now },
      steps: socketSteps(emulator),
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

type Open = Connection<ChannelDescriptor<unknown, Record<string, unknown>, unknown>>

/** Opens a channel through the checking proxy, runs a function on it, and closes it. */
async function on(
  id: string,
  { servers, credentials }: SocketWalkTarget,
  query: object,
  run: (connection: Open) => Promise<void>,
): Promise<void> {
  const client = createClient({
    servers: { apiUrl: servers['{api_url}'] ?? '', agentUrl: servers['{agent_url}'] ?? '' },
    credentials: { apiKey: tokenCredential(credentials['apiKey']) },
  })
  const channel = channels[id]
  if (!channel) throw new Error(`no channel ${id}`)
  try {
    const connection = await connect(client, channel, {
      ...(channel.queryCheck ? { query } : {}),
      ...(channel.rules.gate ? { acknowledged: () => true } : {}),
    })
    await run(connection as unknown as Open)
    await connection.close()
  } finally {
    await client.close()
  }
}

/** Reads until a message with the given key arrives. */
async function until(connection: Open, key: string): Promise<unknown> {
  for await (const one of connection) if (one.message === key) return one.data
  throw new Error(`the connection ended before ${key} arrived`)
}

const audio = new Uint8Array(32_000)

function socketSteps(emulator: Emulator): SocketWalkStep[] {
  const { control } = emulator.speech
  /** Waits for the network to deliver, then moves the emulator's clock. */
  const later = async (byMs: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 30))
    await control.clock.advance(byMs)
  }
  return [
    {
      channel: 'liveTranscription',
      title: 'audio, silence that is kept alive, and events',
      run: ({ target }) =>
        on('liveTranscription', target, { model: 'nova-3' }, async (connection) => {
          await connection.send('audio', audio)
          await later(4_000)
          await connection.send('keepAlive', { type: 'KeepAlive' })
          await later(4_000)
          await until(connection, 'serverEvent')
        }),
    },
    {
      channel: 'liveTranscription',
      title: 'silence ends the connection',
      rule: 'idleCloseMs',
      run: ({ target }) =>
        on('liveTranscription', target, {}, async (connection) => {
          await later(10_000)
          await connection.closed
        }),
    },
    ...Object.keys(channels).map((channel): SocketWalkStep => ({
      channel,
      title: 'too many connections are denied',
      rule: 'denied',
      run: ({ target }) => isDenied(control, channel, target),
    })),
    {
      channel: 'conversation',
      title: 'configured twice, once denied; turns arrive',
      rule: 'reply',
      run: ({ target }) =>
        on('conversation', target, { model: 'flux-general-en' }, async (connection) => {
          const configure = { type: 'Configure', thresholds: { eot_threshold: '0.7' } }
          const applied = (await connection.request('configure', configure)) as { message?: string }
          if (applied.message !== 'configureSuccess') throw new Error(`the reply was ${applied.message}`)
          const wrong = { type: 'Configure', thresholds: { eot_threshold: '7' } }
          const denied = (await connection.request('configure', wrong)) as { message?: string }
          if (denied.message !== 'configureFailure') throw new Error(`the reply was ${denied.message}`)
          await connection.send('audio', audio)
          await later(2_000)
          await until(connection, 'serverEvent')
        }),
    },
    {
      channel: 'speechStream',
      title: 'text becomes audio',
      run: ({ target }) =>
        on('speechStream', target, {}, async (connection) => {
          await connection.send('speak', { text: 'The ferry leaves at nine.' })
          const bytes = await until(connection, 'audio')
          if (!(bytes instanceof Uint8Array) || bytes.length === 0) throw new Error('no audio')
          await until(connection, 'serverEvent')
        }),
    },
    {
      channel: 'agent',
      title: 'settings are acknowledged, and the agent replies to audio',
      rule: 'gate',
      run: ({ target }) =>
        on('agent', target, {}, async (connection) => {
          await connection.send('settings', { language: 'en' })
          await later(1_000)
          await until(connection, 'serverEvent')
          await connection.send('audio', audio)
          await connection.send('audio', audio)
          await later(5_000)
          await until(connection, 'audio')
        }),
    },
    ...(['liveTranscription', 'conversation', 'agent'] as const).map((channel): SocketWalkStep => ({
      channel,
      title: 'an empty binary frame ends the connection',
      rule: 'emptyBinaryCloses',
      breaks: ['rule'],
      run: ({ target }) => sendsEmptyFrame(channel, target),
    })),
  ]
}

/** Checks that the next connection is denied, because it exceeds the limit. */
async function isDenied(
  control: Emulator['speech']['control'],
  channel: string,
  target: SocketWalkTarget,
): Promise<void> {
  control.setConnectionAllowance(0.5)
  try {
    await on(channel, target, {}, async () => {
      throw new Error('the connection was accepted')
    })
  } catch (error) {
    if ((error as { status?: number }).status !== 429) throw error
  } finally {
    control.setConnectionAllowance(20)
  }
}

/** Sends an empty frame with a plain WebSocket, because this client never sends one. */
async function sendsEmptyFrame(channel: string, { servers, credentials }: SocketWalkTarget): Promise<void> {
  const descriptor = channels[channel]
  const base = servers[descriptor?.server === 'agentUrl' ? '{agent_url}' : '{api_url}'] ?? ''
  const socket = new WebSocket(`${base.replace('http', 'ws')}${descriptor?.address}`, {
    headers: { authorization: `Token ${credentials['apiKey']}` },
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('open', () => socket.send(new Uint8Array(), { binary: true }))
    socket.once('close', () => resolve())
  })
}
