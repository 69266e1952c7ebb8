import { expect, it } from 'vitest'

import { ApiError, type Extraction } from '../src/index.ts'
import { invoice, JOB_ID as id, offline, rejection, responding } from './support.ts'

/** Returns a client that enforces the contract. Its service always returns this body. */
const returning = (body: unknown, status = 200): Extraction =>
  responding(() => Response.json(body, { status }), { retry: { maxAttempts: 1 }, validate: 'enforce' })
    .extraction

it('responses keep undocumented fields, such as one for the searchable PDF', async () => {
  const result = { text: 'a', text_preview: 'a', searchable_pdf: { at: 'https://files.example/1' } }
  const job = { id, status: 'completed', result, cost: 3 }
  expect(await returning(job).api.getJob({ path: { job_id: id } })).toEqual(job)
})

it.each([[['standard', 'searchable']], [{ pipelines: [] }], ['standard'], [7]])(
  'responses can have any shape where the documentation is silent: %j',
  async (body) => {
    const { api } = returning(body)
    expect(await api.listPipelines()).toEqual(body)
    expect(await api.listBlueprints()).toEqual(body)
    expect(await api.resumeOptimization({ body: { whatever: [1] } })).toEqual(body)
    expect(await api.getOptimizedSchema({ path: { job_id: 'any form of id' } })).toEqual(body)
  },
)

it('responses can have null, an object or an array as the value of a field, and no page number', async () => {
  const data = {
    a: { value: null, hil_flag: true, reason: 'not found' },
    b: { value: { c: [1] }, hil_flag: false, found_on_page: 0, reason: 'not flagged, and explained' },
  }
  const job = { id, status: 'completed', result: { data } }
  expect((await returning(job).api.getJob({ path: { job_id: id } })).result?.data).toEqual(data)
})

it.each([
  [422, { detail: [{ loc: ['body', 'file'], msg: 'missing' }] }, 'The service says: body.file: missing'],
  [400, { detail: null }, '400'],
  [400, { message: 'no detail at all' }, 'The service says: no detail at all'],
  [400, { message: ['first', 'second'] }, 'The service says: first; second'],
  [429, { detail: { error: 'page_count_exceeded' } }, 'The service says: page_count_exceeded'],
  [409, 'a reason', 'The service says: a reason'],
])(
  'undocumented errors keep status and body, and repeat the reason in the message: %i %j',
  async (status, body, reason) => {
    const error = await rejection(returning(body, status).submit({ file: invoice }))
    expect(ApiError.is(error)).toBe(true)
    expect(error).toMatchObject({ status, body })
    expect(String(error)).toContain(reason)
    expect(String(error)).not.toContain('[object Object]')
  },
)

const quotaHeaders = { resetsAt: 'x-emulator-quota-resets-at', missing: 'x-not-sent' }

it('R-06: quota headers that the caller names are read from errors too; the reset is a time in seconds, and missing ones are omitted', async () => {
  const { extraction } = await offline({ quotaHeaders })
  const error = await rejection(extraction.api.getJob({ path: { job_id: id } }))
  expect(error).toMatchObject({ status: 404, quota: { resetsAt: Date.UTC(2026, 3, 1) / 1_000 } })
  expect((error as ApiError).quota).not.toHaveProperty('missing')
})
