import { inspect } from 'node:util'

import { expect, it } from 'vitest'

import type { OperationDescriptor } from '../core/descriptors.ts'
import { readHeaders } from './headers.ts'
import { isErrorOf } from './response.ts'
import { clientFor } from './test-support/clients.ts'
import { getItem, json, listItems, rejection, textFields } from './test-support/fixtures.ts'

interface Problem {
  readonly title: string
}
interface Errors {
  readonly 404: Problem
  readonly '4XX': unknown
  readonly default: Problem
}

const check = { schema: () => textFields('title') }
const operation = {
  ...listItems,
  responses: {
    200: { kind: 'json' },
    404: { kind: 'json', contentType: 'application/json', check },
    '4XX': { kind: 'empty' },
    default: {
      kind: 'json',
      contentType: 'application/json',
      check,
      headers: { read: readHeaders, kinds: { 'X-Left': 'number' }, check: { schema: () => textFields() } },
    },
  },
} as OperationDescriptor<
  object,
  unknown,
  Errors,
  unknown,
  { readonly default: { readonly 'X-Left': number } }
>

const errorOf = (status: number, body: unknown) =>
  rejection(clientFor(() => json(body, { status }), { onDrift: () => {} }).send(operation, {}))

it('isErrorOf narrows an error by the documented status that applies to it', async () => {
  const error: unknown = await errorOf(404, { title: 'Gone' })
  expect(isErrorOf(error, operation, '4XX')).toBe(false)
  expect(isErrorOf(error, operation, 'default')).toBe(false)
  expect(isErrorOf(error, operation, 404) && (error.body.title satisfies string)).toBe('Gone')
  // @ts-expect-error: a status that the contract lacks.
  expect(isErrorOf(error, operation, 410)).toBe(false)
  expect(isErrorOf(await errorOf(409, {}), operation, '4XX')).toBe(true)
  expect(isErrorOf(await errorOf(302, { title: 'Elsewhere' }), operation, 'default')).toBe(true)
})

it('isErrorOf types the documented headers of an error, which are read on first use', async () => {
  const sent = json({ title: 'Elsewhere' }, { status: 302, headers: { 'x-left': '7' } })
  const found = await rejection(clientFor(() => sent).send(operation, {}))
  expect(isErrorOf(found, operation, 'default') && (found.headerValues['X-Left'] satisfies number)).toBe(7)
  const without: unknown = await errorOf(404, { title: 'Gone' })
  if (!isErrorOf(without, operation, 404)) throw without
  expect(without.headerValues satisfies unknown).toEqual({})
  expect(inspect(found, { depth: 5 })).not.toContain('X-Left')
})

it('isErrorOf returns false for a body that does not match its schema, other operations and other errors', async () => {
  const wrong = await errorOf(404, { name: 'Gone' })
  expect(wrong).toMatchObject({ status: 404 })
  expect(isErrorOf(wrong, operation, 404)).toBe(false)
  const other = { ...operation, id: getItem.id }
  expect(isErrorOf(await errorOf(404, { title: 'Gone' }), other, 404)).toBe(false)
  for (const error of [undefined, 'text', new Error('text'), { status: 404, operation: operation.id }])
    expect(isErrorOf(error, operation, 404)).toBe(false)
})
