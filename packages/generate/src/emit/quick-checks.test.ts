import { expect, it } from 'vitest'

import { readService } from '../normalize/service.ts'
import { documentOf } from '../../test/support/generated.ts'
import { loadQuick } from '../corpus/quick.ts'
import { QuickChecks } from './quick-checks.ts'

it('functions for parts without a name are named after what they accept, or after their place', async () => {
  const text = { type: 'string' }
  const model = await readService(
    documentOf({
      components: {
        schemas: {
          Thing: {
            type: 'object',
            properties: {
              tags: { type: 'array', items: text },
              links: { type: 'array', items: { ...text, format: 'uri' } },
              owner: { type: 'object', required: ['user_id'], properties: { user_id: text } },
              größe: { type: 'object', properties: { breit: { type: 'number' }, hoch: { type: 'number' } } },
            },
          },
        },
      },
    }),
  )
  const quick = new QuickChecks(model.schemas)
  quick.of('Thing')
  const names = quick.print().map((text) => /function (\w+)/.exec(text)?.[1])
  expect(names).toEqual(['acceptsThing', 'isString', 'isUriString', 'hasStringUserId', 'acceptsThingGrE'])
})

it('a oneOf of branches that accept everything or nothing needs no function that ignores its value', async () => {
  const text = { type: 'string' }
  const schemas = {
    Any: { oneOf: [true, false] },
    None: { oneOf: [true, {}] },
    Other: { oneOf: [true, text] },
    Text: { oneOf: [false, text] },
  }
  const names = Object.keys(schemas)
  const holder = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/schemas/${name}` }])),
  }
  const model = await readService(documentOf({ components: { schemas: { ...schemas, Holder: holder } } }))
  const tests = await loadQuick(model.schemas, ['Holder'])
  const values = [1, 'a'].flatMap((value) => names.map((name) => ({ [name]: value })))
  expect(values.filter((value) => tests['Holder']?.(value))).toEqual([
    { Any: 1 },
    { Other: 1 },
    { Any: 'a' },
    { Text: 'a' },
  ])
  const quick = new QuickChecks(model.schemas)
  for (const name of [...names, 'Holder']) quick.of(name)
  expect(quick.print().join('\n')).not.toContain('isOne(')
})
