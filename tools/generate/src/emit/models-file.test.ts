import { expect, it } from 'vitest'

import { documentOf } from '../../test/support/generated.ts'
import { readService } from '../normalize/service.ts'
import { modelsFile } from './models-file.ts'

const rows = [
  {
    model: 'big.1',
    endpoints: ['/a'],
    input: null,
    requires: ['model'],
    cost: [{ credits: { min: 1, max: 2 } }],
  },
  { model: 'small', endpoints: ['/a', '/b'], input: 'text', requires: ['model'], cost: [] },
]

it('prints the table of models by their names, as plain data', async () => {
  const file = modelsFile(await readService(documentOf({ 'x-models': rows }))) ?? ''
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
