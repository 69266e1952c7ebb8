import { expect, it } from 'vitest'

import { defaultExtractionChoices, type Optimization, type RunFacts } from '../../src/index.ts'
import { pdfFile, startExtraction, type TestService } from '../support/extraction.ts'

interface Started {
  job_id: string
  blueprint_id: string
  status: string
}

const request = {
  name: 'Invoices',
  description: 'Supplier invoices',
  document_type: 'invoice',
  training_documents: ['one', 'two'],
  ground_truth_data: [
    { invoice_number: '1', total: 5 },
    { invoice_number: '2', total: 7.5, note: null },
  ],
  target_accuracy: 90,
  max_iterations: 10,
  max_cost_usd: 25,
}

const start = (service: TestService, json: object = request) =>
  service.json<Started>('/v1/optimize', { json })
const jobPath = (id: string) => `/v1/blueprints/jobs/${id}`
const read = (service: TestService, id: string) => service.json(jobPath(id))

it('an optimization run starts as pending, with its own blueprint', async () => {
  await using service = await startExtraction()
  const started = await start(service)
  expect(started).toEqual({
    job_id: expect.any(String),
    blueprint_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    status: 'pending',
  })
  expect(await service.json('/v1/blueprints/')).toEqual({
    blueprints: [{ id: started.blueprint_id, name: 'Invoices', active_version: null, accuracy: null }],
  })
})

it('an optimization run moves from pending to initializing to running to completed on the clock', async () => {
  await using service = await startExtraction()
  const { job_id } = await start(service)
  const seen: unknown[] = []
  for (let second = 0; second < 5; second++) {
    seen.push((await read(service, job_id))['status'])
    await service.control.clock.advance(1_000)
  }
  expect(seen).toEqual(['pending', 'initializing', 'running', 'running', 'completed'])
  expect(await read(service, job_id)).toEqual({
    status: 'completed',
    iteration: 2,
    baseline_accuracy: 70,
    current_accuracy: 92.5,
    target_accuracy: 90,
    total_cost: 0.5,
    max_cost_usd: 25,
  })
})

it('an optimization run returns a schema when it is completed, and adds a version to its blueprint that extracts fields', async () => {
  await using service = await startExtraction()
  const { job_id, blueprint_id } = await start(service)
  const early = await service.call(`${jobPath(job_id)}/schema`)
  expect(early.status).toBe(404)
  expect(await early.json()).toEqual({
    detail: expect.stringContaining('once the optimization has completed'),
  })
  await service.control.clock.advance(10_000)
  const schema = await service.json(`${jobPath(job_id)}/schema`)
  expect(schema).toEqual({
    type: 'object',
    properties: {
      invoice_number: { type: 'string', description: 'The invoice number of the document.' },
      total: { type: 'number', description: 'The total of the document.' },
      note: { type: 'null', description: 'The note of the document.' },
    },
    required: ['invoice_number', 'total'],
  })
  expect(await service.json(`/v1/blueprints/${blueprint_id}`)).toEqual({
    id: blueprint_id,
    name: 'Invoices',
    description: 'Supplier invoices',
    document_type: 'invoice',
    versions: [{ version: 1, schema, accuracy: 92.5, created_at: expect.any(String) }],
    active_version: 1,
    active_schema: schema,
    accuracy: 92.5,
  })
  const job = await service.process({
    file: await pdfFile(['Invoice number: 3', 'Total: 9.25']),
    blueprint_id,
  })
  expect(job.result?.data).toMatchObject({ invoice_number: { value: '3' }, total: { value: 9.25 } })
})

it('an optimization run requires no field, but at least two documents and as many truths if they are present', async () => {
  await using service = await startExtraction()
  const status = async (json: unknown) => (await service.call('/v1/optimize', { json })).status
  expect(await status({})).toBe(200)
  expect(await status({ training_documents: ['one'] })).toBe(400)
  expect(await status({ ...request, ground_truth_data: [{ total: 1 }] })).toBe(400)
  expect(await status({ ...request, target_accuracy: 'high' })).toBe(400)
  expect(await status({ ...request, max_iterations: 1.5 })).toBe(400)
  expect(await status([])).toBe(400)
})

