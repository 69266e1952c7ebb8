import type { StandardSchema } from '@concord/runtime'
import { virtualClock } from '@concord/runtime/testing'
import { expect, it, vi } from 'vitest'

import type { ExtractionOptions } from '../src/index.ts'
import { isStandardSchema, schemaText } from '../src/fields.ts'
import { fieldIssues, toCompletedJob } from '../src/jobs.ts'
import { toPreview } from '../src/preview.ts'
import { toProcessInput } from '../src/process-input.ts'
import { fieldsOf } from '../src/submit.ts'
import { requestBudget } from '../src/waits.ts'
import { JOB_ID as id, rejection, responding } from './support.ts'

const times = { created_at: '2026-03-02T09:00:00Z', completed_at: '2026-03-02T09:00:09Z' }
const completed = { id, status: 'completed', ...times }
const noFetch = () => expect.unreachable()

/** Returns a schema whose check has this outcome. */
const checking = (outcome: unknown): StandardSchema =>
  ({ '~standard': { version: 1, vendor: 'test', validate: () => outcome } }) as StandardSchema

/** Returns a client whose service always returns this body. */
const returning = (body: object, options: Partial<ExtractionOptions> = {}) =>
  responding(() => Response.json(body), options)

it.each([undefined, null, 'text', 7])(
  'R-05: a completed job whose result is %s is an error with the job',
  (result) => {
    const job = { ...completed, result } as never
    expect(() => toCompletedJob(job, noFetch)).toThrow(
      expect.objectContaining({
        code: 'contract-drift',
        operation: 'getJob',
        issues: [expect.objectContaining({ path: '/result' })],
      }) as Error,
    )
  },
)

it('R-05: the text of a job comes from text_url if present, otherwise from the job, otherwise it is an error', async () => {
  const textOf = (result: object) =>
    toCompletedJob({ ...completed, result } as never, async (url) => `fetched ${url}`).text()
  expect(await textOf({ text: 'own' })).toBe('own')
  expect(await textOf({ text: '' })).toBe('')
  expect(await textOf({ text: 'own', text_url: null })).toBe('own')
  expect(await textOf({ text: 'own', text_url: 'u' })).toBe('fetched u')
  for (const text of [undefined, null, 7])
    await expect(textOf({ text })).rejects.toMatchObject({ issues: [{ path: '/result/text' }] })
})

it("R-05: differences from the caller's schema have the path of the value in the response", () => {
  const job = { result: { data: { total: { value: 'x' }, none: null } } } as never
  const validate = vi.fn(() => ({
    issues: [
      { message: 'is odd' },
      { message: 'is text', path: ['total'] },
      { message: 'is deep', path: [{ key: 'total' }, 0] },
    ],
  }))
  expect(fieldIssues(job, { '~standard': { version: 1, vendor: 'test', validate } })).toEqual([
    { path: '/result/data', reason: 'is odd' },
    { path: '/result/data/total/value', reason: 'is text' },
    { path: '/result/data/total/value/0', reason: 'is deep' },
  ])
  expect(validate).toHaveBeenCalledWith({ total: 'x', none: undefined })
  expect(fieldIssues(job, checking({ value: {} }))).toEqual([])
  for (const odd of [{}, { result: null }, { result: { data: null } }, { result: { data: 'x' } }])
    expect(fieldIssues(odd as never, checking({ value: {} }))).toMatchObject([{ path: '/result/data' }])
  expect(() => fieldIssues(job, checking(Promise.resolve({})))).toThrow(
    expect.objectContaining({ option: 'fields' }) as Error,
  )
})

