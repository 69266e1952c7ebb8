import { expect, it } from 'vitest'

import { explain } from './explain.ts'
import type { StandardIssue } from './standard-schema.ts'

const TEXT = 'Invalid input'
const values = (at: string, ...listed: string[]) => ({
  message: TEXT,
  code: 'invalid_value',
  path: [at],
  values: listed,
})
const missing = (at: string) => ({ message: TEXT, code: 'invalid_type', expected: 'string', path: [at] })
const union = (errors: readonly (readonly StandardIssue[])[], path: readonly string[] = ['body']) => ({
  message: TEXT,
  code: 'invalid_union',
  path,
  errors,
})

/** What a check says when the validator gives these issues, as zod does. */
function said(value: unknown, ...issues: readonly StandardIssue[]) {
  return explain(issues, value, [])
}

it('R-05: a union tells what is wrong of the one branch that the value is meant for', () => {
  const issue = union([[values('model', 'small', 'large')], [missing('image')]])
  expect(said({ body: { model: 'turbo' } }, issue)).toEqual([
    { path: '/body/image', reason: 'is required: a string' },
  ])
})

it('R-05: a union whose branches all list another value tells all of them', () => {
  const issue = union([[values('model', 'small', 'large')], [values('model', 'turbo'), missing('image')]])
  expect(said({ body: { model: 'huge' } }, issue)).toEqual([
    { path: '/body/model', reason: 'must be one of "small", "large", "turbo"' },
  ])
})

it('R-05: a union inside of a union is looked into, too', () => {
  const inner = union([[missing('n')], [values('kind', 'b')]], ['inner'])
  const issue = union([[inner], [values('type', 'y')]])
  expect(said({ body: { inner: { kind: 'a' } } }, issue)).toMatchObject([{ path: '/body/inner/n' }])
})

it.each<[string, unknown]>([
  ['two branches fit what is listed', [[missing('a')], [missing('b')]]],
  ['the branches list values at different places', [[values('a', 'x')], [values('b', 'y')]]],
  ['the validator tells no branches', undefined],
  ['it tells something else', [{ a: 1 }]],
  ['there are none', []],
])('R-05: a union stays one reason where %s', (_, errors) => {
  expect(said({ body: {} }, union(errors as never))).toEqual([
    { path: '/body', reason: 'is none of the accepted forms' },
  ])
})
