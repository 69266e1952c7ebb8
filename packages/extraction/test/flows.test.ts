import { inspect } from 'node:util'

import { expect, expectTypeOf, it } from 'vitest'

import type { Extraction } from '../src/index.ts'
import {
  AuthorizationError,
  type JobStatus,
  OptimizationFailedError,
  type OptimizationRequest,
  RequestInvalidError,
  type SecretSource,
} from '../src/index.ts'
import { invoice, offline, rejection } from './support.ts'

const request = { training_documents: ['a', 'b'], ground_truth_data: [{ total: 1 }, { total: 2 }] }

it('R-44: device authorization passes the key to save, and shows it in no other place', async () => {
  const shown: unknown[] = []
  const { emulator, client } = await offline()
  const anonymous = client({
    apiKey: () => {
      throw new Error('no key is needed')
    },
    observe: (event) => shown.push(event),
  })
  let kept = ''
  const authorized = await anonymous.authorizeDevice({
    agentName: 'Test agent',
    onPrompt: (prompt) => {
      shown.push(prompt)
      emulator.extraction.control.approveDevice(prompt.user_code)
    },
    save: (key) => void (kept = key),
  })
  expect(kept).toMatch(/^emk_/)
  expect(emulator.extraction.state.devices).toEqual([
    expect.objectContaining({ agentName: 'Test agent', tooFastPolls: 0 }),
  ])
  expect(
    `${inspect(authorized)} ${JSON.stringify(authorized)} ${inspect(shown, { depth: 9 })}`,
  ).not.toContain(kept)
  expect(`${inspect(shown, { depth: 9 })}`).not.toContain('emd_')
  expect(await client({ apiKey: kept }).api.listBlueprints()).toBeDefined()
})

it.each([200, 400])(
  'R-44: device authorization reads the three fields with status %i, and reports a denial',
  async (status) => {
    const respondToPoll = (state: string) => (state === 'pending' || state === 'denied' ? { status } : {})
    const { emulator, extraction } = await offline({}, { choices: { respondToPoll } })
    const error = await rejection(
      extraction.authorizeDevice({
        onPrompt: ({ user_code }) => emulator.extraction.control.denyDevice(user_code),
        save: () => {},
      }),
    )
    expect(AuthorizationError.is(error)).toBe(true)
    expect(error).toMatchObject({ code: 'authorization-denied' })
  },
)

it('the optimizer follows a run to its schema, and yields every change', async () => {
  const { extraction } = await offline()
  const run = await extraction.optimize({ ...request, target_accuracy: 90 })
  expect(run.status).toBeTypeOf('string')
  expect(run.extra).toEqual({ blueprint_id: expect.any(String) })
  const seen: (string | undefined)[] = []
  for await (const { status } of run) seen.push(status)
  expect(seen.at(-1)).toBe('completed')
  const done = await run.wait()
  expect(await done.schema()).toMatchObject({ type: 'object', properties: { total: {} } })
  const again = await extraction.optimizationFrom(run.resumeToken()).wait()
  expect(again.current_accuracy).toBe(done.current_accuracy)
  expect((await extraction.optimization(run.id).wait()).status).toBe('completed')
})

it.each(['failed', 'cancelled'] as const)(
  'the optimizer throws an error for a run that %s, which is an end',
  async (status) => {
    const { extraction, emulator } = await offline()
    const run = await extraction.optimize(request)
    emulator.extraction.control.advanceOptimization(run.id)
    emulator.extraction.control.advanceOptimization(run.id)
    emulator.extraction.control.endOptimization(run.id, status)
    const error = await rejection(run.wait())
    expect(OptimizationFailedError.is(error)).toBe(true)
    expect(error).toMatchObject({
      id: run.id,
      status,
      reason: '',
      operation: 'getOptimizationJob',
      job: { status },
    })
  },
)

