import * as fc from 'fast-check'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { wait } from '../core/async.ts'
import { AuthorizationError, ConnectionError, TimeoutError } from '../core/errors.ts'
import { type Duration, parseDuration } from '../core/option-checks.ts'
import { bearerCredential } from '../http/credential.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { httpError } from '../poll/test-support/scripted-service.ts'
import { DeviceAuthorizationError, KeyNotSavedError } from './errors.ts'
import type { DeviceTokenResponse, DeviceUpdate } from './authorize-device.ts'
import {
  CODE,
  device,
  KEY,
  lost,
  pending,
  RECORD,
  refused,
  type Reply,
  success,
} from './test-support/device.ts'

it('R-44: success is a key that is not null, whatever the error says, and save receives it before anything else', async () => {
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

it('R-44: a received key works as the credential of a client', async () => {
  const { run } = device(() => success)
  const { value } = bearerCredential(await run())
  expect(typeof value === 'function' && (await value())).toBe(KEY)
})

it.each([
  ['no error and no key', { error: null, key: null }, false],
  ['an unknown error', { error: 'try_tomorrow', key: null }, false],
  ['an error that is not a string', { error: { code: 1 }, key: null }, false],
  ['nothing at all', undefined, false],
  ['an empty key', { error: null, key: '' }, true],
  ['a key that is a number', { error: null, key: 42 }, true],
  ['a key that is an object', { error: null, key: {} }, true],
])(
  'R-44: %s is never a success, and says whether a key may be lost',
  async (_name, response, keyMayBeLost) => {
    const { run, saved, polls } = device(() => response as DeviceTokenResponse)
    const error = await rejection(run())
    expect(error).toBeInstanceOf(DeviceAuthorizationError)
    expect(AuthorizationError.is(error)).toBe(true)
    expect(error).toMatchObject({
      code: 'authorization-failed',
      operation: 'pollDeviceToken',
      keyMayBeLost,
    })
    expect(saved).toEqual([])
    expect(polls).toHaveLength(1)
  },
)

it('R-44: a denial after a lost response means that there was no key to lose', async () => {
  const { run } = device((index) => (index === 0 ? lost() : { error: 'access_denied', key: null }))
  expect(await rejection(run())).toMatchObject({ code: 'authorization-denied', keyMayBeLost: false })
})

it('R-44: a poll in flight when the codes expire may still return the key for 10 seconds', async () => {
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
  expect(await rejection(late.run())).toMatchObject({ code: 'authorization-expired', keyMayBeLost: true })
  expect(late.clock.monotonic()).toBe(18_000)
})

it.each([pending, { error: 'slow_down', key: null }])(
  'R-44: polling continues after a lost response, and $error proves that nothing was lost',
  async (reply) => {
    const replies = [lost(), reply]
    const { run } = device((index) => replies[index] ?? { error: 'expired_token', key: null })
    expect(await rejection(run())).toMatchObject({ code: 'authorization-expired', keyMayBeLost: false })
  },
)

it.each<[string, Reply, string]>([
  ['neither key nor reason', { error: null, key: null }, 'authorization-failed'],
  ['an unknown word', { error: 'invalid_grant', key: null }, 'authorization-failed'],
  ['a 400', httpError(400), 'authorization-failed'],
  ['the end of the codes', { error: 'expired_token', key: null }, 'authorization-expired'],
])(
  'R-44: when %s follows a lost response, the error says that a key may be lost and a new authorization is needed',
  async (_name, reply, code) => {
    const { run } = device((index) => (index === 0 ? lost() : reply))
    const error = await rejection(run())
    expect(error).toMatchObject({ code, keyMayBeLost: true })
    expect((error as Error).message).toContain('Start a new authorization')
    expect((error as Error).message).toContain('look in the account for an unused key')
  },
)

it.each<[string, () => Error, boolean]>([
  ['a connection that was never made', refused, false],
  ['a 429', () => httpError(429), false],
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
  expect(await rejection(run())).toMatchObject({ keyMayBeLost })
})

it('R-44: if save fails, the error says so and returns the key', async () => {
  let calls = 0
  const { run } = device(() => success, {
    save: async (key) => {
      calls += 1
      throw new Error(`disk full while writing ${key} for ${CODE}`, { cause: new Error(key) })
    },
  })
  const error = await rejection(run())
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

it('R-44: if save fails after an abort, the error returns the key', async () => {
  const controller = new AbortController()
  const { clock, run } = device(() => success, {
    signal: controller.signal,
    save: async () => {
      await wait(clock, 1_000)
      throw new Error('disk full')
    },
  })
  clock.setTimer(() => controller.abort(), 7_500)
  expect(await rejection(run())).toBeInstanceOf(KeyNotSavedError)
})

const lostOnce = (index: number): Reply => (index === 1 ? lost() : pending)

it.each<[string, (index: number) => Reply, Duration, Parameters<typeof device>[1], boolean]>([
  ['before the first poll', refused, '3s', {}, false],
  ['between two polls', () => pending, '8s', {}, false],
  ['during a poll', () => success, '9s', { latencyMs: 3_000, record: { ...RECORD, interval: 5 } }, true],
  ['after a poll that was not sent', refused, '9s', {}, false],
  ['after a lost response', lostOnce, '20s', {}, true],
  ['after a pending response to the poll after a lost one', lostOnce, '40s', {}, false],
])(
  'R-44: a deadline %s says whether a key may be lost',
  async (_what, reply, deadline, options, keyMayBeLost) => {
    const { run, saved, updates } = device(reply, { deadline, ...options })
    const error = await rejection(run())
    const limitMs = parseDuration(deadline)
    expect(error).toMatchObject({ name: 'DeviceDeadlineError', code: 'deadline', keyMayBeLost })
    expect(error).toMatchObject({ limitMs, elapsedMs: limitMs })
    expect(String(error).includes('look in the account for an unused key')).toBe(keyMayBeLost)
    if (keyMayBeLost) expect(updates.at(-1)).toMatchObject({ keyMayBeLost, nextPollInMs: undefined })
    if (deadline === '3s') expect(updates).toEqual([])
    expect(saved).toEqual([])
  },
)

it('R-44: an abort during a poll throws its own reason, and the last update says that a key may be lost', async () => {
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
  expect(await rejection(run())).toBe(reason)
  expect(updates).toMatchObject([{ keyMayBeLost: true }])
})

it('R-44: a key that arrives while the prompt fails is saved', async () => {
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

it('R-44: errors, updates, prompts and inspections show neither device code nor key, wherever other code puts them', async () => {
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

it('R-44: an abort between two polls sends no last update', async () => {
  const controller = new AbortController()
  const { clock, run, updates } = device(() => pending, { signal: controller.signal })
  clock.setTimer(() => controller.abort(), 8_000)
  await rejection(run())
  expect(updates).toHaveLength(1)
})

it('R-44: a poll that outlives the codes by 10 seconds is a time-out with its figures', async () => {
  const { run, updates } = device(() => success, {
    record: { ...RECORD, expires_in: 8 },
    pollToken: () => new Promise(() => {}),
  })
  await rejection(run())
  expect(updates).toMatchObject([{ pollError: { code: 'timeout', limitMs: 11_000, elapsedMs: 11_000 } }])
})

it('R-44: a key without a usable prefix has none', async () => {
  for (const keyPrefix of [undefined, null, 7 as never, `${KEY}...`]) {
    const { run, saved } = device(() => ({ error: null, key: KEY, keyPrefix }))
    expect((await run()).keyPrefix).toBeUndefined()
    expect(saved).toEqual([[KEY, { keyPrefix: undefined }]])
  }
  const failing = device(() => ({ error: null, key: KEY }), {
    save: () => Promise.reject(new Error('disk full')),
  })
  const error = await rejection(failing.run())
  expect(error).toMatchObject({ keyMayBeLost: false, operation: 'pollDeviceToken' })
  expect(error).not.toHaveProperty('keyPrefix')
})

it('R-11: a received key shows its prefix, and not itself', async () => {
  const { run } = device(() => success)
  const key = await run()
  expect(JSON.parse(JSON.stringify(key))).toEqual({ keyPrefix: 'sk_live', key: '[redacted]' })
  const text = 'AuthorizedKey {"keyPrefix":"sk_live","key":"[redacted]"}'
  expect([String(key), inspect(key)]).toEqual([text, text])
})
