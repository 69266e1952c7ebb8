import * as runtime from '@concord/runtime'
import { expect, it } from 'vitest'

import { explain, JobFailedError, pageLimitDetail, refineError } from '../src/errors.ts'
import * as extraction from '../src/index.ts'

const limit = {
  error: 'page_count_exceeded',
  message: 'Too long.',
  page_count: 12,
  max_pages: 10,
  plan: 'free',
}
const response = (status: number, body: unknown) => ({ status, body, text: '', headers: () => new Headers() })

it('R-25: a 429 about the pages of a document is recognized, explained, and never retried', () => {
  const body = { detail: limit }
  expect(explain(body)).toBe("Too long. (12 pages, at most 10 on the plan 'free')")
  const { message: _, ...unexplained } = limit
  expect(explain({ detail: unexplained })).toBe(
    "page_count_exceeded (12 pages, at most 10 on the plan 'free')",
  )
  expect(refineError('x', response(429, body), 'processDocument')).toMatchObject({
    operation: 'processDocument',
    pageCount: 12,
    maxPages: 10,
    plan: 'free',
    retryHelps: false,
  })
  expect(refineError('x', response(400, body), 'processDocument')).toBeUndefined()
})

it.each([
  ['another error', { ...limit, error: 'other' }],
  ['no number of pages', { ...limit, page_count: '12' }],
  ['no limit', { ...limit, max_pages: undefined }],
  ['no plan', { ...limit, plan: null }],
  ['null', null],
  ['a list', [{ msg: 'x' }]],
])('an error about the pages of a document is not made up from %s', (_what, detail) => {
  expect(pageLimitDetail({ detail })).toBeUndefined()
  expect(explain({ detail })).toBeUndefined()
  expect(refineError('x', response(429, { detail }), 'processDocument')).toBeUndefined()
})

it('the reason of an error is the sentence of the service, if its body has one', () => {
  expect(explain({ detail: 'Not now.' })).toBe('Not now.')
  for (const body of [undefined, null, '', 'text', {}, { detail: 7 }]) expect(explain(body)).toBeUndefined()
})

it('R-33: a failed job names the reason of the service, or says that the service named none', () => {
  const job = { id: 'j-1', status: 'failed' } as ConstructorParameters<typeof JobFailedError>[0]
  expect(new JobFailedError({ ...job, error: 'Unreadable.' })).toMatchObject({
    reason: 'Unreadable.',
    message: 'The extraction job j-1 failed. The service says: Unreadable.',
  })
  expect(new JobFailedError(job)).toMatchObject({
    reason: '',
    message: 'The extraction job j-1 failed. The service reported no reason.',
  })
})

/** Error classes that no method of this client can throw. */
const OF_OTHERS = ['SessionLostError', 'SocketError']

it('every error class that a method can throw is exported by this package', () => {
  const classes = Object.keys(runtime).filter((name) => name.endsWith('Error') && !OF_OTHERS.includes(name))
  expect(classes.length).toBeGreaterThan(15)
  expect(Object.keys(extraction)).toEqual(expect.arrayContaining(classes))
})
