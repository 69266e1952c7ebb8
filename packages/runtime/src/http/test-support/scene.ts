import type { ClientEvent, DriftReport, RetryEvent } from '../../core/events.ts'
import { scriptedTransport, type ScriptedTransport, type ScriptStep } from '../../testing/transports.ts'
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts'
import type { ClientOptions } from '../client-options.ts'
import type { Client } from '../client.ts'
import { clientFor, json } from './fixtures.ts'

/** A client with a scripted service, and everything that it reported. */
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
  // A host's monotonic clock starts anywhere.
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
