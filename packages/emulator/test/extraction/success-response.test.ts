import { expect, it } from 'vitest'

import { loadSpecification } from '../../src/core/specification.ts'
import { pdfFile, startExtraction, type TestService } from '../support/extraction.ts'

const { operations } = loadSpecification('extraction/openapi.yaml')

/** Calls every operation successfully. Returns the responses by operation. */
async function callAll(service: TestService): Promise<Record<string, Response>> {
  const post = (path: string, json: object) => service.call(path, { json })
  const blueprint = service.control.addBlueprint({ name: 'Receipts' })
  const processDocument = await service.submit({ file: await pdfFile(['Hello']) })
  await service.control.clock.advance(4_000)
  const startOptimization = await post('/v1/optimize', { name: 'Invoices', validation_split: 0.5 })
  const [job] = service.emulator.extraction.state.jobs
  const [run] = service.emulator.extraction.state.optimizations
  service.control.endOptimization(run?.id ?? '', 'completed')
  return {
    processDocument,
    startOptimization,
    getJob: await service.call(`/v1/jobs/${job?.id}`),
    getPreview: await service.call(`/v1/preview/${job?.previewToken}`),
    createDeviceCode: await post('/v1/agent/device/code', {}),
    pollDeviceToken: await post('/v1/agent/device/token', { device_code: 'unknown' }),
    listPipelines: await service.call('/v1/pipelines'),
    listBlueprints: await service.call('/v1/blueprints/'),
    getBlueprint: await service.call(`/v1/blueprints/${blueprint}`),
    resumeOptimization: await post('/v1/optimize/resume', { blueprint_id: blueprint }),
    getOptimizationJob: await service.call(`/v1/blueprints/jobs/${run?.id}`),
    getOptimizedSchema: await service.call(`/v1/blueprints/jobs/${run?.id}/schema`),
  }
}

it('`successResponse` gets the value of every operation, and can change its body and its undocumented status', async () => {
  const values: Record<string, unknown> = {}
  const statusOf = (name: string): number => {
    const responses = operations.find(({ operationId }) => operationId === name)?.responses.values() ?? []
    return [...responses].some(({ openStatus }) => openStatus) ? 203 : 200
  }
  await using service = await startExtraction({
    choices: {
      successResponse({ operation, value, body }) {
        values[operation] = value
        return { status: statusOf(operation), body: { ...body, shown: operation } }
      },
    },
  })
  const responses = await callAll(service)
  expect(Object.keys(responses).sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
  for (const [name, response] of Object.entries(responses)) {
    expect(response.status, name).toBe(statusOf(name))
    expect(await response.json()).toMatchObject({ shown: name })
  }
  expect(values).toMatchObject({
    processDocument: { status: 'completed', text: 'Hello' },
    getJob: { pipeline: 'standard', createdAt: Date.UTC(2026, 0, 5, 9) },
    getPreview: { includeImages: false },
    createDeviceCode: { delivered: false },
    pollDeviceToken: undefined,
    listPipelines: ['standard', 'searchable'],
    listBlueprints: [{ name: 'Receipts' }, { name: 'Invoices', activeVersion: 1 }],
    getBlueprint: { name: 'Receipts', versions: [] },
    startOptimization: { status: 'completed' },
    // The blueprint has neither a schema nor an earlier run, so the run starts from the defaults.
    resumeOptimization: {
      status: 'pending',
      startingSchema: { type: 'object' },
      request: { validation_split: 0.3 },
    },
    getOptimizationJob: { request: { name: 'Invoices', validation_split: 0.5 } },
    getOptimizedSchema: { type: 'object' },
  })
})

it('`successResponse` can turn a success into an error', async () => {
  await using service = await startExtraction({
    choices: {
      successResponse: ({ operation, value }) =>
        operation === 'getBlueprint' && value.activeVersion === undefined
          ? { status: 404, body: { detail: 'Not yet.' } }
          : undefined,
    },
  })
  const id = service.control.addBlueprint({ name: 'Receipts' })
  expect((await service.call(`/v1/blueprints/${id}`)).status).toBe(404)
})
