import { expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'

import { RequestInvalidError, webhookReceiver, type ExtractionOptions } from '../src/index.ts'
import { JOB_ID as id, rejection, responding } from './support.ts'

/** Returns a client of a service with these responses by path. */
const returning = (responses: Record<string, unknown>, options: Partial<ExtractionOptions> = {}) =>
  responding(({ url }) => {
    const response = responses[new URL(url).pathname]
    return typeof response === 'string' ? new Response(response) : Response.json(response)
  }, options)

const completed = (result: unknown) => ({ id, status: 'completed', result })

const times = { created_at: '2026-03-02T09:00:00Z', completed_at: '2026-03-02T09:01:00Z' }
it.each([
  ['a completed job with an error', { ...completed({ text: 'a' }), ...times, error: 'no' }, ['/error']],
  ['a completed job without times', completed({ text: 'a' }), ['/created_at', '/completed_at']],
  // The schema rejects null too, so there are two issues where a rule does as well.
  [
    'a completed job with null as a time',
    { ...completed({ text: 'a' }), ...times, completed_at: null },
    ['/completed_at', '/completed_at'],
  ],
  [
    'a completed job with null as its error',
    { ...completed({ text: 'a' }), ...times, error: null },
    ['/error'],
  ],
  ['a failed job without an error', { id, status: 'failed' }, ['/error']],
  ['a completed job as documented', { ...completed({ text: 'a' }), ...times }, []],
  ['a failed job as documented', { id, status: 'failed', error: 'unreadable' }, []],
])('%s is reported as drift at %j', async (_what, job, paths) => {
  const { extraction, drift } = returning({ [`/v1/jobs/${id}`]: job })
  await extraction
    .job(id)
    .wait()
    .catch((error: unknown) => expect(error).toMatchObject({ code: 'operation-failed' }))
  expect(drift.flatMap(({ issues }) => issues).map(({ path }) => path)).toEqual(paths)
})

it('a completed job without its times is rejected if validation is enforced', async () => {
  const { extraction } = returning({ [`/v1/jobs/${id}`]: completed({ text: 'a' }) }, { validate: 'enforce' })
  await expect(extraction.job(id).wait()).rejects.toMatchObject({ code: 'contract-drift' })
})

it.each([
  ['no data', { data: null }],
  ['no entry', { data: { total: null } }],
  ['no value', { data: { total: { value: null, hil_flag: true } } }],
])('a completed job with %s is returned, with typed fields and without', async (_what, result) => {
  const { extraction } = returning({ [`/v1/jobs/${id}`]: completed(result) })
  const done = await extraction.job(id, { fields: z.object({ total: z.number() }) }).wait()
  expect(done.result).toEqual(result)
})

it('R-04: a page in place of a preview image is an error', async () => {
  const page = { page_number: 1, image_url: 'https://images.example/1.png' }
  const { extraction } = responding(({ url }) =>
    url.endsWith('.png')
      ? new Response('<html>', { headers: { 'content-type': 'text/html' } })
      : Response.json({ status: 'completed', pages: [page] }),
  )
  await expect((await extraction.preview('t')).image(1)).rejects.toMatchObject({
    code: 'unexpected-content',
    contentType: 'text/html',
  })
})

it('an optimization whose lists are not arrays is rejected with a reason', async () => {
  const { extraction, requests } = returning({})
  const request = { training_documents: null, ground_truth_data: [] } as never
  const error = await rejection(extraction.optimize(request))
  expect(RequestInvalidError.is(error)).toBe(true)
  expect((error as Error).message).toMatch(/training_documents: must be an array|training_documents: .*array/)
  expect(requests).toHaveLength(0)
})

it('R-44: the response that contains the key is never discarded because of drift, and a device code needs only the code, the URL and the text to type', async () => {
  const user_code = 'BCDF-GHJK'
  const verification_uri = 'https://app.example/device'
  const { extraction } = returning(
    {
      '/v1/agent/device/code': { device_code: 'a-code', user_code, verification_uri, interval: 0 },
      '/v1/agent/device/token': { error: null, api_key: 'a-key-that-comes-once' },
    },
    { validate: 'enforce' },
  )
  let shown: object = {}
  let kept = ''
  await extraction.authorizeDevice({
    onPrompt: (prompt) => void (shown = prompt),
    save: (key) => void (kept = key),
  })
  expect(shown).toMatchObject({ user_code, verification_uri, expires_in: 900 })
  expect(kept).toBe('a-key-that-comes-once')
})

it('a webhook call is accepted by its event and id alone, with any method that has a body', async () => {
  const { extraction } = returning({ [`/v1/jobs/${id}`]: completed({}) })
  const finishedIds: string[] = []
  const receive = webhookReceiver(extraction, { onJob: (finished) => void finishedIds.push(finished.id) })
  const odd = { status: null, result: null, metadata: null, preview_url: 'not a URL' }
  const body = JSON.stringify({ event: 'job.completed', job_id: id, ...odd })
  const request = new Request('https://hooks.example/', { method: 'PUT', body })
  expect((await receive(request)).status).toBe(204)
  expect(finishedIds).toEqual([id])
})

it('types values as they are received, before any transform of the schema', () => {
  const fields = z.object({ n: z.string().transform((text) => text.length) })
  const job = returning({}).extraction.job(id, { fields })
  type Value = NonNullable<Awaited<ReturnType<typeof job.wait>>['result']['data']>['n']['value']
  expectTypeOf<Value>().toEqualTypeOf<string>()
})
