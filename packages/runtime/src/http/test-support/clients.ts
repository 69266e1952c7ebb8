import { ReadableStream as WebStream } from 'node:stream/web'
import type { ClientEvent, DriftReport, RetryEvent } from '../../core/events.ts'
import {
  type MemoryHandler,
  memoryTransport,
  scriptedTransport,
  type ScriptedTransport,
  type ScriptStep,
} from '../../testing/transports.ts'
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts'
import type { ClientOptions } from '../client-options.ts'
import { type Client, createClient } from '../client.ts'
import type { Credential } from '../credential.ts'
import type { Transport } from '../transport.ts'
import { json, KEY } from './fixtures.ts'

/** Creates a client that sends requests to this handler or transport. It has a key, and retries without delay. */
export function clientFor(service: MemoryHandler | Transport, options: Partial<ClientOptions> = {}): Client {
  return createClient({
    servers: { api: 'http://service.test' },
    credentials: { key: keyFrom(KEY) },
    transport: typeof service === 'function' ? memoryTransport(service) : service,
    random: () => 0,
    ...options,
  })
}

/** A client like {@link clientFor}, and the drift that it reports. */
export function reporting(service: MemoryHandler | Transport, options: Partial<ClientOptions> = {}) {
  const drift: DriftReport[] = []
  const client = clientFor(service, { onDrift: (found) => drift.push(found), ...options })
  return { client, drift }
}

/** Creates the credential of the test operations. */
export function keyFrom(value: Credential['value'], rejected?: Credential['rejected']): Credential {
  return { in: 'header', name: 'X-API-Key', value, ...(rejected && { rejected }) }
}

/** A web stream of these pieces. */
export function streamOf(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return WebStream.from(pieces) as ReadableStream<Uint8Array<ArrayBuffer>>
}

/** A body that breaks after these pieces. */
export function cutShort(...pieces: readonly Uint8Array[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  async function* breaking(): AsyncGenerator<Uint8Array> {
    yield* pieces
    throw new Error('cut')
  }
  return streamOf(breaking())
}

/** A body that stays open after these pieces, and a promise that resolves when the body is canceled. */
export function openBody(...pieces: readonly (string | Uint8Array)[]) {
  const canceled = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces)
        controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
    },
    cancel: () => canceled.resolve(),
  })
  return { body, canceled: canceled.promise }
}

/** A response with this body and media type. */
export function reply(body: BodyInit | null, contentType: string, init: ResponseInit = {}): Response {
  return new Response(body, { ...init, headers: { 'content-type': contentType, ...init.headers } })
}

/** A client of a scripted service, and everything that the client reported. */
export interface Scene {
  readonly client: Client
  readonly transport: ScriptedTransport
  readonly clock: VirtualClock
  readonly drift: DriftReport[]
  readonly events: ClientEvent[]
  readonly retries: RetryEvent[]
}

export function scene(
  steps: readonly [ScriptStep, ...ScriptStep[]],
  options: Partial<ClientOptions> = {},
): Scene {
  const transport = scriptedTransport(...steps)
  const clock = virtualClock()
  const drift: DriftReport[] = []
  const events: ClientEvent[] = []
  const retries: RetryEvent[] = []
  // As on a real host, the monotonic clock doesn't start at 0.
  const monotonic = (): number => clock.monotonic() + 5_000
  const client = clientFor(transport, {
    clock: { ...clock, monotonic },
    random: () => 0.5,
    onDrift: (found) => drift.push(found),
    observe(event) {
      events.push(event)
      if (event.type === 'retry') retries.push(event)
    },
    ...options,
  })
  return { client, transport, clock, drift, events, retries }
}

export function status(code: number, headers: Record<string, string> = {}): Response {
  return json({ detail: 'no' }, { status: code, headers })
}