it('an optimization run ends as the choices and the control interface say', async () => {
  await using service = await startExtraction({
    choices: {
      iterate: (run) => ({
        ...defaultExtractionChoices.iterate(run),
        end: run.iteration === 2 ? 'failed' : undefined,
      }),
      optimization: { iterationMs: 10 },
    },
  })
  const failed = await start(service)
  await service.control.clock.advance(2_030)
  expect(await read(service, failed.job_id)).toMatchObject({ status: 'failed', iteration: 3 })
  for (const status of ['completed', 'failed', 'cancelled'] as const) {
    const { job_id } = await start(service)
    service.control.endOptimization(job_id, status)
    await service.control.clock.advance(10_000)
    expect(await read(service, job_id)).toMatchObject({ status, iteration: 0 })
    expect(() => service.control.endOptimization(job_id, 'failed')).toThrow(`is already ${status}`)
  }
  const { job_id } = await start(service)
  service.control.advanceOptimization(job_id)
  expect(await read(service, job_id)).toMatchObject({ status: 'initializing' })
  service.control.advanceOptimization(job_id)
  service.control.advanceOptimization(job_id)
  expect(await read(service, job_id)).toMatchObject({ status: 'running', iteration: 1 })
  expect(() => service.control.advanceOptimization('unknown')).toThrow('Unknown optimization job unknown')
})

it('an optimization run is not found for another key or an unknown identifier', async () => {
  await using service = await startExtraction({ apiKeys: ['key-one', 'key-two'] })
  const { job_id, blueprint_id } = await start(service)
  for (const path of [jobPath(job_id), `${jobPath(job_id)}/schema`, `/v1/blueprints/${blueprint_id}`])
    expect((await service.call(path, { key: 'key-two' })).status).toBe(404)
  expect((await service.call(jobPath('unknown'))).status).toBe(404)
  expect((await service.call('/v1/blueprints/not-a-uuid')).status).toBe(400)
  expect(await service.json('/v1/blueprints/', { key: 'key-two' })).toEqual({ blueprints: [] })
})

const resume = (service: TestService, json: unknown) => service.call('/v1/optimize/resume', { json })

it('resuming a failed run starts a new one, since no transition from failed is documented', async () => {
  await using service = await startExtraction()
  const { job_id, blueprint_id } = await start(service)
  service.control.endOptimization(job_id, 'failed')
  const resumed = (await (await resume(service, { job_id })).json()) as Started
  expect(resumed).toEqual({ job_id: expect.any(String), blueprint_id, status: 'pending' })
  expect(resumed.job_id).not.toBe(job_id)
  expect(await read(service, job_id)).toMatchObject({ status: 'failed' })
  await service.control.clock.advance(10_000)
  expect(await read(service, resumed.job_id)).toMatchObject({ status: 'completed', target_accuracy: 90 })
})

it('resuming an existing blueprint starts a new run, which adds a version', async () => {
  await using service = await startExtraction()
  const { blueprint_id } = await start(service)
  await service.control.clock.advance(10_000)
  expect((await resume(service, { blueprint_id })).status).toBe(200)
  await service.control.clock.advance(10_000)
  expect(await service.json(`/v1/blueprints/${blueprint_id}`)).toMatchObject({ active_version: 2 })
})

it('resuming is rejected for a job that has not failed or is unknown, and for an unreadable body', async () => {
  await using service = await startExtraction()
  const { job_id } = await start(service)
  expect((await resume(service, { job_id })).status).toBe(400)
  expect((await resume(service, { job_id: 'unknown' })).status).toBe(404)
  expect((await resume(service, { blueprint_id: 'unknown' })).status).toBe(404)
  expect((await resume(service, { something: 'else' })).status).toBe(400)
  expect((await service.call('/v1/optimize/resume', { method: 'POST' })).status).toBe(400)
})

