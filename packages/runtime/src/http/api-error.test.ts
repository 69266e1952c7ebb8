import { expect, it } from 'vitest'
import type { RateMeaningDescriptor } from '../core/descriptors.ts'
import { createScrub } from '../core/redact.ts'
import { classifyRate, reasonOf } from './api-error.ts'
import { clientFor } from './test-support/clients.ts'
import { getItem, rejection } from './test-support/fixtures.ts'

it.each([
  [{ detail: 'no such job' }, 'no such job'],
  [{ detail: [{ loc: ['body', 'file'], msg: 'field required', type: 'x' }] }, 'body.file: field required'],
  [{ detail: [{ loc: ['body', 0, 'a'], msg: 'x' }, { msg: 'y' }] }, 'body.0.a: x; y'],
  [{ detail: { error: 'too_many', page_count: 9 } }, 'too_many'],
  [{ message: 'no' }, 'no'],
  [
    { message: ['a must be a string', 'b is missing'], error: 'Bad Request' },
    'a must be a string; b is missing',
  ],
  [{ error: 'no' }, 'no'],
  [{ error: { code: 7, message: 'no' } }, 'no'],
  [{ error: 'invalid_grant', error_description: 'it was used' }, 'it was used'],
  [
    { title: 'Out of credit', detail: 'Balance is 30.', type: 'about:blank' },
    'Out of credit: Balance is 30.',
  ],
  [{ title: 'Out of credit' }, 'Out of credit'],
  [{ errors: [{ message: 'first' }, 'second'] }, 'first; second'],
  [[{ message: 'in a list' }], 'in a list'],
  ['plain text', 'plain text'],
  [{ message: '', detail: 'the other' }, 'the other'],
  [{ loc: ['a'], msg: 'no' }, 'a: no'],
  [{ loc: 'a', msg: 'no' }, 'no'],
  [{ loc: [], msg: 'no' }, 'no'],
  [{ loc: ['body', null, 'a', {}], msg: 'no' }, 'body.a: no'],
  [{ loc: [1, 2, 3, 4, 5, 6, 7, 8, 9], msg: 'no' }, '1.2.3.4.5.6.7.8: no'],
  [{ message: '  ', detail: 'the other' }, 'the other'],
  [{ message: [], title: 'the other' }, 'the other'],
  [[{}, 'after one without a reason'], 'after one without a reason'],
  [['a', 'b', 'c', 'd', 'e'], 'a; b; c; d; e'],
  ['a <b> c', 'a <b> c'],
  ['a<b', 'a<b'],
  [{ error: { error: { error: { error: { error: 'five deep' } } } } }, 'five deep'],
])("R-04: finds the service's own reason in %j", (body, expected) => {
  expect(reasonOf(body)).toBe(expected)
})

it.each([
  [undefined],
  [null],
  [7],
  [{}],
  [[]],
  ['  '],
  ['<html>a page</html>'],
  [{ status: 'x' }],
  [{ detail: [] }],
  ['\u0000'],
  [[[[[[['six deep']]]]]]],
  [' \n<html>'],
  [{ error: { error: { error: { error: { error: { error: 'six deep' } } } } } }],
])('R-04: finds no reason in %j', (body) => {
  expect(reasonOf(body)).toBeUndefined()
})

it('R-04: a reason is one line of at most 500 characters, without control characters', () => {
  expect(reasonOf('a\r\nb\u001B[31mc\u2028d\u0000')).toBe('a b [31mc d')
  expect(reasonOf('x'.repeat(10_000_000))).toBe(`${'x'.repeat(500)}…`)
  expect(reasonOf('x'.repeat(500))).toBe('x'.repeat(500))
  const many = reasonOf({ errors: Array.from({ length: 9 }, (_, index) => `e${index}`) })
  expect(many).toBe('e0; e1; e2; e3; e4; and 4 more')
})

it('R-11: a secret is removed before the reason is truncated', () => {
  const secret = `s${'k'.repeat(100)}`
  const reason = reasonOf(`${'x'.repeat(450)}${secret}`, createScrub([secret]))
  expect(reason).toBe(`${'x'.repeat(450)}[redacted]`)
})

it('R-10: does not follow a redirect, and names the credential as the reason only if it would leave the server', async () => {
  let requests = 0
  const message = async (location: string | undefined): Promise<string> => {
    const headers: Record<string, string> = location === undefined ? {} : { location }
    const client = clientFor(() => new Response(`${++requests}`, { status: 307, headers }))
    return String(await rejection(client.send(getItem, { path: { item_id: 'a' } })))
  }
  const elsewhere = await message('https://other.test/x?signature=s3cret')
  expect(elsewhere).toContain(
    'redirects to https://other.test. API calls do not follow redirects, because a credential must only be sent to the configured server',
  )
  expect(elsewhere).not.toContain('s3cret')
  for (const same of ['/v2/items/a', 'http://service.test/v2/items/a', '../a']) {
    const text = await message(same)
    expect(text).toContain('redirects to another path of the same server')
    expect(text).not.toContain('credential')
  }
  expect(await message(undefined)).toContain(
    'The response is a redirect. API calls do not follow redirects. Check',
  )
  expect(requests).toBe(5)
})

const pages: RateMeaningDescriptor = {
  meaning: 'page-count',
  retryHelps: false,
  match: { pointer: '/error', equals: 'page_count_exceeded' },
}
const storage: RateMeaningDescriptor = {
  meaning: 'storage-full',
  retryHelps: false,
  match: { pointer: '/code', equals: 42 },
}
const quota: RateMeaningDescriptor = { meaning: 'page-quota', retryHelps: false }
const rate: RateMeaningDescriptor = { meaning: 'request-rate', retryHelps: true }

it.each([
  ['a contract without meanings', undefined, {}, { meaning: undefined, retryHelps: true }],
  ['an empty list', [], {}, { meaning: undefined, retryHelps: true }],
  ['the only meaning', [quota], {}, { meaning: 'page-quota', retryHelps: false }],
  ['a match', [pages, rate], { error: 'page_count_exceeded' }, { meaning: 'page-count', retryHelps: false }],
  ['a number in the body', [storage, rate], { code: 42 }, { meaning: 'storage-full', retryHelps: false }],
  ['no match', [pages, rate], { error: 'other' }, { meaning: 'request-rate', retryHelps: true }],
  ['several meanings that remain', [pages, quota, rate], {}, { meaning: undefined, retryHelps: true }],
  [
    'several meanings for which waiting never helps',
    [quota, quota],
    {},
    { meaning: undefined, retryHelps: false },
  ],
  ['a single meaning whose condition does not match', [pages], {}, { meaning: undefined, retryHelps: true }],
] as const)('R-25: the meaning of a 429 is decided by %s', (_what, meanings, body, expected) => {
  expect(classifyRate(meanings, body)).toEqual(expected)
})
