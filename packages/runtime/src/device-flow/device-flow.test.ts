import { inspect } from 'node:util'

import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import {
  AuthorizationError,
  ConnectionError,
  DeadlineError,
  OptionsError,
  TimeoutError,
} from '../core/errors.ts'
import { wait } from '../core/async.ts'
import { countListeners, httpError } from '../poll/test-support/scripted-service.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { DeviceAuthorizationError, KeyNotSavedError } from './errors.ts'
import { bearerCredential } from '../http/credential-source.ts'
import type { DeviceFlowOptions, DeviceTokenAnswer, DeviceUpdate } from './options.ts'
import { authorizeDevice } from './device-flow.ts'
import type { DeviceCodeRecord } from './record.ts'

const CODE = 'device-code-7d1e0b62'
const KEY = 'sk_live_4f0c9a7e5b21'
const RECORD: DeviceCodeRecord = {
  device_code: CODE,
  user_code: 'ABCD-EFGH',
  verification_uri: 'https://web.example/device',
  verification_uri_complete: 'https://web.example/device?code=ABCD-EFGH',
  expires_in: 900,
  interval: 7,
}
const pending: DeviceTokenAnswer = { error: 'authorization_pending', key: null, keyPrefix: null }
const success: DeviceTokenAnswer = { error: null, key: KEY, keyPrefix: 'sk_live' }
const lost = () => new ConnectionError('reset', { phase: 'receive', sent: 'yes' })
const refused = () => new ConnectionError('refused', { phase: 'connect', sent: 'no' })

type Reply = DeviceTokenAnswer | Error

/** A service on a virtual clock; `reply` says what it answers to which poll. */
function device(
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
        const answer = reply(polls.length - 1, poll.sentAt)
        try {
          if (latencyMs > 0) await wait(clock, latencyMs, [signal])
        } finally {
          now -= 1
        }
        poll.answeredAt = clock.monotonic()
        if (answer instanceof Error) throw answer
        return answer
      },
      onPrompt: (prompt) => void prompts.push(prompt),
      save: (key, about) => void saved.push([key, about]),
      operation: 'pollDeviceToken',
      ...options,
    })
  return {
    clock,
    polls,
    saved,
    prompts,
    run,
    mostAtOnce: () => most,
    sentAt: () => polls.map(({ sentAt }) => sentAt),
  }
}

const failureOf = (run: () => Promise<unknown>) =>
  run().then(
    () => {
      throw new Error('it succeeded')
    },
    (error: unknown) => error,
  )

it('R-44: the interval comes from the record and is measured from the receipt of the answer before', async () => {
  const { polls, run, mostAtOnce } = device((index) => (index < 5 ? pending : success), { latencyMs: 1_300 })
  await run()
  expect(mostAtOnce()).toBe(1)
  expect(polls.every(({ code }) => code === CODE)).toBe(true)
  const receipts = [1_300, ...polls.map(({ answeredAt }) => answeredAt)]
  expect(polls.map(({ sentAt }, index) => sentAt - (receipts[index] ?? 0))).toEqual([
    7_000, 7_000, 7_000, 7_000, 7_000, 7_000,
  ])
})

it('R-44: polls never come closer than the interval, whatever the service answers', async () => {
  const replies = fc.constantFrom<() => Reply>(
    () => pending,
    () => ({ error: 'slow_down', key: null }),
    lost,
    refused,
    () => httpError(500),
    () => httpError(429, 20_000),
    () => httpError(503, 1),
    () => new TimeoutError('slow', { limitMs: 1, elapsedMs: 1 }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(replies, { maxLength: 30 }),
      fc.integer({ min: 0, max: 20 }),
      fc.nat(4_000),
      async (list, interval, latencyMs) => {
        const { clock, polls, run, mostAtOnce } = device((index) => list[index]?.() ?? pending, {
          record: { ...RECORD, interval, expires_in: 300 },
          latencyMs,
        })
        using _ = clock
        const error = await failureOf(run)
        expect(error).toMatchObject({ code: 'authorization-expired' })
        expect(clock.monotonic()).toBeGreaterThanOrEqual(300_000 + latencyMs)
        expect(mostAtOnce()).toBeLessThanOrEqual(1)
        let intervalMs = Math.max(1, interval) * 1_000
        for (const [index, { sentAt }] of polls.entries()) {
          if (index === 0) expect(sentAt - latencyMs).toBeGreaterThanOrEqual(intervalMs)
          else {
            const before = list[index - 1]?.() ?? pending
            if (!(before instanceof Error) && before.error === 'slow_down') intervalMs += 5_000
            expect(sentAt - (polls[index - 1]?.answeredAt ?? 0)).toBeGreaterThanOrEqual(intervalMs)
          }
        }
      },
    ),
    { numRuns: 40 },
  )
})