it('R-05: a job that breaks a rule is reported, rejected or accepted, depending on `validate`', async () => {
  const job = { ...completed, error: { message: 'x' }, result: { text: 'own' } }
  const fields = checking({ issues: Array.from({ length: 7 }, (_, index) => ({ message: `odd ${index}` })) })
  const lax = returning(job, { validate: 'off' })
  expect(await lax.extraction.job(id, { fields }).wait()).toMatchObject({ id })
  expect(lax.drift).toEqual([])
  const failed = returning({ id, status: 'failed' }, { validate: 'off' })
  await expect(failed.extraction.job(id).wait()).rejects.toMatchObject({ code: 'operation-failed' })
  expect(failed.drift).toEqual([])
  const reporting = returning({ ...completed, result: { text: 'own' } })
  await reporting.extraction.job(id, { fields }).wait()
  expect(reporting.drift.flatMap(({ issues }) => issues)).toMatchObject([
    { path: '/result/data', reason: 'is missing' },
  ])
  const strict = returning({ ...completed, result: { data: {} } }, { validate: 'enforce' })
  const error = await rejection(strict.extraction.job(id, { fields }).wait())
  expect(error).toMatchObject({ code: 'contract-drift', operation: 'getJob', issues: { length: 7 } })
  expect(String(error)).toMatch(/odd 4\.$/)
})

it('R-34: requests other than polls count against the rate, and observers see all of them', () => {
  const seen: unknown[] = []
  const polling = { requestsPerMinute: 4, reserve: 1 }
  const { budget, observe } = requestBudget({
    polling,
    clock: virtualClock(),
    observe: (event: unknown) => void seen.push(event),
  } as never)
  const events = [
    { type: 'request', operation: 'getJob' },
    { type: 'request', operation: 'getOptimizationJob' },
    { type: 'response', operation: 'processDocument' },
    { type: 'request', operation: 'processDocument' },
    { type: 'request', operation: 'processDocument' },
  ]
  for (const event of events) observe!(event as never)
  expect(seen).toEqual(events)
  expect(budget!.takePoll()).toBe(0)
  expect(budget!.takePoll()).toBeGreaterThan(0)
  const silent = requestBudget({ polling: { requestsPerMinute: 4 }, clock: virtualClock() } as never)
  silent.observe!(events[3] as never)
  expect(requestBudget({} as never)).toStrictEqual({ budget: undefined, observe: undefined })
})

it('R-21: a schema that cannot be sent is rejected, and the error names the option', () => {
  const rejected = (option: string) => expect.objectContaining({ code: 'invalid-options', option }) as Error
  for (const schema of ['{', 7, undefined, null, () => 1, checking({})])
    expect(() => schemaText(schema as never)).toThrow(rejected('schema'))
  const cause = new Error('a date')
  const input = vi.fn<() => object>(() => {
    throw cause
  })
  const source = { '~standard': { jsonSchema: { input } } } as never
  expect(() => schemaText(source)).toThrow(expect.objectContaining({ option: 'schema', cause }) as Error)
  input.mockReturnValue({ type: 'object' })
  for (const form of [{}, () => undefined])
    expect(schemaText(Object.assign(form, { '~standard': { jsonSchema: { input } } }) as never)).toBe(
      '{"type":"object"}',
    )
  expect(input).toHaveBeenCalledWith({ target: 'draft-2020-12' })
  expect(() => schemaText(checking({}))).toThrow(/Pass the JSON Schema in `schema` and the validator in/)
  expect(
    [null, undefined, {}, 'x', checking({}), Object.assign(() => 1, { '~standard': {} })].map(
      isStandardSchema,
    ),
  ).toEqual([false, false, false, false, true, true])
  expect(() => fieldsOf({ fields: { type: 'object' } } as never)).toThrow(rejected('fields'))
  const fields = checking({})
  expect([
    fieldsOf({ fields } as never),
    fieldsOf({ schema: fields } as never),
    fieldsOf({} as never),
  ]).toEqual([fields, fields, undefined])
})

