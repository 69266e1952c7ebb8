import { expect, it } from 'vitest'

import { jsonReply } from '../../src/core/reply.ts'
import type { Service } from '../../src/core/service.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { HandlerMismatchError, ResponseRejectedError } from '../../src/index.ts'
import { pdfFile, startExtraction } from '../support/extraction.ts'
import { startService } from '../support/small-service.ts'

it('a response that breaks the contract throws a ResponseRejectedError in process, and is a 500 when served', async () => {
  await using service = await startExtraction({
    choices: {
      successResponse: ({ operation, body }) => ({
        body: operation === 'getJob' ? { ...body, metadata: { review_percentage: '50 %' } } : body,
      }),
    },
  })
  const failure = service.process({ file: await pdfFile(['Hello']) })
  await expect(failure).rejects.toBeInstanceOf(ResponseRejectedError)
  await expect(failure).rejects.toMatchObject({
    code: 'response-rejected',
    operationId: 'getJob',
    status: 200,
    mismatches: [{ path: 'body/metadata/review_percentage', reason: 'must be number' }],
  })
  expect(service.control.violations()).toMatchObject([{ direction: 'response', operationId: 'getJob' }])
  await using served = await service.emulator.serve({ services: ['extraction'] })
  const [job] = service.emulator.extraction.state.jobs
  const headers = { 'x-api-key': service.apiKey }
  const response = await fetch(`${served.extraction.baseUrl}/v1/jobs/${job?.id}`, { headers })
  expect([response.status, await response.json()]).toEqual([500, { detail: 'The server failed to respond.' }])
})

it('an error response that breaks the contract throws a ResponseRejectedError, too', async () => {
  await using service = await startExtraction({ choices: { errorResponse: () => ({ body: {} }) } })
  await expect(service.call('/v1/jobs/x')).rejects.toBeInstanceOf(ResponseRejectedError)
})

it('a request that breaks the contract gets the chosen response, is recorded, and does not reach the handler', async () => {
  await using service = await startExtraction({ choices: { statuses: { 'request-rejected': 422 } } })
  const response = await service.call('/v1/optimize', { json: { name: 5 } })
  expect(response.status).toBe(422)
  expect(await response.json()).toEqual({ detail: expect.stringContaining('body/name must be string') })
  expect(service.control.violations()).toEqual([
    {
      at: Date.UTC(2026, 0, 5, 9),
      direction: 'request',
      operationId: 'startOptimization',
      mismatches: [{ path: 'body/name', reason: 'must be string' }],
    },
  ])
  expect(service.control.requests()).toMatchObject([{ status: 422, path: '/v1/optimize', mismatches: [{}] }])
  expect(service.emulator.extraction.state.optimizations).toEqual([])
})

it("a request with another media type than the contract's gets an error that names both", async () => {
  await using service = await startExtraction()
  const response = await service.call('/v1/optimize', {
    method: 'POST',
    body: 'name: Invoices',
    headers: { 'content-type': 'application/yaml' },
  })
  expect(await response.json()).toEqual({
    detail: expect.stringContaining('must be application/json, not application/yaml'),
  })
})

const small = {
  openapi: '3.1.0',
  security: [{ bearer: [] }, { query: [] }],
  paths: {
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'readThing',
        parameters: [
          { name: 'deep', in: 'query', schema: { type: 'boolean' } },
          { $ref: '#/components/parameters/Trace' },
        ],
        responses: {
          400: { description: '' },
          401: { description: '' },
          429: { 'x-rate-meaning': [{ meaning: 'request-rate' }] },
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
        },
      },
    },
  },
  components: {
    parameters: {
      Trace: { name: 'x-trace', in: 'header', required: true, schema: { type: 'string', minLength: 3 } },
    },
    schemas: { Thing: { type: 'object', required: ['name'], properties: { name: { enum: ['a', 'b'] } } } },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      query: { type: 'apiKey', in: 'query', name: 'key' },
    },
  },
} satisfies JsonObject

function startSmall(handlers: Service<string>['handlers'], document: JsonObject = small) {
  const { send } = startService(document, { handlers })
  return (
    path: string,
    headers: Record<string, string> = { 'x-trace': 'abc', authorization: 'bearer good' },
  ) => send(path, { headers })
}

const handle = () => jsonReply(200, { name: 'a' })

it("a service can't start if an operation has no handler, or a handler no operation", () => {
  const start = () => startSmall({})
  expect(start).toThrow(HandlerMismatchError)
  expect(start).toThrow(
    'no handler for these operations of the small contract: readThing. Add the missing handlers in packages/emulator/src/small/handlers/',
  )
  expect(() => startSmall({ readThing: { handle }, writeThing: { handle } })).toThrow(
    'not in the small contract: writeThing',
  )
})

