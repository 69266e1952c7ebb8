import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { wait } from '../core/async.ts'
import { DeadlineError, OptionsError } from '../core/errors.ts'
import { clientFor } from '../http/test-support/clients.ts'
import { getItem, json, rejection } from '../http/test-support/fixtures.ts'
import { countListeners } from '../poll/test-support/scripted-service.ts'
import { foreignErrors } from '../retry/test-support/foreign-errors.ts'
import { CODE, RECORD, lost, pending, success, device } from './test-support/device.ts'

it.each([
  ['unchanged if it is short', 'try_tomorrow', 'try_tomorrow'],
  ['without the device code', `unknown ${CODE}`, 'unknown [redacted]'],
  ['up to 200 characters', 'x'.repeat(300), 'x'.repeat(200)],
])('R-44: an unknown error code of the service is passed on, %s', async (_what, error, serviceError) => {
  const { run } = device(() => ({ error, key: null }))
  expect(await rejection(run())).toMatchObject({
    code: 'authorization-failed',
    serviceError,
    keyMayBeLost: false,
  })
})

it('R-44: a success leaves no timer and no listener', async () => {
  const controller = new AbortController()
  const listeners = countListeners(controller.signal)
  const { clock, run } = device(() => success, { deadline: '1h', signal: controller.signal })
  await run()
  expect([clock.timers, listeners()]).toEqual([0, 0])
})

it('R-44: a denial is typed and ends polling', async () => {
  const { clock, run, polls } = device((index) =>
    index < 2 ? pending : { error: 'access_denied', key: null },
  )
  expect(await rejection(run())).toMatchObject({
    code: 'authorization-denied',
    serviceError: 'access_denied',
  })
  expect(polls).toHaveLength(3)
  expect(clock.timers).toBe(0)
})

it('R-44: the service may say that the codes expired', async () => {
  const { clock, run } = device((_index, at) =>
    at < 60_000 ? pending : { error: 'expired_token', key: null },
  )
  expect(await rejection(run())).toMatchObject({
    code: 'authorization-expired',
    serviceError: 'expired_token',
  })
  expect(clock.monotonic()).toBe(63_000)
})

it('R-44: the codes expire exactly their lifetime after the receipt, and no poll follows', async () => {
  const { clock, run, sentAt } = device(() => pending, { latencyMs: 100 })
  const error = await rejection(run())
  expect(error).toMatchObject({ code: 'authorization-expired' })
  expect(error).not.toHaveProperty('serviceError')
  expect(clock.monotonic()).toBe(900_100)
  expect(sentAt().at(-1)).toBeLessThan(900_100)
  expect(clock.timers).toBe(0)
})

it('R-03: an abort ends an authorization at once at every step, with its own reason, and leaves nothing behind', async () => {
  for (const atMs of [50, 3_000, 7_150]) {
    const controller = new AbortController()
    const listeners = countListeners(controller.signal)
    const reason = new Error('enough')
    const { clock, run, polls } = device(() => pending, { latencyMs: 100, signal: controller.signal })
    clock.setTimer(() => controller.abort(reason), atMs)
    expect(await rejection(run())).toBe(reason)
    expect(clock.monotonic()).toBe(atMs)
    expect(listeners()).toBe(0)
    await clock.advance(60_000)
    expect(polls.map(({ signal }) => signal.aborted)).toEqual(atMs > 7_000 ? [true] : [])
    expect(clock.timers).toBe(0)
  }
  const before = device(() => pending, { signal: AbortSignal.abort('before') })
  expect(await rejection(before.run())).toBe('before')
  expect(before.prompts).toEqual([])
})

it('R-44: a deadline is exact, also for calls that ignore the signal', async () => {
  const { clock, run } = device(() => pending, { deadline: '100s' })
  await clock.advance(5_000)
  const error = await rejection(run())
  expect(error).toBeInstanceOf(DeadlineError)
  const time = { limitMs: 100_000, elapsedMs: 100_000 }
  expect(error).toMatchObject({ operation: 'pollDeviceToken', ...time })
  expect(clock.monotonic()).toBe(105_000)
  const deaf = device(() => pending, { deadline: '9s', pollToken: () => new Promise(() => {}) })
  expect(await rejection(deaf.run())).toMatchObject({ code: 'deadline', limitMs: 9_000, elapsedMs: 9_000 })
  expect(deaf.clock.timers).toBe(0)
})

