import { expect, it } from 'vitest'

import { documentOf } from '../../test/support/generated.ts'
import { readService } from '../normalize/service.ts'
import { modelsFile } from './models-file.ts'

const rows = [
  { model: 'big.1', endpoints: ['/a'], input: null, cost: [{ credits: { min: 1, max: 2 } }] },
  { model: 'small', endpoints: ['/a', '/b'], input: 'text', cost: [{ credits: { min: 3, max: 3 } }] },
]

/** A contract with the table and the requests that list its models. */
const contract = documentOf({
  paths: {
    '/a': { post: generating('doA', ['big.1', 'small']) },
    '/b': { post: generating('doB', ['small']) },
  },
  'x-models': rows,
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
  const { models } = (await import(
    `data:text/javascript,${encodeURIComponent(file.replace(' as const', ''))}`
  )) as {
    models: unknown
  }
  expect(models).toEqual(Object.fromEntries(rows.map(({ model, ...row }) => [model, row])))
  expect(file).toContain(`'big.1': {`)
  expect(file).toContain('as const')
})

it('prints nothing for a contract without the table', async () => {
  expect(modelsFile(await readService(documentOf({})))).toBeUndefined()
})
