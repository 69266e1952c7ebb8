import { expect, it } from 'vitest'

import { operationLines } from './checks/operations.ts'
import { at, planted, readDocument } from './document.ts'
import { documentedPart } from './documented.ts'
import { services } from './services.ts'

/** An operation unlike all others, with components of its own. */
const retry = {
  operationId: 'retryThing',
  security: [],
  parameters: [{ name: 'attempt', in: 'query', 'x-secret': true }],
  responses: {
    '202': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Retry' } } } },
    '409': { $ref: '#/components/responses/Conflict' },
  },
}

it.each(services)('an operation that is added to %s does not change its documented part', (service) => {
  const document = readDocument(`${service}/openapi.yaml`)
  const lines = operationLines(document)
  const [path = ''] = Object.keys(at(document, '/paths'))
  const more = planted(document, (copy) => {
    at(copy, '/paths')['/v1/things/{id}/retry'] = { post: retry }
    at(copy, '/paths')[path] = { ...(at(copy, '/paths')[path] as object), trace: retry }
    at(copy, '/components/responses')['Conflict'] = { description: 'No.' }
    at(copy, '/components/schemas')['Retry'] = { properties: { next: { $ref: '#/components/schemas/Next' } } }
    at(copy, '/components/schemas')['Next'] = { type: 'string', enum: ['soon'], default: 'soon' }
  })
  const part = documentedPart(more, lines)
  expect(operationLines(part)).toEqual(lines)
  expect(part).toEqual(documentedPart(document, lines))
})

it('a documented operation that is missing stays missing, and the components of the others remain', () => {
  const document = readDocument('extraction/openapi.yaml')
  const part = documentedPart(document, ['GET /v1/jobs/{job_id}', 'GET /v1/nothing'])
  expect(operationLines(part)).toEqual(['GET /v1/jobs/{job_id}'])
  expect(at(part, '/components/schemas')).toHaveProperty('Job')
  expect(at(part, '/components/schemas')).not.toHaveProperty('OptimizationRequest')
})
