import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { frozenClock } from '@concord/emulator'
import { virtualClock } from '@concord/runtime/testing'
import { buildWorker } from '@concord/contract-kit/build-worker'
import { type DatabaseServer, startDatabaseServer } from '@concord/database'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { StorageAuth } from '../../src/index.ts'
import { fileStore } from '../../src/node.ts'
import { WHO_AM_I } from '../support.ts'
import { FROZEN_AT_MS } from './open-place.ts'
import { filePlace, type Place, postgresPlace } from './places.ts'
import { type Moment, watched, Worker } from './support.ts'

let worker: Awaited<ReturnType<typeof buildWorker>>
beforeAll(async () => {
  worker = await buildWorker(join(import.meta.dirname, '..', '..'), 'test/processes/worker.ts')
}, 60_000)
afterAll(() => rm(worker.folder, { recursive: true, force: true }))

let server: DatabaseServer
beforeAll(async () => {
  server = await startDatabaseServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const PLACES = [
  { kind: 'file', create: filePlace, processes: 16, rounds: 10, kills: 200 },
  // Fewer, because each process loads a driver and opens connections.
  {
    kind: 'database',
    create: (): Promise<Place> => postgresPlace(server),
    processes: 6,
    rounds: 6,
    kills: 32,
  },
] as const

const NO_LIMIT = { storageAuth: { tokenRequestsPerMinute: Infinity } }

it.each(PLACES)(
  'R-41: $processes processes, $rounds rounds, one $kind: one refresh a round, none rejected, no session lost',
  async ({ create, processes, rounds }) => {
    await using service = await watched(await create(), NO_LIMIT)
    const { emulator, authUrl, dataUrl, place } = service
    await using storage = new StorageAuth({ authUrl, dataUrl, store: place.open() })
    await storage.signIn(emulator.storageAuth)
    const workers = Array.from({ length: processes }, () => new Worker(worker.file, service, 'unlimited'))
    try {
      await Promise.all(workers.map((each) => each.next()))
      for (let round = 1; round <= rounds; round++) {
        expect(emulator.storageAuth.control.expireAccessTokens()).toBeGreaterThan(0)
        const reports = await Promise.all(workers.map((each) => each.do({ do: 'fetch', path: WHO_AM_I })))
        expect(reports.map(({ outcome }) => outcome)).toEqual(workers.map(() => 200))
        expect(emulator.storageAuth.control.counters().refreshes).toEqual({
          granted: round,
          unknown: 0,
          expired: 0,
          revoked: 0,
          locked: 0,
        })
      }
    } finally {
      await Promise.all(workers.map((each) => each.kill()))
    }
    expect(service.presentations).toHaveLength(rounds)
  },
  300_000,
)

/** Returns a generator of numbers in [0, 1) that are the same in each run. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** When the killing starts. `dropped`: like `presented`, but the token never reaches the service. */
const MOMENTS: readonly (Moment | 'dropped')[] = [
  'rejected',
  'rejected',
  'presented',
  'dropped',
  'granted',
  'responded',
]

it.each(PLACES)(
  'R-42: when processes that share a $kind are killed at random moments of a refresh, no token is presented after its successor was stored, the stored session is always complete, and the session survives or is known to be lost',
  async ({ create, kills: KILLS }) => {
    await using service = await watched(await create(), NO_LIMIT)
    const { emulator, authUrl, dataUrl, place } = service
    const { control } = emulator.storageAuth
    const random = sequence(42)
    await using storage = new StorageAuth({
      authUrl,
      dataUrl,
      store: place.open(),
      tokenRequestsPerMinute: Infinity,
    })
    await storage.signIn(emulator.storageAuth)

    const AT_ONCE = 4
    const start = (): Worker[] =>
      Array.from({ length: AT_ONCE }, () => new Worker(worker.file, service, 'unlimited'))
    const ends = { working: 0, revived: 0, lost: 0 }
    let killed = 0
    let kills = 0
    let upcoming = start()
    // A short series can miss one of the ends by chance, so it continues until each has occurred.
    const isEnough = (): boolean =>
      kills >= 4 * KILLS || (kills >= KILLS && Object.values(ends).every((count) => count > 0))
    try {
      for (; !isEnough(); kills += AT_ONCE) {
        const victims = upcoming.length > 0 ? upcoming : start()
        upcoming = kills + AT_ONCE < KILLS ? start() : []
        await Promise.all(victims.map((each) => each.next()))
        control.expireAccessTokens()
        // One of them refreshes, the others wait for it or use its pair. They are killed one after the other, beginning at a
        // random moment of the refresh, within a random time about as long as its steps take.
        const moment = MOMENTS[Math.floor(random() * MOMENTS.length)]!
        const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
        const { promise: done, resolve: finish } = Promise.withResolvers<'drop'>()
        service.onMoment = (now) => {
          if (now !== (moment === 'dropped' ? 'presented' : moment)) return undefined
          reach()
          return moment === 'dropped' ? done : undefined
        }
        for (const each of victims) each.tell({ do: 'fetch', path: WHO_AM_I })
        await reached
        await Promise.all(
          victims.map(async (each) => {
            await new Promise((resolve) => setTimeout(resolve, Math.max(0, random() * 12 - 2)))
            await each.kill()
            const { outcome } = await each.next()
            if (outcome === 'killed') killed++
          }),
        )
        service.onMoment = () => undefined
        finish('drop')
        await place.stored() // Throws if it is incomplete.

        control.expireAccessTokens()
        await using session = await storage.resume()
        const end =
          session === undefined
            ? 'session-lost'
            : await session.fetch(WHO_AM_I).then(
                ({ status }) => status,
                (error: { code?: string }) => error.code,
              )
        const lastToken = service.presentations.at(-1)?.token
        const tries = service.presentations.filter(({ token }) => token === lastToken).length
        if (end === 200) ends[tries === 2 ? 'revived' : 'working']++
        else {
          expect(end).toBe('session-lost')
          ends.lost++
          // It stays lost for every process, and nothing is presented for it anymore.
          const before = service.presentations.length
          expect(await storage.resume()).toBeUndefined()
          expect(service.presentations).toHaveLength(before)
          await storage.signIn(emulator.storageAuth)
        }
      }
    } finally {
      await Promise.all(upcoming.map((each) => each.kill()))
    }

    // Whenever a token is presented, the store says so, and contains that token and no later one.
    for (const { token, stored } of service.presentations) {
      expect(stored?.refreshToken).toBe(token)
      expect(stored?.presented).toBeGreaterThanOrEqual(1)
      expect(stored?.presented).toBeLessThanOrEqual(2)
    }
    const times = Map.groupBy(service.presentations, ({ token }) => token)
    for (const presentations of times.values()) expect(presentations.length).toBeLessThanOrEqual(2)
    const { refreshes } = control.counters()
    expect(refreshes.unknown + refreshes.expired + refreshes.locked).toBe(0)
    // Checks that the kills hit something: some left a complete pair, some left a token that was presented again successfully,
    // and some lost the only response with the new pair.
    expect(ends.working).toBeGreaterThan(0)
    expect(ends.revived).toBeGreaterThan(0)
    expect(ends.lost).toBeGreaterThan(0)
    expect(ends.working + ends.revived + ends.lost).toBe(kills / AT_ONCE)
    expect(killed).toBe(kills)
  },
  600_000,
)

it.each(PLACES)(
  'R-46: processes that share a $kind together make exactly ten token requests in a minute',
  async ({ create }) => {
    // All clocks are frozen, so that no deadline passes and no request leaves the window on a busy machine.
    await using service = await watched(await create(), { clock: frozenClock(FROZEN_AT_MS) })
    const workers = Array.from({ length: 4 }, () => new Worker(worker.file, service, 'frozen'))
    const { email, password } = service.emulator.storageAuth
    const outcomes: (number | string)[] = []
    try {
      await Promise.all(
        workers.map(async (each) => {
          await each.next()
          each.tell({ do: 'sign-in', email, password, times: 10 })
          for (let ended = false; !ended;) {
            const { outcome } = await each.next()
            outcomes.push(outcome)
            ended = outcome !== 'signed-in'
          }
        }),
      )
    } finally {
      await Promise.all(workers.map((each) => each.kill()))
    }
    expect(outcomes.filter((outcome) => outcome === 'signed-in')).toHaveLength(10)
    expect(outcomes.filter((outcome) => outcome !== 'signed-in')).toEqual(workers.map(() => 'deadline'))
    const counters = service.emulator.storageAuth.control.counters()
    expect(counters.logins.granted).toBe(10)
    expect(counters.rateLimited).toBe(0)
  },
  300_000,
)

it('R-46: a process that is killed while it waits for the rate delays no other, and frees no used slot', async () => {
  await using service = await watched(await filePlace(), { clock: frozenClock(FROZEN_AT_MS) })
  const { emulator, authUrl, dataUrl, place } = service
  const path = place.address
  const { control } = emulator.storageAuth
  // Well below the 30 seconds after which the lock of an unknown owner would be taken over.
  const store = fileStore(path, { lockWaitMs: 10_000 })
  const clock = virtualClock({ start: FROZEN_AT_MS, autoAdvance: false })
  await using storage = new StorageAuth({ authUrl, dataUrl, store, clock })
  for (let count = 0; count < 10; count++) await storage.signIn(emulator.storageAuth)
  control.expireAccessTokens()
  const log = join(`${path}.lock`, 'requests.json')
  const changedAt = async () => (await stat(log)).ctimeMs
  const before = await changedAt()
  const waiting = new Worker(worker.file, service, 'frozen')
  try {
    await waiting.next()
    waiting.tell({ do: 'fetch', path: WHO_AM_I })
    // It has found no free slot, and waits without holding the session's lock.
    await expect.poll(changedAt).not.toBe(before)
    await expect.poll(() => readdir(join(`${path}.lock`, 'session', 'held'))).toEqual([])
  } finally {
    await waiting.kill()
  }
  expect(await store.exclusive((held) => held.read())).toMatchObject({ refreshToken: expect.any(String) })
  expect((await place.stored())?.presented).toBeUndefined()
  expect(service.presentations).toEqual([])
  await expect(storage.signIn(emulator.storageAuth, { deadline: '1s' })).rejects.toMatchObject({
    code: 'deadline',
  })
  expect((JSON.parse(await readFile(log, 'utf8')) as { timesMs: number[] }).timesMs).toHaveLength(10)
  expect(control.counters().logins.granted).toBe(10)
  expect(control.counters().rateLimited).toBe(0)
}, 60_000)
