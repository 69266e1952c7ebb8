import { describe, expect, it } from 'vitest'

import { operationLines, publicOperations } from './checks/operations.ts'
import { at, objectAt, readDocument } from './document.ts'
import { documentedPart } from './documented.ts'
import { operationsOf, schemasOf, walk } from './walk.ts'

const DOCUMENTED = [
  'POST /v1/agent/device/code',
  'POST /v1/agent/device/token',
  'POST /v1/process',
  'GET /v1/jobs/{job_id}',
  'GET /v1/preview/{token}',
  'GET /v1/pipelines',
  'GET /v1/blueprints/',
  'GET /v1/blueprints/{blueprint_id}',
  'POST /v1/optimize',
  'POST /v1/optimize/resume',
  'GET /v1/blueprints/jobs/{job_id}',
  'GET /v1/blueprints/jobs/{job_id}/schema',
]
const document = documentedPart(readDocument('extraction/openapi.yaml'), DOCUMENTED)

describe('operations', () => {
  it('are those of the documentation', () => {
    expect(operationLines(document)).toEqual(DOCUMENTED)
  })

  it('are public in exactly four cases', () => {
    expect(publicOperations(document)).toEqual([
      'createDeviceCode',
      'pollDeviceToken',
      'getPreview',
      'listPipelines',
    ])
  })

  it('have 401 and 429 if they need a key, and 500 everywhere', () => {
    const open = publicOperations(document)
    for (const { value } of operationsOf(document)) {
      const statuses = Object.keys(objectAt(value, 'responses'))
      expect(statuses, String(value['operationId'])).toContain('500')
      expect(statuses.includes('401'), String(value['operationId'])).toBe(
        !open.includes(String(value['operationId'])),
      )
      expect(statuses.includes('429'), String(value['operationId'])).toBe(
        !open.includes(String(value['operationId'])),
      )
    }
  })

  it('have the documented errors for the submission and the job', () => {
    const statuses = Object.fromEntries(
      operationsOf(document).map(({ value }) => [
        value['operationId'],
        Object.keys(objectAt(value, 'responses')),
      ]),
    )
    expect(statuses['processDocument']).toEqual(['200', '400', '401', '413', '429', '500', 'default'])
    expect(statuses['getJob']).toEqual(['200', '401', '404', '429', '500', 'default'])
  })

  it('never resend the poll for the single-use key', () => {
    const classes = Object.fromEntries(
      operationsOf(document).map(({ value }) => [value['operationId'], objectAt(value, 'x-retry')['class']]),
    )
    expect(classes).toEqual({
      createDeviceCode: 'unsent-only',
      pollDeviceToken: 'never',
      processDocument: 'unsent-only',
      getJob: 'safe',
      getPreview: 'safe',
      listPipelines: 'safe',
      listBlueprints: 'safe',
      getBlueprint: 'safe',
      startOptimization: 'unsent-only',
      resumeOptimization: 'unsent-only',
      getOptimizationJob: 'safe',
      getOptimizedSchema: 'safe',
    })
  })
})

describe('documented values', () => {
  const schema = (name: string) => at(document, `/components/schemas/${name}`)

  it('have a placeholder under a reserved domain as server', () => {
    const [server] = document['servers'] as { variables: { base_url: { default: string } } }[]
    expect(new URL(server?.variables.base_url.default ?? '').hostname).toMatch(/\.example$/)
  })

  it('send the key in the header X-API-Key', () => {
    expect(at(document, '/components/securitySchemes/apiKey')).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
    })
    expect(document['security']).toEqual([{ apiKey: [] }])
  })

  it('poll a job after 5 s, then every 5 to 10 s, for at most 5 minutes', () => {
    expect(at(document, '/paths/~1v1~1jobs~1{job_id}/get/x-waiter')).toMatchObject({
      firstDelayMs: 5000,
      minDelayMs: 5000,
      maxDelayMs: 10_000,
      limitMs: 300_000,
    })
  })

  it('state no timing for optimization jobs, because the documentation has none', () => {
    expect(at(document, '/paths/~1v1~1blueprints~1jobs~1{job_id}/get/x-waiter')).toEqual({
      status: '/status',
      success: ['completed'],
      failure: ['failed', 'cancelled'],
      pending: ['pending', 'initializing', 'running'],
    })
  })

  it('have these enums', () => {
    expect(schema('JobStatus')['enum']).toEqual(['queued', 'processing', 'completed', 'failed'])
    expect(schema('Pipeline')['enum']).toEqual(['standard', 'searchable'])
    expect(schema('DeviceTokenErrorCode')['enum']).toEqual([
      'authorization_pending',
      'access_denied',
      'expired_token',
    ])
    expect(schema('OptimizationJobStatus')['enum']).toEqual([
      'pending',
      'initializing',
      'running',
      'completed',
      'failed',
      'cancelled',
    ])
  })

  it('have one default, that of the validation split', () => {
    const defaults = schemasOf(document).filter(({ value }) => 'default' in value)
    expect(defaults.map(({ pointer, value }) => [pointer, value['default']])).toEqual([
      ['/components/schemas/OptimizationRequest/properties/validation_split', 0.3],
    ])
  })

  it('are secret if they are the device code or the key', () => {
    const secrets = walk(document).filter(({ value }) => 'x-secret' in value)
    expect(secrets.map(({ pointer }) => pointer)).toEqual([
      '/components/schemas/DeviceCode/properties/device_code',
      '/components/schemas/DeviceTokenRequest/properties/device_code',
      '/components/schemas/DeviceToken/properties/api_key',
    ])
  })

  it('have no quota headers, and no parameters except the four in paths', () => {
    const parameters = walk(document).filter(({ kind, value }) => kind === 'parameter' && 'name' in value)
    expect(parameters.map(({ value }) => `${String(value['in'])} ${String(value['name'])}`)).toEqual([
      'path job_id',
      'path job_id',
      'path blueprint_id',
      'path token',
    ])
    expect(walk(document).filter(({ kind, value }) => kind === 'response' && 'headers' in value)).toEqual([])
  })

  it.each(['PageOrRateLimit', 'RequestRateLimit'])(
    'tell the page limit by its object, and no other 429 by its body: %s',
    (name) => {
      const meanings = at(document, `/components/responses/${name}`)['x-rate-meaning']
      expect(meanings).toMatchObject([
        {
          meaning: 'page-count',
          retryHelps: false,
          match: { pointer: '/detail/error', equals: 'page_count_exceeded' },
        },
        { meaning: 'request-rate', retryHelps: true },
        { meaning: 'page-quota', retryHelps: false },
      ])
    },
  )

  it('leave the status of a success open, except the two documented ones', () => {
    const told = operationsOf(document).filter(({ value }) => !('x-not-shown' in at(value, '/responses/200')))
    expect(told.map(({ value }) => value['operationId'])).toEqual(['createDeviceCode', 'processDocument'])
  })

  it('have the documented transitions', () => {
    const moves = (name: string) =>
      (schema(name)['x-transitions'] as { from: string | null; to: string }[]).map(
        ({ from, to }) => `${from} > ${to}`,
      )
    expect(moves('JobStatus')).toEqual([
      'null > queued',
      'queued > processing',
      'processing > completed',
      'processing > failed',
    ])
    expect(moves('OptimizationJobStatus')).toEqual([
      'null > pending',
      'pending > initializing',
      'initializing > running',
      'running > completed',
      'running > failed',
      'running > cancelled',
    ])
  })
})