it('R-44: a record without an interval is polled every 5 seconds, one that asks for none every second', async () => {
  const { interval: _, ...without } = RECORD
  const five = device((index) => (index < 1 ? pending : success), { record: without })
  await five.run()
  expect(five.sentAt()).toEqual([5_000, 10_000])
  const none = device((index) => (index < 1 ? pending : success), { record: { ...RECORD, interval: 0 } })
  await none.run()
  expect(none.sentAt()).toEqual([1_000, 2_000])
})

it('R-44: slow_down adds 5 seconds, and sticks', async () => {
  const { run, sentAt } = device(
    (index) =>
      [{ error: 'slow_down', key: null }, pending, { error: 'slow_down', key: null }, pending][index] ??
      success,
  )
  await run()
  expect(sentAt()).toEqual([7_000, 19_000, 31_000, 48_000, 65_000])
})

it('R-44: the interval does not depend on the wall time', async () => {
  const { clock, run, sentAt } = device((index) => (index < 3 ? pending : success))
  clock.setTimer(() => clock.setWallTime(0), 10_000)
  clock.setTimer(() => clock.setWallTime(9e12), 20_000)
  await run()
  expect(sentAt()).toEqual([7_000, 14_000, 21_000, 28_000])
})

it('R-44: the prompt holds what the user needs and not the device code', async () => {
  const { prompts, run } = device(() => success, { latencyMs: 500 })
  await run()
  const { device_code: _secret, interval: _interval, ...shown } = RECORD
  expect(prompts).toEqual([{ ...shown, expiresAtMs: 1_000_000 + 500 + 900_000 }])
})

it('R-44: success is a key that is not null, whatever the error says, and save gets it before anything else', async () => {
  const order: string[] = []
  const { clock, run } = device(() => ({ error: 'authorization_pending', key: KEY, keyPrefix: 'sk' }), {
    save: async (key, about) => {
      order.push(`save ${key} ${about.keyPrefix}`)
      await wait(clock, 1_000)
      order.push('saved')
    },
    onUpdate: () => order.push('update'),
  })
  const authorized = await run()
  order.push('returned')
  expect(order).toEqual([`save ${KEY} sk`, 'saved', 'returned'])
  expect(authorized.keyPrefix).toBe('sk')
  expect(authorized.get()).toBe(KEY)
})

it('R-44: the key that was received serves a client as its credential', async () => {
  const { run } = device(() => success)
  const { value } = bearerCredential(await run())
  expect(typeof value === 'function' && (await value())).toBe(KEY)
})

it.each([
  ['no error and no key', { error: null, key: null }],
  ['an unknown error', { error: 'try_tomorrow', key: null }],
  ['an error that is no text', { error: { code: 1 }, key: null }],
  ['an empty key', { error: null, key: '' }],
  ['a key that is no text', { error: null, key: 42 }],
  ['nothing at all', undefined],
])('R-44: %s is never a success', async (_name, answer) => {
  const { run, saved, polls } = device(() => answer as DeviceTokenAnswer)
  const error = await failureOf(run)
  expect(error).toBeInstanceOf(DeviceAuthorizationError)
  expect(AuthorizationError.is(error)).toBe(true)
  expect(error).toMatchObject({ code: 'authorization-failed', operation: 'pollDeviceToken' })
  expect(saved).toEqual([])
  expect(polls).toHaveLength(1)
})

it("R-44: an unknown error is surfaced in the service's own word", async () => {
  const { run } = device(() => ({ error: 'try_tomorrow', key: null }))
  expect(await failureOf(run)).toMatchObject({
    code: 'authorization-failed',
    serviceError: 'try_tomorrow',
    keyMayBeLost: false,
  })
})

it('R-44: a word that holds the device code is surfaced without it', async () => {
  const { run } = device(() => ({ error: `unknown ${CODE}`, key: null }))
  expect(await failureOf(run)).toMatchObject({
    code: 'authorization-failed',
    serviceError: 'unknown [redacted]',
  })
})

