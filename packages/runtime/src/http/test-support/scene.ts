import type { ClientEvent, RetryEvent } from '../../core/events.ts'
import { scriptedTransport, type ScriptedTransport, type ScriptStep } from '../../testing/transports.ts'
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts'
import type { ClientOptions } from '../client-options.ts'
import { type Client, createClient } from '../client.ts'
import { json, KEY } from './fixtures.ts'

/** A client with a scripted service, and the retries that it reported. */
export interface Scene {
  readonly client: Client
  readonly transport: ScriptedTransport
  readonly clock: VirtualClock
  readonly retries: RetryEvent[]
}

export function scene(
  steps: readonly [ScriptStep, ...ScriptStep[]],
  options: Partial<ClientOptions> = {},
): Scene {
  const transport = scriptedTransport(...steps)
  const clock = virtualClock()
  const retries: RetryEvent[] = []
  // A host's monotonic clock starts anywhere.
  const monotonic = (): number => clock.monotonic() + 5_000
  const client = createClient({
    servers: { api: 'http://service.test' },
    credentials: { key: { in: 'header', name: 'X-API-Key', value: KEY } },
    transport,
    clock: { ...clock, monotonic },
    random: () => 0.5,
    observe: (event: ClientEvent) => event.type === 'retry' && retries.push(event),
    ...options,
  })
  return { client, transport, clock, retries }
}

export function status(code: number, headers: Record<string, string> = {}): Response {
  return json({ detail: 'no' }, { status: code, headers })
}
