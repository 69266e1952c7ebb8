import { describe, expect, it } from 'vitest'

import { readService } from '../src/normalize/service.ts'
import { documentOf, printed } from './support/generated.ts'
import { loadQuick } from '../src/corpus/quick.ts'

describe('a quick check', () => {
  const text = { type: 'string' }

  it('never takes a part of one type for another type', async () => {
    const part = { type: 'array', items: { type: 'object', required: ['a'], properties: { a: text } } }
    const components = { Thing: part, Thing1: { enum: [1] } }
    const { schemas } = await readService(documentOf({ components: { schemas: components } }))
    const tests = await loadQuick(schemas, ['Thing', 'Thing1'])
    expect(tests['Thing']?.([{ a: '' }])).toBe(true)
    expect([1, 2, { a: '' }].map((value) => tests['Thing1']?.(value))).toEqual([true, false, false])
  })

  it('takes a $ref in the value of an enum for data', async () => {
    const value = { $ref: '#/components/schemas/Missing' }
    const document = documentOf({ components: { schemas: { Subject: { enum: [value, { $ref: '' }] } } } })
    const model = await readService(document)
    expect((await printed(model)).get('types.gen.ts')).toContain('Subject')
    const accepts = (await loadQuick(model.schemas, ['Subject']))['Subject']
    expect(accepts?.(value)).toBe(true)
    expect(accepts?.({ $ref: 'a' })).toBe(false)
  })
})
