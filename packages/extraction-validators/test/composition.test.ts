import { expect, it } from 'vitest'

import {
  deviceToken,
  errorBody,
  fieldEntry,
  getJobInput,
  job,
  jobStatus,
  listPipelinesInput,
  processDocumentRequest,
  result,
  resumeOptimizationInput,
  startOptimizationInput,
} from '@concord/extraction-validators'

import { response, archive, incoming } from './consumer.ts'

const queued = { id: '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a', status: 'queued' }
const token = { error: 'authorization_pending', api_key: null, key_prefix: null }

it('schemas inside those of a consumer parse in an object, an array, a union, a record, and as optional and nullable', () => {
  const whole = { owner: 'me', job: queued, earlier: [queued, queued], kept: null, byName: { a: queued } }
  expect(archive.parse(whole)).toEqual(whole)
  expect(incoming.parse({ event: 'ping' })).toEqual({ event: 'ping' })
  expect(response.parse(token)).toEqual(token)
})

it('schemas inside those of a consumer reject with the whole path to the mistake', () => {
  const wrong = {
    owner: 'me',
    job: queued,
    earlier: [queued, { ...queued, id: '7' }],
    kept: null,
    byName: {},
  }
  const outcome = archive.safeParse(wrong)
  expect(outcome.error?.issues.map(({ path }) => path)).toEqual([['earlier', 1, 'id']])
})

it('schemas inside those of a consumer are Standard Schemas', async () => {
  expect(job['~standard'].version).toBe(1)
  expect(await job['~standard'].validate(queued)).toEqual({ value: queued })
  expect(await job['~standard'].validate({ id: 1 })).toHaveProperty('issues')
})

it('fields that the contract does not know are kept, at every depth', () => {
  const value = { ...queued, priority: 1, result: { text: 'a', language: 'en', pages: [{ angle: 90 }] } }
  expect(job.parse(value)).toEqual(value)
})

it('parsing adds nothing to a value: a documented default is not inserted', () => {
  expect(startOptimizationInput.parse({ body: {} })).toEqual({ body: {} })
})

it('an open enum accepts unknown values, and a closed one rejects them', () => {
  expect(deviceToken.safeParse({ ...token, error: 'slow_down' }).success).toBe(true)
  expect(jobStatus.safeParse('paused').success).toBe(false)
})

it('a required value must be present, even if any value is allowed', () => {
  expect(errorBody.safeParse({}).error?.issues).toMatchObject([{ path: ['detail'], message: 'is required' }])
  expect(errorBody.safeParse({ detail: null }).success).toBe(true)
  expect(fieldEntry.safeParse({ hil_flag: true }).success).toBe(true)
})

it('null is accepted only where the contract says so', () => {
  expect(deviceToken.safeParse({ ...token, error: null }).success).toBe(true)
  expect(deviceToken.safeParse({ error: null, api_key: null }).success).toBe(false)
  expect(job.safeParse({ ...queued, error: null }).success).toBe(false)
})

it('a string has no maximum length where the documentation does not say what is counted', () => {
  expect(result.safeParse({ text_preview: '📄'.repeat(501) }).success).toBe(true)
})

it('ISO 8601 time stamps are accepted with and without an offset', () => {
  const accepts = (created_at: string) => job.safeParse({ ...queued, created_at }).success
  expect(accepts('2026-03-02T09:14:05+05:30')).toBe(true)
  expect(accepts('2026-03-02T09:14:05.678000')).toBe(true)
  expect(accepts('2026-02-30T09:14:05Z')).toBe(false)
  expect(accepts('yesterday')).toBe(false)
})

it('issues say in words what is wrong, also under zod/mini', () => {
  const outcome = job.safeParse({ ...queued, id: 'x', preview_url: 'no address' })
  expect(outcome.error?.issues.map(({ message }) => message)).toEqual(['must be a UUID', 'must be a URI'])
})

const file = new Blob(['%PDF-1.7'])

it('inputs accept a schema, a blueprint, or neither, and reject both', () => {
  const blueprint_id = queued.id
  expect(processDocumentRequest.safeParse({ file }).success).toBe(true)
  expect(processDocumentRequest.safeParse({ file, schema: '{}' }).success).toBe(true)
  expect(processDocumentRequest.safeParse({ file, blueprint_id }).success).toBe(true)
  expect(processDocumentRequest.safeParse({ file, schema: '{}', blueprint_id }).error?.issues).toMatchObject([
    { path: [], message: 'must not have `schema` and `blueprint_id` together' },
  ])
})

it('inputs accept bytes as a path, a Blob, bytes, a stream, an iterable, or any of these with name, type and length', () => {
  const stream = new ReadableStream<Uint8Array>()
  async function* chunks() {
    yield new Uint8Array(1)
  }
  for (const content of [file, new Uint8Array(2), new ArrayBuffer(2), stream, chunks()]) {
    expect(processDocumentRequest.safeParse({ file: content }).success).toBe(true)
    expect(
      processDocumentRequest.safeParse({ file: { content, filename: 'a.pdf', sizeBytes: 2 } }).success,
    ).toBe(true)
  }
  expect(processDocumentRequest.safeParse({ file: 'invoice.pdf' }).success).toBe(true)
  expect(processDocumentRequest.safeParse({ file: { content: 'a.tmp', filename: 'a.pdf' } }).success).toBe(
    true,
  )
  const named = { content: 'invoice.pdf', filename: 'other.pdf' }
  expect(processDocumentRequest.safeParse({ file: named }).success).toBe(true)
  for (const wrong of [undefined, null, 7, {}, { content: 7 }, { content: file, sizeBytes: '2' }, [file]]) {
    expect(processDocumentRequest.safeParse({ file: wrong }).success).toBe(false)
  }
})

it('inputs return the same bytes, not a copy', () => {
  expect(processDocumentRequest.parse({ file }).file).toBe(file)
})

it('inputs need their required parts only', () => {
  expect(getJobInput.safeParse({ path: { job_id: queued.id } }).success).toBe(true)
  expect(getJobInput.safeParse({ path: {} }).success).toBe(false)
  expect(getJobInput.safeParse({}).success).toBe(false)
  expect(listPipelinesInput.safeParse({}).success).toBe(true)
  expect(resumeOptimizationInput.safeParse({}).success).toBe(true)
})

it('inputs accept undefined for optional fields', () => {
  expect(processDocumentRequest.safeParse({ file, schema: '{}', blueprint_id: undefined }).success).toBe(true)
})
