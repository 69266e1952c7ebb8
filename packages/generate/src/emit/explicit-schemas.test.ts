import { expect, it } from 'vitest'

import { print } from '../generate.ts'
import { errorsIn } from '../../test/support/compiler.ts'
import { documentOf, modelOf, testService } from '../../test/support/generated.ts'

const document = documentOf({
  paths: {
    '/jobs/{id}': {
      get: {
        operationId: 'getJob',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: {
            description: 'A job',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Job' } } },
          },
        },
      },
    },
    '/jobs': { delete: { operationId: 'removeJobs', responses: { 204: { description: 'Gone' } } } },
  },
  components: {
    schemas: {
      Job: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string', format: 'uuid' },
          state: { enum: ['new', 'done'] },
          size: { type: ['number', 'null'] },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Job' } },
        },
      },
      Either: { oneOf: [{ type: 'string' }, { $ref: '#/components/schemas/Job' }] },
      Page: {
        type: 'object',
        properties: { cursor: { type: 'string' }, since: { type: 'string' } },
        not: { required: ['cursor', 'since'] },
      },
      Names: { type: 'object', additionalProperties: { type: 'string' } },
    },
  },
})

const output = { folder: 'gen' }
const inOneFolder = { ...testService, validators: output, client: output }

it.each([
  ['have explicit types with the option isolatedDeclarations', true],
  ['have the types that zod infers without it', false],
])('explicitly typed schemas %s', async (_, isolatedDeclarations) => {
  const model = await modelOf(document)
  const files = await print(model, { ...inOneFolder, isolatedDeclarations })
  const options = { isolatedDeclarations: true, declaration: true }
  const found = await errorsIn(files, { options })
  expect(found.filter((line) => !line.includes('isolatedDeclarations'))).toEqual([])
  expect(found.length === 0).toBe(isolatedDeclarations)
})