it('R-44: a denial after a lost answer means that there was no key to lose', async () => {
  const { run } = device((index) => (index === 0 ? lost() : { error: 'access_denied', key: null }))
  expect(await failureOf(run)).toMatchObject({ code: 'authorization-denied', keyMayBeLost: false })
})

it('R-44: nothing is left behind when it succeeds', async () => {
  const controller = new AbortController()
  const listeners = countListeners(controller.signal)
  const { clock, run } = device(() => success, { deadline: '1h', signal: controller.signal })
  await run()
  expect([clock.timers, listeners()]).toEqual([0, 0])
})

it('R-44: a denial is typed and ends the polls', async () => {
  const { clock, run, polls } = device((index) =>
    index < 2 ? pending : { error: 'access_denied', key: null },
  )
  expect(await failureOf(run)).toMatchObject({ code: 'authorization-denied', serviceError: 'access_denied' })
  expect(polls).toHaveLength(3)
  expect(clock.timers).toBe(0)
})

it('R-44: the service may say that the codes expired', async () => {
  const { clock, run } = device((_index, at) =>
    at < 60_000 ? pending : { error: 'expired_token', key: null },
  )
  expect(await failureOf(run)).toMatchObject({ code: 'authorization-expired', serviceError: 'expired_token' })
  expect(clock.monotonic()).toBe(63_000)
})

it('R-44: without its word they expire by the lifetime from the receipt, exactly, and no poll comes after', async () => {
  const { clock, run, sentAt } = device(() => pending, { latencyMs: 100 })
  const error = await failureOf(run)
  expect(error).toMatchObject({ code: 'authorization-expired' })
  expect(error).not.toHaveProperty('serviceError')
  expect(clock.monotonic()).toBe(900_100)
  expect(sentAt().at(-1)).toBeLessThan(900_100)
  expect(clock.timers).toBe(0)
})

it('R-44: a poll that is under way when the codes expire may still bring the key, for a short while', async () => {
  const slow = (latencyMs: number) => {
    const { clock, run } = device(() => success, {
      record: { ...RECORD, expires_in: 8 },
      pollToken: async (_code, signal) => {
        await wait(clock, latencyMs, [signal])
        return success
      },
    })
    return { clock, run }
  }
  expect((await slow(5_000).run()).get()).toBe(KEY)
  const late = slow(60_000)
  expect(await failureOf(late.run)).toMatchObject({ code: 'authorization-expired', keyMayBeLost: true })
  expect(late.clock.monotonic()).toBe(18_000)
})

it('R-44: failed polls are survived while the codes live, at growing distances', async () => {
  const { run, sentAt, saved } = device((index) =>
    index < 5 ? ([refused(), httpError(500), lost(), httpError(503), refused()][index] ?? pending) : success,
  )
  await run()
  expect(sentAt()).toEqual([7_000, 21_000, 49_000, 105_000, 165_000, 225_000])
  expect(saved).toHaveLength(1)
})

it('R-44: Retry-After of a failed poll is honoured', async () => {
  const { run, sentAt } = device((index) => (index === 0 ? httpError(429, 40_000) : success))
  await run()
  expect(sentAt()).toEqual([7_000, 47_000])
})

it.each([400, 401, 404])(
  'R-44: a poll that the service refuses with %i ends the authorization with that error',
  async (status) => {
    const { run } = device(() => httpError(status))
    expect(await failureOf(run)).toMatchObject({ code: 'http', status })
  },
)

it('R-44: after a lost answer polling goes on, and a pending answer proves that nothing was lost', async () => {
  const { run } = device(
    (index) => [lost(), pending, { error: 'expired_token', key: null }][index] ?? pending,
  )
  expect(await failureOf(run)).toMatchObject({ code: 'authorization-expired', keyMayBeLost: false })
})

it.each<[string, Reply, string]>([
  ['neither key nor reason', { error: null, key: null }, 'authorization-failed'],
  ['an unknown word', { error: 'invalid_grant', key: null }, 'authorization-failed'],
  ['a refusal', httpError(400), 'authorization-failed'],
  ['the end of the codes', { error: 'expired_token', key: null }, 'authorization-expired'],
])(
  'R-44: when %s follows a lost answer, the error says that a key may be lost and a new code is needed',
  async (_name, reply, code) => {
    const { run } = device((index) => (index === 0 ? lost() : reply))
    const error = await failureOf(run)
    expect(error).toMatchObject({ code, keyMayBeLost: true })
    expect((error as Error).message).toContain('Ask for a new code')
    expect((error as Error).message).toContain('look in the account for a key')
  },
)

