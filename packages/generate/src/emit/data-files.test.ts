import { expect, it } from 'vitest'

import { documentOf } from '../../test/support/generated.ts'
import { readService } from '../normalize/service.ts'
import { factsFile, modelsFile } from './data-files.ts'

const rows = [
  { model: 'big.1', endpoints: ['/a'], input: null, cost: [{ credits: { min: 1, max: 2 } }] },
  { model: 'small', endpoints: ['/a', '/b'], input: 'text', cost: [{ credits: { min: 3, max: 3 } }] },
]

/** A contract with facts, and with the table of models and the requests that list them. */
const contract = documentOf({
  paths: {
    '/a': { post: generating('doA', ['big.1', 'small']) },
    '/b': { post: generating('doB', ['small']) },
  },
  'x-models': rows,
  'x-facts': { lockout: { description: 'Failed logins.', value: { count: 5, of: ['a'] } } },
})

function generating(operationId: string, models: readonly string[]) {
  const model = { type: 'string', enum: models, 'x-open-enum': true }
  const schema = { type: 'object', properties: { model } }
  return {
    operationId,
    'x-retry': { class: 'safe' },
    requestBody: { content: { 'application/json': { schema } } },
    responses: { '200': { description: 'Yes.' } },
  }
}

it('prints the table of models by their names, as plain data', async () => {
  const file = modelsFile(await readService(contract)) ?? ''
  const code = encodeURIComponent(file.replace(' as const', ''))
  const { models } = (await import(`data:text/javascript,${code}`)) as { models: unknown }
  expect(models).toEqual(Object.fromEntries(rows.map(({ model, ...row }) => [model, row])))
  expect(file).toContain(`'big.1': {`)
  expect(file).toContain('as const')
})

it('prints each fact as a constant with its description', async () => {
  const file = factsFile(await readService(contract))
  expect(file).toContain('Failed logins.')
  expect(file).toContain('@see `specs/test/openapi.yaml#/x-facts/lockout`')
  expect(file).toContain("export const lockout = { count: 5, of: ['a'] } as const\n")
})

it('prints neither file for a contract without models and facts', async () => {
  const model = await readService(documentOf({}))
  expect([modelsFile(model), factsFile(model)]).toEqual([undefined, undefined])
})
