import { expect, it } from 'vitest'

import { loadSpecification } from '../../src/core/specification.ts'
import { startExtraction } from '../support/extraction.ts'

const { operations } = loadSpecification('extraction/openapi.yaml')
const address = (path: string) => path.replaceAll(/\{\w+\}/g, '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a')
const needingKey = operations.filter(({ security }) => security.length > 0)
const open = operations.filter(({ security }) => security.length === 0)

it('the API key is needed by some operations and not by others', () => {
  expect(needingKey).not.toHaveLength(0)
  expect(open).not.toHaveLength(0)
})

it.each(needingKey)(
  '$operationId gets 401 without an API key and with a wrong one',
  async ({ method, path }) => {
    await using service = await startExtraction()
    const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {}
    const missing = await service.call(address(path), { method, key: '', ...body })
    const wrong = await service.call(address(path), { method, key: 'wrong', ...body })
    expect([missing.status, wrong.status]).toEqual([401, 401])
    expect(await missing.json()).toEqual({ detail: 'The API key is missing.' })
    expect(await wrong.json()).toEqual({ detail: 'The API key is invalid.' })
    const right = await service.call(address(path), { method, ...body })
    expect(right.status).not.toBe(401)
  },
)

it.each(open)('$operationId needs no API key', async ({ method, path, operationId }) => {
  await using service = await startExtraction()
  const json = operationId === 'pollDeviceToken' ? { device_code: 'unknown' } : {}
  const response = await service.call(address(path), {
    method,
    key: '',
    ...(method === 'POST' ? { json } : {}),
  })
  expect(response.status).not.toBe(401)
  expect(response.status).toBeLessThan(500)
})

it('the API key is only read from X-API-Key', async () => {
  await using service = await startExtraction()
  const headers = { authorization: `Bearer ${service.apiKey}` }
  expect((await service.call('/v1/blueprints/', { key: '', headers })).status).toBe(401)
  expect((await service.call(`/v1/blueprints/?X-API-Key=${service.apiKey}`, { key: '' })).status).toBe(401)
})

it('paths are exact, including a trailing slash', async () => {
  await using service = await startExtraction()
  expect((await service.call('/v1/blueprints/')).status).toBe(200)
  expect((await service.call('/v1/blueprints')).status).toBe(404)
  expect((await service.call('/v1/pipelines/')).status).toBe(404)
})

it('paths prefer a literal segment: `jobs` is not a blueprint', async () => {
  await using service = await startExtraction()
  await service.call('/v1/blueprints/jobs/some-job')
  await service.call('/v1/blueprints/jobs/some-job/schema')
  await service.call('/v1/blueprints/2f9f2a60-54f8-4c0b-9a55-7b0d2b8c6a11')
  expect(service.control.requests().map(({ operationId }) => operationId)).toEqual([
    'getOptimizationJob',
    'getOptimizedSchema',
    'getBlueprint',
  ])
})

it("an unknown path gets a 404, and a method that a path doesn't accept the chosen status", async () => {
  await using service = await startExtraction({ choices: { statuses: { 'method-unknown': 418 } } })
  const unknown = await service.call('/v2/process')
  expect(unknown.status).toBe(404)
  expect(await unknown.json()).toEqual({ detail: 'Nothing was found at this URL.' })
  const wrongMethod = await service.call('/v1/process')
  expect(wrongMethod.status).toBe(418)
  expect(await wrongMethod.json()).toEqual({ detail: 'This URL only accepts POST.' })
  expect((await service.call('/_control/state')).status).toBe(404)
})

it('every path can have a prefix', async () => {
  await using service = await startExtraction({ basePath: '/tenant/a' })
  expect(service.emulator.extraction.baseUrl).toBe('http://extraction.emulator.invalid/tenant/a')
  expect((await service.call('/v1/pipelines')).status).toBe(200)
  expect(
    (await service.emulator.extraction.fetch('http://extraction.emulator.invalid/v1/pipelines')).status,
  ).toBe(404)
  const neighbour = await service.emulator.extraction.fetch(
    'http://extraction.emulator.invalid/tenant/b/v1/pipelines',
  )
  expect(neighbour.status).toBe(404)
  const code = await service.json('/v1/agent/device/code', { json: {} })
  expect(code['verification_uri']).toBe('http://extraction.emulator.invalid/tenant/a/device')
  expect((await service.call(String(code['verification_uri']))).status).toBe(200)
  await expect(startExtraction({ basePath: 'tenant/' })).rejects.toThrow(
    '`basePath` must be empty or a path such as /tenant',
  )
})

it('API keys, preview tokens and device codes look as `newIdentifier` chooses', async () => {
  await using service = await startExtraction({ choices: { newIdentifier: (kind) => `a-${kind}` } })
  expect(service.apiKey).toBe('a-api-key')
  await service.start()
  expect(service.emulator.extraction.state.jobs[0]?.previewToken).toBe('a-preview-token')
  const authorization = await service.call('/v1/agent/device/code', { json: {}, key: '' })
  expect(await authorization.json()).toMatchObject({ device_code: 'a-device-code' })
})
