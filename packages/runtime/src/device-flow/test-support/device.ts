import { wait } from '../../core/async.ts'
import { ConnectionError } from '../../core/errors.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'
import {
  authorizeDevice,
  type DeviceCodeRecord,
  type DeviceFlowOptions,
  type DeviceTokenResponse,
  type DeviceUpdate,
} from '../authorize-device.ts'

export const CODE = 'device-code-7d1e0b62'
export const KEY = 'sk_live_4f0c9a7e5b21'
export const RECORD: DeviceCodeRecord = {
  device_code: CODE,
  user_code: 'ABCD-EFGH',
  verification_uri: 'https://web.example/device',
  verification_uri_complete: 'https://web.example/device?code=ABCD-EFGH',
  expires_in: 900,
  interval: 7,
}
export const pending: DeviceTokenResponse = { error: 'authorization_pending', key: null, keyPrefix: null }
export const success: DeviceTokenResponse = { error: null, key: KEY, keyPrefix: 'sk_live' }
export const lost = () => new ConnectionError('reset', { phase: 'receive', sent: 'yes' })
export const refused = () => new ConnectionError('refused', { phase: 'connect', sent: 'no' })

export type Reply = DeviceTokenResponse | Error

/** A service on a virtual clock; `reply` returns its response to a poll. */
export function device(
  reply: (index: number, at: number) => Reply,
  {
    record = RECORD,
    latencyMs = 0,
    ...options
  }: { record?: unknown; latencyMs?: number } & Partial<DeviceFlowOptions> = {},
) {
  const clock = virtualClock({ start: 1_000_000 })
  const polls: { code: string; sentAt: number; answeredAt: number; signal: AbortSignal }[] = []
  const saved: [string, unknown][] = []
  const prompts: unknown[] = []
  const updates: DeviceUpdate[] = []
  const events: unknown[] = []
  let most = 0
  let now = 0
  const run = () =>
    authorizeDevice({
      clock,
      requestCode: async () => {
        if (latencyMs > 0) await wait(clock, latencyMs)
        return record as DeviceCodeRecord
      },
      pollToken: async (code, signal) => {
        const poll = { code, sentAt: clock.monotonic(), answeredAt: Number.NaN, signal }
        polls.push(poll)
        most = Math.max(most, ++now)
        const response = reply(polls.length - 1, poll.sentAt)
        try {
          if (latencyMs > 0) await wait(clock, latencyMs, [signal])
        } finally {
          now -= 1
        }
        poll.answeredAt = clock.monotonic()
        if (response instanceof Error) throw response
        return response
      },
      onPrompt: (prompt) => void prompts.push(prompt),
      save: (key, about) => void saved.push([key, about]),
      onUpdate: (update) => updates.push(update),
      emit: (event) => events.push(event),
      operation: 'pollDeviceToken',
      ...options,
    })
  return {
    clock,
    polls,
    saved,
    prompts,
    updates,
    events,
    run,
    mostAtOnce: () => most,
    sentAt: () => polls.map(({ sentAt }) => sentAt),
  }
}