it.each<[string, (extraction: Extraction, body: OptimizationRequest) => Promise<unknown>]>([
  ['optimize', (extraction, body) => extraction.optimize(body)],
  ['api', (extraction, body) => extraction.api.startOptimization({ body })],
  ['withResponse', (extraction, body) => extraction.withResponse.startOptimization({ body })],
])(
  'the optimizer requires one object of expected values for each training document, through `%s`',
  async (_face, start) => {
    const { extraction, emulator } = await offline()
    const error = await rejection(start(extraction, { ...request, ground_truth_data: [{ total: 1 }] }))
    expect(RequestInvalidError.is(error)).toBe(true)
    expect(error).toMatchObject({
      code: 'invalid-request',
      operation: 'startOptimization',
      issues: [{ path: '/body/ground_truth_data' }],
    })
    expect(emulator.extraction.control.requests()).toHaveLength(0)
  },
)

it('the optimizer rejects a misspelled field, so that no run starts without its limit', async () => {
  const { extraction, emulator } = await offline()
  const misspelled = { ...request, max_cost: 5 } as OptimizationRequest
  await expect(extraction.optimize(misspelled)).rejects.toThrow(
    /Unknown option `request\.max_cost`\..*`max_cost_usd`.*`extra\.body`/,
  )
  await expect(extraction.optimize(undefined as never)).rejects.toThrow(/`request` must be an object/)
  await expect(extraction.api.startOptimization(undefined as never)).rejects.toMatchObject({
    code: 'invalid-request',
  })
  expect(emulator.extraction.control.requests()).toHaveLength(0)
  await extraction.optimize(request, { extra: { body: { max_cost: 5 } } })
  expect(emulator.extraction.state.optimizations).toHaveLength(1)
})

it('R-34: polls keep within the rate of the plan, and leave room for submissions', async () => {
  const { extraction, emulator } = await offline(
    { polling: { requestsPerMinute: 10, reserve: 4 } },
    { plan: 'free', choices: { courseOf: () => ({ processingMs: 200_000 }) } },
  )
  const jobs = await Promise.all([1, 2, 3].map(() => extraction.submit({ file: invoice })))
  const waits = await Promise.all(jobs.map((job) => job.wait()))
  expect(waits.map((done) => done.status)).toEqual(['completed', 'completed', 'completed'])
  const requests = emulator.extraction.control.requests()
  expect(requests.filter((request) => request.status === 429)).toEqual([])
  const polls = requests.filter((request) => request.operationId === 'getJob').map((request) => request.at)
  for (const from of polls)
    expect(polls.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(6)
})

const sources: [string, SecretSource][] = [
  ['a text', 'super-secret-key-0001'],
  ['a function', () => 'super-secret-key-0001'],
  ['a store', { get: async () => 'super-secret-key-0001' }],
]

it.each(sources)('R-11, R-40: a client shows no key that is given as %s', async (_what, apiKey) => {
  const { client } = await offline({}, { apiKeys: ['super-secret-key-0001'] })
  const extraction = client({ apiKey })
  await extraction.api.listBlueprints()
  const job_id = '00000000-0000-4000-8000-000000000000'
  const broken = await rejection(extraction.api.getJob({ path: { job_id } }))
  for (const value of [extraction, extraction.api, broken]) {
    expect(
      `${inspect(value, { depth: 9, showHidden: true })} ${JSON.stringify(value)} ${String(value)}`,
    ).not.toContain('super-secret')
  }
})

it('types keep the ids of documents and of optimization runs apart', async () => {
  const { extraction } = await offline()
  const job = extraction.job('any string')
  const run = extraction.optimization('any string')
  expectTypeOf(extraction.job(job.id)).toEqualTypeOf(job)
  // @ts-expect-error the id of an optimization run
  extraction.job(run.id)
  // @ts-expect-error the id of a document's job
  extraction.optimization(job.id)
})

it('types know the statuses of a job, and leave room for others', async () => {
  const { extraction } = await offline()
  const job = extraction.job('any string')
  expectTypeOf<'completed'>().toExtend<NonNullable<typeof job.status>>()
  expectTypeOf(job.status).toEqualTypeOf<JobStatus | (string & {}) | undefined>()
  type Done = Awaited<ReturnType<typeof job.wait>>
  expectTypeOf<Done['created_at']>().toEqualTypeOf<string>()
  expectTypeOf<Done['completed_at']>().toEqualTypeOf<string>()
})