it("a resumed run repeats the request of the failed run, or else of the blueprint's latest run", async () => {
  const runs: Optimization[] = []
  const initial_schema = { type: 'object', properties: { iban: { type: 'string' } } }
  await using service = await startExtraction({
    choices: {
      successResponse(success) {
        if (success.operation === 'resumeOptimization') runs.push(structuredClone(success.value))
        return { body: success.body }
      },
    },
  })
  const { job_id, blueprint_id } = await start(service, { ...request, initial_schema })
  service.control.advanceOptimization(job_id)
  service.control.advanceOptimization(job_id)
  service.control.advanceOptimization(job_id)
  service.control.endOptimization(job_id, 'failed')
  await resume(service, { blueprint_id })
  await service.control.clock.advance(10_000)
  await resume(service, { job_id })
  await resume(service, { blueprint_id })
  const improved = { iban: { type: 'string', description: 'The iban of the document.' } }
  expect(runs.map(({ startingSchema }) => startingSchema['properties'])).toEqual([
    initial_schema.properties,
    initial_schema.properties,
    improved,
  ])
  for (const run of runs)
    expect(run).toMatchObject({
      iteration: 0,
      currentAccuracy: 70,
      totalCostUsd: 0,
      request: { name: 'Invoices', validation_split: 0.3 },
    })
})

it('`optimizeSchema` decides what an optimization changes', async () => {
  await using service = await startExtraction({
    choices: { optimizeSchema: ({ startingSchema }) => ({ ...startingSchema, title: 'Better' }) },
  })
  const { job_id } = await start(service)
  service.control.endOptimization(job_id, 'completed')
  expect(await service.json(`${jobPath(job_id)}/schema`)).toMatchObject({ title: 'Better' })
})

it('`startRun` decides where a run starts', async () => {
  const facts: RunFacts[] = []
  await using service = await startExtraction({
    choices: {
      startRun(known) {
        if (known.request) return defaultExtractionChoices.startRun(known)
        facts.push(structuredClone(known))
        const { currentAccuracy = 0, totalCostUsd = 0, iteration = 0 } = known.failed ?? {}
        const request = { target_accuracy: 99 }
        return { schema: { title: 'Mine' }, request, currentAccuracy, totalCostUsd, iteration }
      },
    },
  })
  const { job_id, blueprint_id } = await start(service)
  for (let step = 0; step < 3; step++) service.control.advanceOptimization(job_id)
  service.control.endOptimization(job_id, 'failed')
  const resumed = (await (await resume(service, { job_id })).json()) as Started
  expect(facts).toMatchObject([{ failed: { id: job_id }, latest: { id: job_id } }])
  expect(facts[0]).not.toHaveProperty('activeSchema')
  expect(await read(service, resumed.job_id)).toEqual({
    status: 'pending',
    iteration: 1,
    baseline_accuracy: 70,
    current_accuracy: 85,
    target_accuracy: 99,
    total_cost: 0.25,
  })
  service.control.endOptimization(resumed.job_id, 'completed')
  expect(await service.json(`${jobPath(resumed.job_id)}/schema`)).toEqual({ title: 'Mine' })
  await resume(service, { blueprint_id })
  expect(facts[1]).toMatchObject({ latest: { id: resumed.job_id }, activeSchema: { title: 'Mine' } })
  expect(facts[1]).not.toHaveProperty('failed')
})

it('blueprints can exist from the start or be added, for every key', async () => {
  const schema = { type: 'object', properties: { total: { type: 'number' } } }
  const id = '2f9f2a60-54f8-4c0b-9a55-7b0d2b8c6a11'
  await using service = await startExtraction({
    apiKeys: ['key-one', 'key-two'],
    blueprints: [{ id, name: 'Invoices', schema, accuracy: 94 }],
  })
  const added = service.control.addBlueprint({ name: 'Receipts' })
  for (const key of ['key-one', 'key-two'])
    expect(await service.json('/v1/blueprints/', { key })).toEqual({
      blueprints: [
        { id, name: 'Invoices', active_version: 1, accuracy: 94 },
        { id: added, name: 'Receipts', active_version: null, accuracy: null },
      ],
    })
})
