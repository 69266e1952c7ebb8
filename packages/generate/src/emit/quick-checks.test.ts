import { expect, it } from 'vitest'

import { readService } from '../normalize/service.ts'
import { documentOf } from '../../test/support/generated.ts'
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