it.each<[string, () => Error, boolean]>([
  ['a connection that was never made', refused, false],
  ['a refusal for the rate', () => httpError(429), false],
  ['a lost connection', lost, true],
  ['a server error', () => httpError(502), true],
  ['a time-out', () => new TimeoutError('slow', { limitMs: 1, elapsedMs: 1 }), true],
  [
    'a time-out before anything was sent',
    () => new TimeoutError('slow', { limitMs: 1, elapsedMs: 1, sent: 'no' }),
    false,
  ],
])('R-44: whether a key may be lost is judged from the failure: %s', async (_name, failure, keyMayBeLost) => {
  const { run } = device((index) => (index === 0 ? failure() : { error: 'expired_token', key: null }))
  expect(await failureOf(run)).toMatchObject({ keyMayBeLost })
})

it('R-44: when save fails, the error says so, and the key is still to be had from it', async () => {
  let calls = 0
  const { run } = device(() => success, {
    save: async (key) => {
      calls += 1
      throw new Error(`disk full while writing ${key} for ${CODE}`, { cause: new Error(key) })
    },
  })
  const error = await failureOf(run)
  expect(error).toBeInstanceOf(KeyNotSavedError)
  expect(KeyNotSavedError.is(error)).toBe(true)
  expect(AuthorizationError.is(error)).toBe(true)
  expect(calls).toBe(1)
  const { takeKey, cause, keyPrefix } = error as KeyNotSavedError
  expect(Reflect.apply(takeKey, error, [])).toBe(KEY)
  expect(keyPrefix).toBe('sk_live')
  expect((cause as Error).message).toBe('disk full while writing [redacted] for [redacted]')
  expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(KEY)
})

it('R-44: neither an abort nor the deadline nor the end of the codes interrupts save', async () => {
  const controller = new AbortController()
  const { clock, run } = device(() => success, {
    signal: controller.signal,
    deadline: '8s',
    record: { ...RECORD, expires_in: 8 },
    save: () => wait(clock, 60_000),
  })
  clock.setTimer(() => controller.abort(), 7_500)
  expect((await run()).get()).toBe(KEY)
  expect(clock.monotonic()).toBe(67_000)
})

it('R-44: when save fails after an abort, the key is still to be had', async () => {
  const controller = new AbortController()
  const { clock, run } = device(() => success, {
    signal: controller.signal,
    save: async () => {
      await wait(clock, 1_000)
      throw new Error('disk full')
    },
  })
  clock.setTimer(() => controller.abort(), 7_500)
  expect(await failureOf(run)).toBeInstanceOf(KeyNotSavedError)
})

it('R-03: an abort ends it at once wherever it stands, with its own reason, and leaves nothing behind', async () => {
  for (const atMs of [50, 3_000, 7_150]) {
    const controller = new AbortController()
    const listeners = countListeners(controller.signal)
    const reason = new Error('enough')
    const { clock, run, polls } = device(() => pending, { latencyMs: 100, signal: controller.signal })
    clock.setTimer(() => controller.abort(reason), atMs)
    expect(await failureOf(run)).toBe(reason)
    expect(clock.monotonic()).toBe(atMs)
    expect(listeners()).toBe(0)
    await clock.advance(60_000)
    expect(polls.map(({ signal }) => signal.aborted)).toEqual(atMs > 7_000 ? [true] : [])
    expect(clock.timers).toBe(0)
  }
  const before = device(() => pending, { signal: AbortSignal.abort('before') })
  expect(await failureOf(before.run)).toBe('before')
  expect(before.prompts).toEqual([])
})

it('R-44: a deadline is exact, also for calls that take no notice of it', async () => {
  const { clock, run } = device(() => pending, { deadline: '100s' })
  expect(await failureOf(run)).toBeInstanceOf(DeadlineError)
  expect(clock.monotonic()).toBe(100_000)
  const deaf = device(() => pending, { deadline: '9s', pollToken: () => new Promise(() => {}) })
  expect(await failureOf(deaf.run)).toMatchObject({ code: 'deadline', limitMs: 9_000, elapsedMs: 9_000 })
  expect(deaf.clock.timers).toBe(0)
})

