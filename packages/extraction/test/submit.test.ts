import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { fetchTransport } from '@concord/runtime'
import { memoryTransport } from '@concord/runtime/testing'
import { expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'

import type { RateLimitedError } from '../src/index.ts'
import { ConcordError, Extraction, OptionsError, RequestInvalidError } from '../src/index.ts'
import { listBlueprints } from '../src/gen/operations.gen.ts'
import { documents, invoice, offline, rejection } from './support.ts'

const schema = JSON.parse(await readFile(join(documents, 'invoice.schema.json'), 'utf8')) as Record<
  string,
  unknown
>

it('a submission sends a file from a React Native picker with its name and type, and rejects other file types', async () => {
  const sent: unknown[] = []
  class NativeFormData {
    append(name: string, value: unknown): void {
      sent.push([name, value])
    }
  }
  vi.stubGlobal('navigator', { product: 'ReactNative' })
  vi.stubGlobal('FormData', NativeFormData)
  onTestFinished(() => void vi.unstubAllGlobals())
  const body = { id: '7d4c2a9e-1b3f-4c5d-8e6f-0a1b2c3d4e5f', status: 'queued' }
  const fetch = async () => Response.json(body, { status: 202 })
  const extraction = new Extraction({
    baseUrl: 'https://extraction.example',
    apiKey: 'key',
    transport: fetchTransport({ fetch }),
    onDrift: () => undefined,
  })
  const picked = { uri: 'content://scans/7', name: 'scan.jpg', type: null }
  expect((await extraction.submit({ file: picked })).status).toBe('queued')
  const file = { uri: 'content://scans/7', name: 'scan.jpg', type: 'image/jpeg' }
  expect(sent).toContainEqual(['file', file])
  const text = { uri: 'content://scans/8', name: 'scan.txt' }
  await expect(extraction.submit({ file: text })).rejects.toThrow("has a name that ends in '.txt'")
  await extraction.close()
})

it('a submission returns the fields of a real PDF from a path, like the first example in the README', async () => {
  const { extraction, clock } = await offline()
  const seen: unknown[] = []
  const job = await extraction.submit({ file: invoice, schema })
  expect(job.status).toBe('queued')
  const done = await job.wait({ deadline: '5m', onUpdate: ({ status }) => seen.push(status) })
  expect(seen.at(-1)).toBe('completed')
  expect(clock.elapsedMs).toBeGreaterThanOrEqual(5_000)
  const text = await done.text()
  const { invoice_number } = done.result.data ?? {}
  expect(text).toContain(String(invoice_number?.value))
  expect(invoice_number?.found_on_page).toBe(1)
  expect(done.metadata?.page_count).toBe(3)
  expect(JSON.parse(JSON.stringify(done))).toEqual(await extraction.api.getJob({ path: { job_id: job.id } }))
})

it('a submission types and checks the values with a zod schema that has a JSON Schema', async () => {
  const { extraction } = await offline()
  const Invoice = z.object({ invoice_number: z.string(), total: z.number() })
  const done = await (await extraction.submit({ file: invoice, schema: Invoice })).wait()
  expectTypeOf(done.result.data!.invoice_number.value).toEqualTypeOf<string>()
  expectTypeOf(done.result.data!.total.value).toEqualTypeOf<number>()
  expect(done.result.data?.invoice_number.value).toMatch(/\w/)
})

it('a completed job fetches a long text from text_url, without the key', async () => {
  const requests: Request[] = []
  const { emulator, client } = await offline({}, { choices: { sizes: { textUrlAboveBytes: 10 } } })
  const extraction = client({
    transport: memoryTransport((request) => (requests.push(request), emulator.extraction.fetch(request))),
  })
  const done = await (await extraction.submit({ file: invoice })).wait()
  expect(done.result.text).toBeUndefined()
  expect(await done.text()).toContain(done.result.text_preview!.slice(0, 40).trim())
  expect(requests.at(-1)?.headers.get('x-api-key')).toBeNull()
  await expect(done.text({ maxBytes: 5 })).rejects.toMatchObject({ code: 'download', failure: 'too-large' })
})

it('a client reads a preview and fetches its page images, without a key', async () => {
  const { extraction, client } = await offline()
  const done = await (await extraction.submit({ file: invoice, include_images: true })).wait()
  const token = done.preview_url!.split('/').at(-1)!
  const anonymous = client({
    apiKey: () => {
      throw new Error('the key is not needed')
    },
  })
  const preview = await anonymous.preview(token)
  const image = await preview.image(2)
  expect(image.type).toBe('image/png')
  expect(new Uint8Array(await image.arrayBuffer()).subarray(1, 4)).toEqual(new TextEncoder().encode('PNG'))
  await expect(preview.image(9)).rejects.toThrow(/page.*9/)
})

it('R-30: another client resumes a job from its token, which contains no secret', async () => {
  const { extraction, client, emulator } = await offline()
  const token = (await extraction.submit({ file: invoice })).resumeToken()
  expect(token).not.toContain(emulator.extraction.apiKey)
  await extraction.close()
  const done = await client().resume(token).wait()
  expect(done.metadata?.page_count).toBe(3)
})

it('R-31: after close(), waits and calls reject with a ConnectionError, and nothing is sent', async () => {
  let requests = 0
  const { extraction } = await offline({ observe: ({ type }) => (requests += type === 'request' ? 1 : 0) })
  const job = await extraction.submit({ file: invoice })
  const waiting = rejection(job.wait())
  const iterating = rejection(job.changes().next())
  await extraction.close()
  const failures = await Promise.all([
    waiting,
    iterating,
    rejection(job.wait()),
    rejection(job.changes().next()),
    rejection(extraction.job(job.id).wait()),
    rejection(extraction.submit({ file: invoice })),
    rejection(extraction.api.getJob({ path: { job_id: job.id } })),
  ])
  for (const failure of failures) {
    expect(ConcordError.is(failure)).toBe(true)
    expect(failure).toMatchObject({ code: 'connection', sent: 'no' })
  }
  expect(requests).toBe(1)
})

it('R-30: resuming a job rejects the token of an optimization, and garbage', async () => {
  const { extraction } = await offline()
  const run = await extraction.optimize({
    training_documents: ['a', 'b'],
    ground_truth_data: [{ x: 1 }, { x: 2 }],
  })
  expect(() => extraction.resume(run.resumeToken())).toThrow(OptionsError)
  expect(() => extraction.resume('nonsense')).toThrow(OptionsError)
})

it('a 429 for the request rate is retried after a wait, and then thrown as a typed error', async () => {
  const { extraction } = await offline({ retry: { maxAttempts: 2 } }, { plan: 'free' })
  const calls = Array.from({ length: 12 }, () => extraction.api.listBlueprints({}))
  const outcomes = await Promise.allSettled(calls)
  const denied = outcomes
    .filter((outcome) => outcome.status === 'rejected')
    .map((outcome) => outcome.reason as RateLimitedError)
  expect(denied.length).toBeGreaterThan(0)
  // This could also be the page quota, and the body doesn't say, so the error has no `meaning`.
  expect(denied[0]).toMatchObject({ code: 'http', status: 429, retryHelps: true, attempts: 2 })
  expect(denied[0]?.meaning).toBeUndefined()
})

it.each<[string, () => Parameters<Extraction['submit']>[0], RegExp]>([
  ['a missing file', () => ({ file: '/nowhere/at-all.pdf' }), /at-all\.pdf.*doesn't exist/],
  ['a folder', () => ({ file: documents, filename: 'x.pdf' }), /folder/],
  ['a blueprint_id that is not a UUID', () => ({ file: invoice, blueprint_id: 'seven' }), /blueprint_id/],
  [
    'a flag that is not a boolean',
    () => ({ file: invoice, include_pages: 'true' as never }),
    /include_pages/,
  ],
  ['a misspelled name', () => ({ file: invoice, shema: {} }) as never, /shema/],
  [
    'a part whose name is not documented',
    () => ({ file: invoice, pipeline: 'searchable' }) as never,
    /`submission\.pipeline`.*`extra\.parts`/,
  ],
  ['nothing in it', () => undefined as never, /submission/],
])('a submission with %s is rejected before anything is sent', async (_what, submission, message) => {
  const { extraction, emulator } = await offline()
  const error = await rejection(extraction.submit(submission() as never))
  expect(RequestInvalidError.is(error) || OptionsError.is(error)).toBe(true)
  expect((error as Error).message).toMatch(message)
  expect(emulator.extraction.state.jobs).toHaveLength(0)
})

it.each<[string, () => unknown, RegExp]>([
  ['no options', () => new Extraction(undefined as never), /options/],
  ['no base URL', () => new Extraction({} as never), /baseUrl/],
  [
    'a base URL without a scheme',
    () => new Extraction({ baseUrl: 'extraction.example' }),
    /baseUrl|scheme|http/,
  ],
  [
    'an option that does not exist',
    () => new Extraction({ baseUrl: 'https://e.example', apikey: 'x' } as never),
    /apikey/,
  ],
  ['an empty key', () => new Extraction({ baseUrl: 'https://e.example', apiKey: '' }), /apiKey/],
  ['no base URL in the environment', () => Extraction.fromEnv({}, {}), /EXTRACTION_BASE_URL/],
])('a client is not created with %s', (_what, make, message) => {
  expect(make).toThrow(message)
})

it('a call that needs a key is rejected without one', async () => {
  const extraction = new Extraction({ baseUrl: 'https://e.example' })
  await expect(extraction.api.listBlueprints({})).rejects.toThrow(
    /needs `apiKey`, which is missing.*authorizeDevice/,
  )
})

it('only fromEnv reads the environment', async () => {
  const sent: [string, string | null][] = []
  const transport = memoryTransport(({ url, headers }) => {
    sent.push([url, headers.get('x-api-key')])
    return Response.json({ blueprints: [] })
  })
  const env = { EXTRACTION_BASE_URL: 'https://e.example/tenant', EXTRACTION_API_KEY: 'of-the-environment' }
  await using extraction = Extraction.fromEnv({ transport, onDrift: () => undefined }, env)
  await extraction.exchange(listBlueprints, {})
  expect(sent).toEqual([['https://e.example/tenant/v1/blueprints/', 'of-the-environment']])
  expect(() => Extraction.fromEnv({}, {})).toThrow(expect.objectContaining({ option: 'baseUrl' }))
  expect(Extraction.fromEnv({}, { EXTRACTION_BASE_URL: 'https://e.example' })).toBeInstanceOf(Extraction)
})