it.each(['requestCode', 'pollToken', 'onPrompt', 'save'] as const)(
  'R-44: %s is required, and nothing is sent without it',
  async (name) => {
    let asked = 0
    const { run } = device(() => success, {
      requestCode: async () => {
        asked += 1
        return RECORD
      },
      [name]: undefined,
    })
    const error = await rejection(run())
    expect(error).toBeInstanceOf(OptionsError)
    expect(error).toMatchObject({ option: name })
    expect(asked).toBe(0)
  },
)

const REQUIRED = ['device_code', 'user_code', 'verification_uri', 'expires_in']

const EXPECTED: Readonly<Record<string, string>> = {
  verification_uri_complete: 'a string',
  expires_in: 'a number of seconds above 0',
  interval: 'a number of seconds (0 or more)',
}

it.each<[string, unknown, string[]]>([
  ['without anything', {}, REQUIRED],
  ['that is null', null, REQUIRED],
  ['that is missing', undefined, REQUIRED],
  ['that is a string', 'a record', REQUIRED],
  ['without a device code', { ...RECORD, device_code: '' }, ['device_code']],
  ['with a device code that is not a string', { ...RECORD, device_code: 5 }, ['device_code']],
  ['without a user code', { ...RECORD, user_code: '' }, ['user_code']],
  ['with null as its address', { ...RECORD, verification_uri: null }, ['verification_uri']],
  [
    'with a complete address that is not a string',
    { ...RECORD, verification_uri_complete: 5 },
    ['verification_uri_complete'],
  ],
  ['without a lifetime', { ...RECORD, expires_in: 0 }, ['expires_in']],
  ['with an infinite lifetime', { ...RECORD, expires_in: Infinity }, ['expires_in']],
  ['with a negative lifetime', { ...RECORD, expires_in: -1 }, ['expires_in']],
  ['with an interval that is not a number', { ...RECORD, interval: '5' }, ['interval']],
  ['with NaN as its interval', { ...RECORD, interval: Number.NaN }, ['interval']],
  ['with null as its interval', { ...RECORD, interval: null }, ['interval']],
  ['with a negative interval', { ...RECORD, interval: -1 }, ['interval']],
])('R-04: a record %s is drift, and nothing is prompted or polled', async (_name, record, fields) => {
  // `undefined` in the options of `device` would mean its own record.
  const requestCode = async () => record as typeof RECORD
  const { run, prompts, polls } = device(() => success, { requestCode })
  const error = await rejection(run())
  const issues = fields.map((name) => ({
    path: `/${name}`,
    reason: `must be ${EXPECTED[name] ?? 'a non-empty string'}`,
  }))
  const message = issues.map(({ path, reason }) => `${path} ${reason}`).join(', ')
  expect(error).toMatchObject({ code: 'contract-drift', operation: 'pollDeviceToken', issues })
  expect((error as Error).message).toContain(message)
  expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(CODE)
  expect([prompts.length, polls.length]).toEqual([0, 0])
})

it.each(foreignErrors)(
  'R-44: a callback that throws ends an authorization at once with its error: %s',
  async (_name, create) => {
    const error = create()
    for (const callback of ['onUpdate', 'emit', 'onPrompt'] as const) {
      const fail = () => {
        throw error
      }
      const { clock, run, polls } = device(() => lost(), { [callback]: fail })
      expect(await rejection(run())).toBe(error)
      expect(polls).toHaveLength(callback === 'onPrompt' ? 0 : 1)
      expect(clock.monotonic()).toBe(callback === 'onPrompt' ? 0 : 7_000)
    }
  },
)

it.each(foreignErrors)(
  'R-44: a credential that cannot be read is not a failed poll: %s',
  async (_name, create) => {
    const error = create()
    let reads = 0
    const value = (): string => {
      reads += 1
      throw error
    }
    await using client = clientFor(() => json({}), {
      credentials: { key: { in: 'header', name: 'X-API-Key', value } },
    })
    const { clock, run } = device(() => pending, {
      async pollToken() {
        await client.send(getItem, { path: { item_id: 'a' } })
        return pending
      },
    })
    expect(await rejection(run())).toBe(error)
    expect(reads).toBe(1)
    expect(clock.monotonic()).toBe(7_000)
  },
)

it('R-44: a prompt that fails between two polls is not reported as a failed poll', async () => {
  const failure = lost()
  const { clock, run, updates } = device(() => lost(), {
    async onPrompt() {
      await wait(clock, 8_000)
      throw failure
    },
  })
  expect(await rejection(run())).toBe(failure)
  expect(updates).toHaveLength(1)
})
