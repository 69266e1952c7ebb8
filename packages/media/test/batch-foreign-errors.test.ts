import { AuthenticationError, BadRequestError, ConnectionError, RateLimitedError } from '@concord/runtime'
import { memoryTransport } from '@concord/runtime/testing'
import { describe, expect, it } from 'vitest'

import { TaskFailedError, type BatchOptions, type MediaOptions } from '../src/index.ts'
import { boats, byPrompt, memoryJournal, offline, rejection } from './support.ts'

const rich = {
  credits: 1_000_000,
  choices: { ...byPrompt, credits: { usdPerCredit: 0.0001 } },
  tier: 2 as const,
}

const response = (status: number) => ({ status, body: undefined, text: '', headers: () => new Headers() })

/** Errors of other calls, which would mean something if they were those of a submission. */
const apiErrors = [
  () => new AuthenticationError('foreign', response(401)),
  () => new BadRequestError('foreign', response(400)),
  () => new RateLimitedError('foreign', { ...response(429), retryAfterMs: 5_000 }, { retryHelps: true }),
].map((create) => [create().name, create] as const)

const connectionError = () =>
  new ConnectionError('foreign', { phase: 'connect', sent: 'no' }, { operation: 'fetchToken' })
const foreignErrors = [...apiErrors, [connectionError().name, connectionError] as const]

const taskFailure = new TaskFailedError({ id: 'another', status: 'FAILED', failure: 'ASSET.INVALID' })

/** Ends a batch of three tasks in progress with the failure of another task. */
const endings: [string, (end: AbortController) => Partial<BatchOptions>][] = [
  ['onAccepted', () => ({ onAccepted: fail })],
  ['its signal', (end) => ({ signal: end.signal, onAccepted: () => end.abort(taskFailure) })],
]

function fail(): never {
  throw taskFailure
}

describe('a batch that ends with the failure of another task', () => {
  it.each(endings)('R-37: waits for its own tasks when it is resumed, after %s', async (_where, options) => {
    const { media, emulator, client } = await offline({}, { media: rich })
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
    const { media, emulator, client } = await offline({}, { media: rich })
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

  it('reports a task as unfinished if its outputs could not be stored because of it', async () => {
    const { media } = await offline({}, { media: rich })
    const report = await media.batch(boats(1), { store: fail })
    expect(report.outcomes).toMatchObject([{ outcome: 'unfinished', error: taskFailure }])
  })
})

describe('a submission whose own code throws the error of another call', () => {
  /** Runs a batch with a client that fails, and resumes it with one that doesn't. */
  async function resumed(failing: (works: Partial<MediaOptions>) => Partial<MediaOptions>) {
    const { emulator, client } = await offline({}, { media: rich })
    const transport = memoryTransport((request) => emulator.media.fetch(request))
    const journal = memoryJournal()
    const first = await client(failing({ transport })).batch(boats(2), { journal })
    return { emulator, first, second: await client().resumeBatch(journal) }
  }

  it.each(foreignErrors)('R-21: is not judged by it if the secret throws it: %s', async (_name, create) => {
    const error = create()
    const get = () => Promise.reject(error)
    const { first, second } = await resumed(() => ({ apiSecret: { get } }))
    expect(first.outcomes).toMatchObject([
      { outcome: 'not-sent', error },
      { outcome: 'not-sent', error },
    ])
    expect(first.outcomes[0]).not.toHaveProperty('status')
    expect(second).toMatchObject({ succeeded: 2 })
  })

  it.each(foreignErrors)(
    'R-21: is not judged by it if the renewal of the secret throws it: %s',
    async (_name, create) => {
      const rejected = () => Promise.reject(create())
      const { first, second } = await resumed(() => ({ apiSecret: { get: () => 'wrong', rejected } }))
      expect(first).toMatchObject({ notSent: 2 })
      expect(second).toMatchObject({ succeeded: 2 })
    },
  )

  it.each(foreignErrors)(
    'R-21: is uncertain if the transport throws it after the request was sent: %s',
    async (_name, create) => {
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

it('R-37: rejects a journal with a repeated or missing record, and sends nothing', async () => {
  const { media, emulator, client } = await offline({}, { media: rich })
  const journal = memoryJournal()
  await media.batch(boats(2), { journal })
  const { records } = journal
  const changed = memoryJournal()
  for (const [at, { type }] of records.entries()) {
    // Whether an outcome was reported once more doesn't matter.
    if (type === 'reported') continue
    for (const between of [records.slice(0, at), records.slice(0, at + 1), records.slice(0, at + 2)]) {
      changed.records = structuredClone([...between, ...records.slice(between.length === at ? at + 1 : at)])
      expect(await rejection(client().resumeBatch(changed)), `${between.length} of ${at}`).toMatchObject({
        option: 'journal',
      })
    }
  }
  expect(emulator.media.state.tasks).toHaveLength(2)
})