it('R-21: a submission with an unusable webhook, or with schema and blueprint, is rejected', async () => {
  const file = new Blob(['%PDF-1.7'], { type: 'application/pdf' })
  const bodyOf = async (more: object) => (await toProcessInput({ file, ...more })).body
  expect(await bodyOf({ webhook_url: 'HTTPS://a.test/' })).toMatchObject({ webhook_url: 'HTTPS://a.test/' })
  for (const webhook_url of ['http://a.test/', 'xhttps://a.test/', 7])
    await expect(bodyOf({ webhook_url })).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringMatching(/webhook_url.*https:/) as string,
    })
  await expect(bodyOf({ schema: '{}', blueprint_id: 'b' })).rejects.toMatchObject({ code: 'invalid-request' })
})

it('R-11: the key goes to text_url only on request, and only under the base URL', async () => {
  const base = 'https://extraction.example'
  const textOf = async (text_url: string, options: object) => {
    const { extraction, requests } = responding(
      (request) =>
        request.url.includes('/jobs/')
          ? Response.json({ ...completed, result: { text_url } })
          : new Response('äb', { headers: { 'content-type': 'text/markdown' } }),
      { baseUrl: `${base}/prefix` },
    )
    const job = await extraction.job(id).wait()
    const text = await job.text({ withKey: true, ...options }).catch((error: unknown) => error)
    return [text, requests.slice(1).map(({ url, headers }) => [url, headers.get('x-api-key')])]
  }
  const signal = new AbortController().signal
  expect(await textOf(`${base}/prefix/texts/1?a=b`, { maxBytes: 3, signal })).toEqual([
    'äb',
    [[`${base}/prefix/texts/1?a=b`, 'key-placeholder']],
  ])
  expect((await textOf(`${base}/prefix/texts/1`, { maxBytes: 2 }))[0]).toMatchObject({ failure: 'too-large' })
  const stopped = AbortSignal.abort(new Error('enough'))
  expect((await textOf(`${base}/prefix/texts/1`, { signal: stopped }))[0]).toMatchObject({
    message: 'enough',
  })
  for (const url of [
    'texts/1',
    `${base}/texts/1`,
    'https://other.example/prefix/texts/1',
    `https://u:p@extraction.example/prefix/1`,
  ])
    expect(await textOf(url, {})).toMatchObject([{ option: 'withKey' }, []])
})

it("R-20: reading the text with the key is retried like any read, and its error has the service's reason", async () => {
  const responses = [
    () => Response.json({ ...completed, result: { text_url: 'https://extraction.example/texts/1' } }),
    () => new Response('busy', { status: 503 }),
    () => new Response('# a', { status: 203, headers: { 'content-type': 'text/markdown' } }),
    () => Response.json({ detail: 'The link has expired.' }, { status: 403 }),
  ]
  const { extraction, drift } = responding(() => responses.shift()!())
  const job = await extraction.job(id).wait()
  expect(await job.text({ withKey: true })).toBe('# a')
  await expect(job.text({ withKey: true })).rejects.toMatchObject({
    status: 403,
    body: { detail: 'The link has expired.' },
  })
  expect(drift).toEqual([])
  await extraction[Symbol.asyncDispose]()
  await expect(job.text({ withKey: true })).rejects.toThrow(/closed/)
})

it('R-04: a preview returns images only of its own pages', async () => {
  const pages = [
    { page_number: 1, image_url: 'one' },
    { page_number: 2 },
    { page_number: 3, image_url: null },
  ]
  const preview = toPreview({ pages } as never, async (url) => new Blob([url]))
  expect(await (await preview.image(1)).text()).toBe('one')
  expect(await (await preview.image({ page_number: 9, image_url: 'own' } as never)).text()).toBe('own')
  await expect(preview.image(2)).rejects.toMatchObject({ option: 'page' })
  await expect(preview.image(3)).rejects.toThrow(/has no image/)
  await expect(preview.image(4)).rejects.toThrow('Its pages are 1, 2, 3.')
  await expect(toPreview({} as never, noFetch).image(1)).rejects.toThrow('The preview is empty.')
  await expect(preview.image(1, { maxbytes: 1 } as never)).rejects.toMatchObject({ option: 'maxbytes' })
})
