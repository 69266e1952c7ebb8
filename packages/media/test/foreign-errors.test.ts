import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  NotFoundError,
  OperationFailedError,
  RateLimitedError,
  RequestInvalidError,
} from '@concord/runtime'
import { memoryTransport } from '@concord/runtime/testing'
import { describe, expect, it } from 'vitest'

import { TaskFailedError, type BatchOptions, type MediaOptions } from '../src/index.ts'
import { boats, memoryJournal, offline, rejection, rich, running, scripted, SECRET } from './support.ts'

const emulated = { media: { ...rich, tier: 2 as const } }

const response = (status: number) => ({ status, body: undefined, text: '', headers: () => new Headers() })

/** Errors of other calls or libraries, which would mean something if they were those of a submission. */
const foreignErrors = [
  () => new Error('the vault is sealed'),
  () => new ConnectionError('foreign', { phase: 'connect', sent: 'no' }, { operation: 'fetchToken' }),
  () => new ConnectionError('perhaps sent', { phase: 'send', sent: 'maybe' }),
  () => new BadRequestError('foreign', response(400)),
  () => new AuthenticationError('foreign', response(401)),
  () => new NotFoundError('foreign', response(404)),
  () => new ApiError('foreign', response(422)),
  () => new RateLimitedError('foreign', { ...response(429), retryAfterMs: 5_000 }, { retryHelps: true }),
  () => new RequestInvalidError('foreign', []),
].map((create) => [String(create()), create] as const)

const taskFailure = new TaskFailedError({ id: 'another', status: 'FAILED', failure: 'ASSET.INVALID' })
const workFailure = new OperationFailedError('foreign', { id: 'a', reason: 'no room', advice: 'none' })

const throwing = (error: unknown) => (): never => {
  throw error
}

describe('a batch that ends with the failure of another task', () => {
  it.each<[string, (end: AbortController) => Partial<BatchOptions>]>([
    ['onAccepted', () => ({ onAccepted: throwing(taskFailure) })],
    ['its signal', (end) => ({ signal: end.signal, onAccepted: () => end.abort(taskFailure) })],
  ])('R-37: waits for its own tasks when it is resumed, after %s', async (_where, options) => {
    const { media, emulator, client } = await offline({}, emulated)
    const journal = memoryJournal()
    const outcomes: string[] = []
    const first = media.batch(boats(3), {
      journal,
      tier: 2,
      onOutcome: ({ outcome }) => outcomes.push(outcome),
      ...options(new AbortController()),
    })
    expect(await rejection(first)).toBe(taskFailure)
    expect(outcomes).toEqual(['unfinished', 'unfinished', 'unfinished'])
    expect(journal.records.filter(({ type }) => type === 'failed')).toEqual([])
    expect(await client().resumeBatch(journal)).toMatchObject({ succeeded: 3 })
    expect(emulator.media.state.tasks).toHaveLength(3)
  })

  it('R-37: waits for the other tasks when it is resumed, after onOutcome has thrown the error of the first', async () => {
    const { media, emulator, client } = await offline({}, emulated)
    emulator.media.control.scriptTasks({ outcome: 'fail', failure: 'ASSET.INVALID' })
    emulator.media.control.scriptTasks({ outcome: 'hold' })
    const journal = memoryJournal()
    const first = media.batch(boats(2), {
      journal,
      tier: 2,
      onOutcome: (outcome) => {
        if (outcome.outcome === 'failed') throw outcome.error
      },
    })
    const [failed, held] = await rejection(first).then(() => emulator.media.state.tasks)
    expect(await rejection(first)).toMatchObject({ id: failed?.id })
    emulator.media.control.completeTask(held?.id ?? '')
    const report = await client().resumeBatch(journal)
    expect(report.outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'succeeded'])
  })

  it.each([
    ['of another task', taskFailure],
    ['of work at another service', workFailure],
  ])('R-37: reports a task as unfinished if storing its outputs throws the failure %s', async (_, error) => {
    const { media } = await offline({}, emulated)
    const report = await media.batch(boats(1), { store: throwing(error) })
    expect(report.outcomes).toMatchObject([{ outcome: 'unfinished', error }])
  })
})

describe('a submission whose own code throws the error of another call', () => {
  /** Runs a batch with a client that fails, and resumes it with one that doesn't. */
  async function resumed(failing: (works: Partial<MediaOptions>) => Partial<MediaOptions>) {
    const { emulator, client } = await offline({}, emulated)
    const transport = memoryTransport((request) => emulator.media.fetch(request))
    const journal = memoryJournal()
    const first = await client(failing({ transport })).batch(boats(2), { journal })
    return { emulator, first, second: await client().resumeBatch(journal) }
  }

  it.each(foreignErrors)(
    'R-21, R-37: a submission whose secret throws a foreign error is not sent: %s',
    async (_what, create) => {
      const error = create()
      let reads = 0
      const get = () => {
        reads++
        throw error
      }
      const { first, second } = await resumed(() => ({ apiSecret: { get } }))
      expect(first.outcomes).toMatchObject([
        { outcome: 'not-sent', error },
        { outcome: 'not-sent', error },
      ])
      expect(first.outcomes[0]).not.toHaveProperty('status')
      expect(reads).toBe(2)
      expect(second).toMatchObject({ succeeded: 2 })
    },
  )

  it.each(foreignErrors)(
    'R-21: a submission whose renewal of the secret throws a foreign error is not sent: %s',
    async (_what, create) => {
      const rejected = throwing(create())
      const { first, second } = await resumed(() => ({ apiSecret: { get: () => 'wrong', rejected } }))
      expect(first).toMatchObject({ notSent: 2 })
      expect(second).toMatchObject({ succeeded: 2 })
    },
  )

  it.each(foreignErrors)(
    'R-21: a submission is uncertain if the transport throws a foreign error after it sent the request: %s',
    async (_what, create) => {
      const { emulator, first, second } = await resumed(({ transport }) => ({
        transport: {
          async send(request) {
            await transport!.send(request)
            throw create()
          },
        },
      }))
      expect(first).toMatchObject({ uncertain: 2 })
      expect(second).toMatchObject({ uncertain: 2 })
      expect(emulator.media.state.tasks).toHaveLength(2)
    },
  )
})

it('R-33: a secret function that throws a NotFoundError does not make a canceled task look gone', async () => {
  const error = new NotFoundError('no such secret', response(404))
  let isSealed = false
  const apiSecret = () => (isSealed ? throwing(error)() : SECRET)
  const { media } = scripted([() => new Response(null, { status: 204 }), running()], { apiSecret })
  const task = media.task('a')
  await task.cancel()
  isSealed = true
  expect(await rejection(task.wait())).toBe(error)
})