it('R-44: a deadline that cuts a poll off says that a key may be lost; one between two polls does not', async () => {
  const between = await failureOf(device(() => pending, { deadline: '8s' }).run)
  expect(between).toMatchObject({ name: 'DeviceDeadlineError', code: 'deadline', keyMayBeLost: false })
  const updates: DeviceUpdate[] = []
  const cut = device(() => success, {
    deadline: '9s',
    latencyMs: 3_000,
    record: { ...RECORD, interval: 5 },
    onUpdate: (update) => updates.push(update),
  })
  const error = await failureOf(cut.run)
  expect(error).toMatchObject({ keyMayBeLost: true, limitMs: 9_000, elapsedMs: 9_000 })
  expect(String(error)).toContain('look in the account for a key')
  expect(updates).toMatchObject([{ polls: 1, keyMayBeLost: true, nextPollInMs: undefined }])
  expect(cut.saved).toEqual([])
})

it('R-44: a deadline after a lost answer says that a key may be lost, until a pending answer proves otherwise', async () => {
  const after = device((index) => (index === 1 ? lost() : pending), { deadline: '20s' })
  expect(await failureOf(after.run)).toMatchObject({ keyMayBeLost: true })
  const proved = device((index) => (index === 1 ? lost() : pending), { deadline: '40s' })
  expect(await failureOf(proved.run)).toMatchObject({ keyMayBeLost: false })
})

it('R-44: an abort that cuts a poll off throws its own reason, and the last update says that a key may be lost', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const updates: DeviceUpdate[] = []
  const { clock, run } = device(() => success, {
    latencyMs: 3_000,
    signal: controller.signal,
    onUpdate: (update) => {
      updates.push(update)
      throw new Error('an observer that fails')
    },
  })
  clock.setTimer(() => controller.abort(reason), 11_000)
  expect(await failureOf(run)).toBe(reason)
  expect(updates).toMatchObject([{ keyMayBeLost: true }])
})

it('R-60: each failed poll that is survived is a retry event', async () => {
  const events: unknown[] = []
  const { run } = device((index) => [httpError(503), lost(), success][index] as Reply, {
    emit: (event) => events.push(event),
  })
  await run()
  const event = { type: 'retry', operation: 'pollDeviceToken' }
  expect(events).toEqual([
    { ...event, attempt: 1, delayMs: 14_000, cause: 503 },
    { ...event, attempt: 2, delayMs: 28_000, cause: 'connection' },
  ])
})

it('R-44: polling does not wait for the prompt', async () => {
  const { run, sentAt } = device(() => success, { onPrompt: () => new Promise(() => {}) })
  await run()
  expect(sentAt()).toEqual([7_000])
})

it('R-44: a prompt that fails ends it at once with its error, for the user has not seen the code', async () => {
  const mistake = new Error('no terminal')
  for (const failAfterMs of [0, 3_000]) {
    const { clock, run, polls } = device(() => success, {
      onPrompt: async () => {
        if (failAfterMs > 0) await wait(clock, failAfterMs)
        throw mistake
      },
    })
    expect(await failureOf(run)).toBe(mistake)
    expect(clock.monotonic()).toBe(failAfterMs)
    expect(polls).toEqual([])
  }
})

it('R-44: a key that comes while the prompt fails is kept all the same', async () => {
  const { clock, run, saved } = device(() => success, {
    latencyMs: 2_000,
    onPrompt: async () => {
      await wait(clock, 8_000)
      throw new Error('too late')
    },
  })
  await run()
  expect(saved).toHaveLength(1)
})

it('R-36: onUpdate tells polls, times and failures', async () => {
  const updates: unknown[] = []
  const failure = httpError(500)
  const { run } = device((index) => [pending, failure][index] ?? { error: 'expired_token', key: null }, {
    record: { ...RECORD, expires_in: 25 },
    onUpdate: (update) => updates.push(update),
  })
  await failureOf(run)
  expect(updates).toEqual([
    {
      state: 'pending',
      polls: 1,
      elapsedMs: 7_000,
      nextPollInMs: 7_000,
      expiresInMs: 18_000,
      keyMayBeLost: false,
    },
    {
      state: 'pending',
      polls: 2,
      elapsedMs: 14_000,
      nextPollInMs: undefined,
      expiresInMs: 11_000,
      keyMayBeLost: true,
      pollError: failure,
    },
  ])
})

