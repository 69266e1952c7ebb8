import type { StoredSession, TokenStore } from '../session/token-store.ts'

/** One rule that a store must follow. @public */
export interface ConformanceCase {
  readonly name: string
  /** Rejects if the store breaks the rule. The error contains the expected and the actual value. */
  run(): Promise<void>
}

/** The store to check. @public */
export interface ConformanceSubject {
  /**
   * Creates new, empty storage (such as a directory) for one session. Returns `open`, a function that opens a store
   * in this storage. Each call of `open` represents another process that shares the storage. If your store works
   * only within one process, let `open` return the same store each time.
   */
  create(): Promise<{ readonly open: () => TokenStore; readonly dispose?: () => Promise<void> }>
}

/**
 * Returns the test cases that every {@link TokenStore} must pass. The cases work with any test runner:
 *
 * ```ts
 * for (const { name, run } of tokenStoreConformance({ create })) test(name, run)
 * ```
 *
 * The cases don't cover a killed process or a power failure. The documentation of {@link TokenStore} says what a store
 * must do in these situations.
 *
 * @public
 */
export function tokenStoreConformance(subject: ConformanceSubject): readonly ConformanceCase[] {
  return CASES.map(([name, check]) => ({
    name,
    async run() {
      const place = await subject.create()
      try {
        await check(place.open)
      } finally {
        await place.dispose?.()
      }
    },
  }))
}

const FIRST: StoredSession = {
  accessToken: 'access-1',
  refreshToken: 'refresh-1',
  obtainedAtMs: 1_000,
  expiresAtMs: 3_601_000,
  subject: 'somebody',
  details: { name: 'Some\u2028body \ud83d\ude00', nested: [1, null, { deep: true }] },
}
const SECOND: StoredSession = {
  accessToken: 'access-2',
  obtainedAtMs: 2_000.5,
  presented: 1,
  rejected: true,
}

type Check = (open: () => TokenStore) => Promise<void>

const CASES: readonly (readonly [string, Check])[] = [
  [
    'an empty store returns nothing',
    async (open) => {
      same(await open().read(), undefined, 'read() of an empty store')
      same(await open().exclusive((held) => held.read()), undefined, 'read() while the store is held')
    },
  ],
  [
    'a written session is read back completely, by every process',
    async (open) => {
      await open().exclusive(async (held) => {
        await held.write(FIRST)
        same(await held.read(), FIRST, 'read() while the store is held')
      })
      same(await open().read(), FIRST, 'read() of another store')
    },
  ],
  [
    'a write replaces everything: nothing of an earlier session is left',
    async (open) => {
      await open().exclusive((held) => held.write(FIRST))
      await open().exclusive((held) => held.write(SECOND))
      same(await open().read(), SECOND, 'read()')
    },
  ],
  [
    'a store keeps its own copy: changes to a session object do not change the stored session',
    async (open) => {
      const session = structuredClone(FIRST) as { accessToken: string }
      await open().exclusive((held) => held.write(session as StoredSession))
      session.accessToken = 'changed'
      const found = (await open().read()) as { accessToken: string }
      found.accessToken = 'changed'
      same(await open().read(), FIRST, 'read()')
    },
  ],
  [
    'a removed session is gone, and `remove()` also succeeds if the store is empty',
    async (open) => {
      await open().exclusive((held) => held.remove())
      await open().exclusive((held) => held.write(FIRST))
      await open().exclusive((held) => held.remove())
      same(await open().read(), undefined, 'read()')
    },
  ],
  [
    'a store runs one piece of work at a time, and loses no write',
    async (open) => {
      let inside = 0
      let most = 0
      await Promise.all(
        Array.from({ length: 12 }, () =>
          open().exclusive(async (held) => {
            most = Math.max(most, ++inside)
            const { obtainedAtMs = 0 } = (await held.read()) ?? {}
            await turn()
            await held.write({ accessToken: 'a', obtainedAtMs: obtainedAtMs + 1 })
            inside--
          }),
        ),
      )
      same(most, 1, 'the maximum number of pieces of work that ran at once')
      same((await open().read())?.obtainedAtMs, 12, 'the number of writes that were kept')
    },
  ],
  [
    'if work throws, the store is released, and the caller receives the error unchanged',
    async (open) => {
      const failure = new Error('the work failed')
      const caught = await open()
        .exclusive(() => Promise.reject(failure))
        .catch((error: unknown) => error)
      same(caught === failure, true, 'whether the caller received the same error')
      same(await open().exclusive(async () => 'free'), 'free', 'the result of the next piece of work')
    },
  ],
  [
    'if the signal aborts while a call waits for the store, the call rejects with the abort reason, and other work continues',
    async (open) => {
      const { promise: letGo, resolve } = Promise.withResolvers<void>()
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const first = open().exclusive(async () => {
        begin()
        await letGo
        return 'first'
      })
      await begun
      const controller = new AbortController()
      const reason = new Error('no more')
      let ran = false
      const second = open()
        .exclusive(async () => {
          ran = true
        }, controller.signal)
        .catch((error: unknown) => error)
      controller.abort(reason)
      same((await second) === reason, true, 'whether the call rejected with the reason of the abort')
      resolve()
      same(await first, 'first', 'the result of the work that had begun')
      same(await open().exclusive(async () => 'third'), 'third', 'the result of the next piece of work')
      same(ran, false, 'whether the aborted work ran')
    },
  ],
  [
    'the request log, if present, is shared by all callers, and only one of them changes it at a time',
    async (open) => {
      if (open().requestLog === undefined) return
      await Promise.all(
        Array.from({ length: 12 }, () =>
          open().requestLog!.update((record) => ({
            record: { ...record, timesMs: [...record.timesMs, record.timesMs.length] },
            result: undefined,
          })),
        ),
      )
      const times = await open().requestLog!.update((record) => ({
        record: { ...record, holdUntilMs: 7 },
        result: record.timesMs,
      }))
      same(
        times,
        Array.from({ length: 12 }, (_, index) => index),
        '`timesMs` of the request log',
      )
      const hold = await open().requestLog!.update((record) => ({ record, result: record.holdUntilMs }))
      same(hold, 7, '`holdUntilMs` of the request log')
      same(await open().read(), undefined, 'read() after changes to the request log')
    },
  ],
]

function same(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [canonical(actual), canonical(expected)]
  if (is !== should) throw new Error(`${what}: expected ${should}, got ${is}`)
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? 'undefined'
  )
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
