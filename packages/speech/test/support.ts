import type { DriftReport } from '@concord/runtime'
import {
  memorySockets,
  memoryTransport,
  type MemoryHandshake,
  type MemoryPeer,
  type MemorySockets,
  virtualClock,
  type VirtualClock,
} from '@concord/runtime/testing'
import { expect, onTestFinished } from 'vitest'

import { Speech } from '../src/client.ts'
import type { SpeechOptions } from '../src/options.ts'
import type { SynthesisOptions, SynthesizerOptions, TextSource } from '../src/synthesis.ts'

export const KEY = 'key-that-nobody-may-see'

/** A client whose sockets and calls the test handles. */
interface Wired {
  readonly clock: VirtualClock
  readonly sockets: MemorySockets
  readonly speech: Speech
  readonly drift: readonly DriftReport[]
  /** The REST calls that the client made. */
  readonly calls: readonly Call[]
  /** The most recently opened socket. */
  readonly peer: MemoryPeer
}

interface Call {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

interface Handlers {
  readonly onConnect?: (peer: MemoryPeer) => MemoryHandshake
  readonly onCall?: (call: Call) => Response
}

/** Creates a wired client, which is closed when the test has finished. */
export function wired(options: Partial<SpeechOptions> = {}, { onConnect, onCall }: Handlers = {}): Wired {
  const clock = virtualClock({ autoAdvance: false })
  const drift: DriftReport[] = []
  const calls: Call[] = []
  const sockets = memorySockets(onConnect)
  const transport = memoryTransport(async (request) => {
    const call: Call = {
      method: request.method,
      url: new URL(request.url),
      headers: request.headers,
      body: new Uint8Array(await request.arrayBuffer()),
    }
    calls.push(call)
    return onCall?.(call) ?? Response.json({})
  })
  const speech = new Speech({
    apiUrl: 'http://speech.test/prefix',
    agentUrl: 'https://agent.test',
    ...(options.accessToken === undefined ? { apiKey: KEY } : undefined),
    clock,
    random: () => 0.5,
    socketFactory: sockets.socketFactory,
    transport,
    onDrift: (report) => drift.push(report),
    ...options,
  } as SpeechOptions)
  onTestFinished(async () => {
    await speech.close()
    clock[Symbol.dispose]()
  })
  return {
    clock,
    sockets,
    speech,
    drift,
    calls,
    get peer() {
      const peer = sockets.peers.at(-1)
      if (peer === undefined) throw new Error('no socket was opened')
      return peer
    },
  }
}

/** A wired client whose REST calls get these responses. */
export function responding(onCall: (call: Call) => Response, options: Partial<SpeechOptions> = {}): Wired {
  return wired(options, { onCall })
}

/** A wired client of a service that calls a function for each message on a socket. */
export function replying(onMessage: (peer: MemoryPeer, data: string) => void): Wired {
  return wired(
    {},
    {
      onConnect(peer) {
        peer.onMessage = (data) => onMessage(peer, String(data))
      },
    },
  )
}

/** Returns the error that a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  return expect.unreachable('it was not rejected')
}

export const bytes = (...values: number[]): Uint8Array => new Uint8Array(values)

/** Returns the JSON messages that a peer received. */
export const jsonOf = (peer: MemoryPeer): unknown[] =>
  peer.received.filter((data) => typeof data === 'string').map((data) => JSON.parse(data) as unknown)

/** Returns the `text` of each JSON message that a peer received, or the whole message if it has none. */
export const textsOf = (peer: MemoryPeer): unknown[] =>
  jsonOf(peer).map((message) => (message as { text?: string }).text ?? message)

/** Recognizes the end of one piece in `{"end":true}`, and of several in `{"ended":2}`. */
export const rule = {
  spoken(event: unknown): boolean | number {
    const { end, ended } = event as { readonly end?: boolean; readonly ended?: number }
    return end ?? ended ?? false
  },
}

/** Opens a synthesizer on a wired client. */
export async function synthesizing(
  options: Partial<SynthesizerOptions> = {},
  client: Partial<SpeechOptions> = {},
) {
  const wire = wired(client)
  const voice = await wire.speech.synthesizer({ ...rule, ...options })
  const { clock, peer } = wire
  return { wire, voice, clock, peer, audio: voice[Symbol.asyncIterator]() }
}

/** Opens a synthesizer and lets it speak. */
export async function speaking(text: TextSource, ...opening: Parameters<typeof synthesizing>) {
  const all = await synthesizing(...opening)
  const spoken = all.voice.speak(text)
  await all.clock.settle()
  return { ...all, spoken }
}

/** Begins to read a stream of speech. Its failure may be ignored. */
export async function streaming(text: TextSource, options: Partial<SynthesisOptions> = {}) {
  const wire = wired()
  const reading = all(wire.speech.speakStream(text, { ...rule, ...options }))
  reading.catch(() => undefined)
  await wire.clock.settle()
  return { wire, reading }
}

/** Returns the error that ends the audio after exactly this time. */
export async function errorAfter(
  ms: number,
  { clock, audio }: { readonly clock: VirtualClock; readonly audio: AsyncIterator<Uint8Array> },
): Promise<unknown> {
  const failed = rejection(audio.next())
  await clock.advance(ms - 1)
  expect(await Promise.race([failed, 'still open'])).toBe('still open')
  await clock.advance(1)
  return failed
}

/** Yields some strings, then waits forever. */
export async function* stuck(...texts: string[]): AsyncGenerator<string> {
  yield* texts
  await new Promise<never>(() => undefined)
}

/** Collects the unhandled rejections during a test. */
export function unhandledRejections(): readonly unknown[] {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  return unhandled
}

/** Collects all items of a source. */
export async function all<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of source) items.push(item)
  return items
}

/** Returns the next items of a source. */
export async function take<Item>(source: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const items: Item[] = []
  const iterator = source[Symbol.asyncIterator]()
  while (items.length < count) {
    const { done, value } = await iterator.next()
    if (done === true) break
    items.push(value)
  }
  return items
}