it.each(['requestCode', 'pollToken', 'onPrompt', 'save'] as const)(
  'R-44: %s is required, and asked for before anything is sent',
  async (name) => {
    let asked = 0
    const { run } = device(() => success, {
      requestCode: async () => {
        asked += 1
        return RECORD
      },
      [name]: undefined,
    })
    const error = await failureOf(run)
    expect(error).toBeInstanceOf(OptionsError)
    expect(error).toMatchObject({ option: name })
    expect(asked).toBe(0)
  },
)

it.each<[string, unknown, string[]]>([
  ['without a device code', { ...RECORD, device_code: '' }, ['/device_code']],
  ['without anything', {}, ['/device_code', '/user_code', '/verification_uri', '/expires_in']],
  ['that is no object', null, ['/device_code', '/user_code', '/verification_uri', '/expires_in']],
  ['without a lifetime', { ...RECORD, expires_in: 0 }, ['/expires_in']],
  ['with an interval that is no number', { ...RECORD, interval: '5' }, ['/interval']],
  ['with a negative interval', { ...RECORD, interval: -1 }, ['/interval']],
  [
    'with an address that is no text',
    { ...RECORD, verification_uri_complete: 5 },
    ['/verification_uri_complete'],
  ],
])('R-04: a record %s is drift, and nothing is prompted or polled', async (_name, record, paths) => {
  const { run, prompts, polls } = device(() => success, { record })
  const error = await failureOf(run)
  expect(error).toMatchObject({ code: 'contract-drift', issues: paths.map((path) => ({ path })) })
  expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(CODE)
  expect([prompts.length, polls.length]).toEqual([0, 0])
})

/** Everything that could end up in a log. */
function shown(value: unknown): string {
  return [
    inspect(value, { showHidden: true, depth: 12 }),
    inspect(value, { customInspect: false, showHidden: true, depth: 12 }),
    inspect(value, { getters: true, depth: 12 }),
    JSON.stringify(value),
    String(value),
    value instanceof Error ? `${value.stack} ${value.message}` : '',
  ].join('\n')
}

it('R-44: device code and key are in no error, update, prompt or inspection, wherever others put them', async () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9_.~+/=-]{8,40}$/)
  const leak = fc.constantFrom(
    'message',
    'cause',
    'property',
    'deep',
    'word',
    'thrown text',
    'thrown object',
    'transient',
  )
  await fc.assert(
    fc.asyncProperty(
      secret,
      secret,
      leak,
      fc.constantFrom('poll', 'save', 'prompt', 'none'),
      async (code, key, how, where) => {
        fc.pre(!code.includes(key) && !key.includes(code))
        const seen: unknown[] = []
        const blab = (...secrets: string[]): never => {
          const text = secrets.map((each) => `${each} and ${encodeURIComponent(each)}`).join(' and ')
          if (how === 'thrown text') throw text
          if (how === 'thrown object') throw { text }
          if (how === 'cause') throw new Error('x', { cause: new Error(text) })
          if (how === 'property') throw Object.assign(new Error('x'), { request: text })
          if (how === 'deep')
            throw Object.assign(new Error('x'), { config: { headers: new Map([['a', [text]]]) } })
          if (how === 'transient') throw new ConnectionError(text, { phase: 'receive', sent: 'yes' })
          throw new Error(text)
        }
        let polls = 0
        const { clock, run } = device(() => pending, {
          record: { ...RECORD, device_code: code, expires_in: 60 },
          onPrompt: (prompt) => {
            seen.push(prompt)
            if (where === 'prompt') throw new Error('x')
          },
          pollToken: async (given) => {
            expect(given).toBe(code)
            if (where === 'poll' && polls++ > 0) {
              if (how === 'word') return { error: `unknown ${code}`, key: null }
              // The key cannot be known to a poll that fails.
              blab(code)
            }
            return polls > 1 || where !== 'poll' ? { error: null, key, keyPrefix: key } : pending
          },
          save: () => {
            if (where === 'save') blab(code, key)
          },
          onUpdate: (update) => seen.push(update),
        })
        using _ = clock
        seen.push(await run().catch((error: unknown) => error))
        for (const value of seen) {
          const text = shown(value)
          expect(text).not.toContain(code)
          expect(text).not.toContain(key)
        }
      },
    ),
    { numRuns: 150 },
  )
})
