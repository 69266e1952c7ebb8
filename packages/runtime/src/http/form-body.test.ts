import { expect, it } from 'vitest'

import type { OperationDescriptor } from '../core/descriptors.ts'
import type { CallOptions } from './call-options.ts'
import { NO_BODY } from './compose.ts'
import { encodeFormBody } from './form-body.ts'
import { createItem, listItems } from './test-support/fixtures.ts'

const contentType = 'application/x-www-form-urlencoded'
const typed = { ...createItem.body!, contentType: `${contentType}; charset=utf-8` }

it.each<[unknown, CallOptions | undefined, OperationDescriptor, string, string]>([
  [{ a: 'x y' }, {}, listItems, 'a=x+y', contentType],
  [undefined, { extra: { body: { b: 1 } } }, listItems, 'b=1', contentType],
  [{ a: 1 }, undefined, { ...listItems, body: typed }, 'a=1', typed.contentType],
])('R-08: the form of %j, with the options %j, is written', (value, options, operation, content, type) => {
  expect(encodeFormBody(operation, value, options)).toEqual({ content, contentType: type })
})

it('R-08: a form without any value is not sent', () => {
  expect(encodeFormBody(listItems, undefined, undefined)).toBe(NO_BODY)
})