it('parameters in path, query and header are checked against their schemas', async () => {
  const call = startSmall({ readThing: { handle } })
  const authorization = 'Bearer good'
  expect((await call('/things/7?deep=true')).status).toBe(200)
  expect(await (await call('/things/seven')).text()).toContain('path/id')
  expect(await (await call('/things/7?deep=perhaps')).text()).toContain('query/deep')
  expect(await (await call('/things/7', { authorization })).text()).toContain('header/x-trace')
  expect(await (await call('/things/7', { authorization, 'x-trace': 'a' })).text()).toContain(
    'header/x-trace',
  )
})

it('credentials are read by the security schemes of the contract', async () => {
  const call = startSmall({ readThing: { handle } })
  const headers = { 'x-trace': 'abc' }
  expect((await call('/things/7', headers)).status).toBe(401)
  expect((await call('/things/7', { ...headers, authorization: 'Basic good' })).status).toBe(401)
  expect((await call('/things/7', { ...headers, authorization: 'bearer bad' })).status).toBe(401)
  expect((await call('/things/7?key=good', headers)).status).toBe(200)
})

it("a response is rejected if the contract doesn't have its status, media type or body", async () => {
  const replies = [
    jsonReply(201, {}),
    { status: 200, body: 'a' },
    jsonReply(200, { name: 'c' }),
    jsonReply(200, {}),
  ]
  const call = startSmall({ readThing: { handle: () => replies.shift() ?? handle() } })
  await expect(call('/things/7')).rejects.toThrow('status: 201 is not in the contract')
  await expect(call('/things/7')).rejects.toThrow('must be application/json')
  await expect(call('/things/7')).rejects.toThrow('body/name: must be one of ["a","b"]')
  await expect(call('/things/7')).rejects.toThrow("must have required property 'name'")
  expect((await call('/things/7')).status).toBe(200)
})

it('another success status is accepted if the status is open, and checked as that success, never as `default`', async () => {
  const withStatus = (mark: JsonObject): JsonObject => {
    const item = small.paths['/things/{id}']
    const responses = {
      ...item.get.responses,
      200: { ...item.get.responses[200], ...mark },
      default: { content: { 'application/json': { schema: {} } } },
    }
    return { ...small, paths: { '/things/{id}': { ...item, get: { ...item.get, responses } } } }
  }
  const replies = () => [jsonReply(202, { name: 'a' }), jsonReply(202, { name: 'c' }), jsonReply(418, {})]
  const openContract = withStatus({ 'x-not-shown': ['The status of a success.'] })
  const ofOpen = replies()
  const open = startSmall({ readThing: { handle: () => ofOpen.shift() ?? handle() } }, openContract)
  expect((await open('/things/7')).status).toBe(202)
  await expect(open('/things/7')).rejects.toThrow('body/name: must be one of ["a","b"]')
  expect((await open('/things/7')).status).toBe(418)
  const ofFixed = replies()
  const fixed = startSmall({ readThing: { handle: () => ofFixed.shift() ?? handle() } }, withStatus({}))
  await expect(fixed('/things/7')).rejects.toThrow('status: 202 is not in the contract')
})

it("a 429 is rejected if the contract doesn't list its reason", async () => {
  const replies = ['request-rate', 'page-quota'].map((rateMeaning) => ({
    ...jsonReply(429, {}),
    rateMeaning,
  }))
  const call = startSmall({ readThing: { handle: () => replies.shift() ?? handle() } })
  expect((await call('/things/7')).status).toBe(429)
  await expect(call('/things/7')).rejects.toThrow('429 with the meaning `page-quota` is not in the contract')
})

it('an error thrown by a handler names the request', async () => {
  const call = startSmall({
    readThing: {
      handle() {
        throw new Error('my own mistake')
      },
    },
  })
  await expect(call('/things/7')).rejects.toMatchObject({
    code: 'handler-failed',
    message: 'The emulator failed to respond to GET /things/7: Error: my own mistake',
  })
})

it('a contract with an unknown security scheme or an external path item is rejected', () => {
  const scheme = {
    ...small,
    components: { ...small.components, securitySchemes: { bearer: { type: 'kerberos' } } },
  }
  expect(() => startSmall({ readThing: { handle } }, scheme)).toThrow(
    "doesn't define the security scheme `bearer`",
  )
  const outside = { ...small, paths: { '/things/{id}': { $ref: 'other.yaml#/x' } } }
  expect(() => startSmall({ readThing: { handle } }, outside)).toThrow('the reference `other.yaml')
})
