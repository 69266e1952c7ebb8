import { expect, it } from 'vitest'

import { makePdf, pdfFile, pngFile, schemaText, startExtraction } from '../support/extraction.ts'

const cutOffPdf = (await makePdf(['Hello'])).slice(0, 200)

it('a job moves from queued to processing to completed on the clock', async () => {
  await using service = await startExtraction()
  const id = await service.start()
  const status = async () => (await service.job(id)).status
  expect(await status()).toBe('queued')
  await service.control.clock.advance(999)
  expect(await status()).toBe('queued')
  await service.control.clock.advance(1)
  expect(await status()).toBe('processing')
  await service.control.clock.advance(2_999)
  expect(await status()).toBe('processing')
  await service.control.clock.advance(1)
  expect(await status()).toBe('completed')
})

it('a job takes as long as the choices say', async () => {
  await using service = await startExtraction({
    choices: {
      courseOf: ({ pipeline }) => ({
        queuedMs: 10,
        processingMs: pipeline === 'standard' ? 120_000 : 200_000,
      }),
    },
  })
  const id = await service.start()
  await service.control.clock.advance(120_009)
  expect((await service.job(id)).status).toBe('processing')
  await service.control.clock.advance(1)
  expect((await service.job(id)).status).toBe('completed')
})

it('a job has its times, result, metadata and a preview link when it is completed', async () => {
  await using service = await startExtraction()
  const job = await service.process({ file: await pdfFile(['Hello']) })
  expect(job).toEqual({
    id: expect.any(String),
    status: 'completed',
    created_at: '2026-01-05T09:00:00.000Z',
    completed_at: '2026-01-05T09:00:04.000Z',
    result: { text: 'Hello', text_preview: 'Hello' },
    metadata: {
      page_count: 1,
      pipeline: 'standard',
      review_percentage: 0,
      fields_requiring_review: 0,
      total_fields: 0,
      step_timings: {},
    },
    preview_url: expect.stringMatching(/^http:\/\/extraction\.emulator\.invalid\/preview\/[0-9a-f]{32}$/),
  })
})

it('a job has only its id, status, time and webhook URL while it is unfinished', async () => {
  await using service = await startExtraction()
  const webhook_url = 'https://hooks.example/'
  const id = await service.start({ file: await pdfFile(['Hello']), webhook_url })
  const created_at = '2026-01-05T09:00:00.000Z'
  expect(await service.job(id)).toEqual({ id, status: 'queued', created_at, webhook_url })
})

it.each([
  ['a.pdf', '%PDF-1.7\nthis is not a PDF'],
  ['a.pdf', cutOffPdf],
  ['a.png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3)],
])('a job fails for an unreadable %s, with only id, status and error', async (name, content) => {
  await using service = await startExtraction()
  const job = await service.process({ file: new File([content], name) })
  expect(job).toEqual({ id: job.id, status: 'failed', error: 'The document is corrupt or unreadable.' })
})

it('a job fails if required fields are not found', async () => {
  await using service = await startExtraction()
  const schema = schemaText({ iban: { type: 'string' }, total: { type: 'number' } }, ['iban', 'total'])
  const job = await service.process({ file: await pdfFile(['Total: 12.50']), schema })
  expect(job).toEqual({ id: job.id, status: 'failed', error: 'Required fields not found: iban.' })
})

it('a job gets 404 for another key, like an unknown job', async () => {
  await using service = await startExtraction({ apiKeys: ['key-one', 'key-two'] })
  const id = await service.start()
  expect((await service.call(`/v1/jobs/${id}`)).status).toBe(200)
  expect((await service.call(`/v1/jobs/${id.toUpperCase()}`)).status).toBe(200)
  for (const [path, key] of [
    [`/v1/jobs/${id}`, 'key-two'],
    ['/v1/jobs/7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a', 'key-one'],
    ['/v1/jobs/not-a-uuid', 'key-one'],
  ] as const) {
    const response = await service.call(path, { key })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ detail: 'The job was not found.' })
  }
})

it('a scripted job fails once, with the given reason', async () => {
  await using service = await startExtraction()
  service.control.scriptJobs({ outcome: 'fail', error: 'processing timeout' })
  const file = await pdfFile(['Hello'])
  expect(await service.process({ file })).toMatchObject({ status: 'failed', error: 'processing timeout' })
  expect(await service.process({ file })).toMatchObject({ status: 'completed' })
})

it('a scripted job stays in a state until it is moved', async () => {
  await using service = await startExtraction()
  service.control.scriptJobs({ outcome: 'hold' })
  service.control.scriptJobs({ outcome: 'hold', in: 'queued' })
  const file = await pdfFile(['Hello'])
  const processing = await service.process({ file })
  const queued = await service.process({ file })
  await service.control.clock.advance(3_600_000)
  expect((await service.job(processing.id)).status).toBe('processing')
  expect((await service.job(queued.id)).status).toBe('queued')
  await service.control.completeJob(processing.id)
  await service.control.failJob(queued.id, 'quota exceeded')
  expect((await service.job(processing.id)).status).toBe('completed')
  expect(await service.job(queued.id)).toMatchObject({
    status: 'failed',
    error: 'quota exceeded',
  })
})

it('a scripted job can be moved manually, one state at a time', async () => {
  await using service = await startExtraction()
  service.control.scriptJobs({ outcome: 'manual', times: 'always' })
  const { id, status } = await service.process({ file: await pdfFile(['Hello']) })
  expect(status).toBe('queued')
  await service.control.advanceJob(id)
  expect((await service.job(id)).status).toBe('processing')
  await service.control.advanceJob(id)
  expect((await service.job(id)).status).toBe('completed')
  await expect(service.control.advanceJob(id)).rejects.toThrow('is already completed')
  await expect(service.control.failJob(id, 'x')).rejects.toThrow('is already completed')
  await expect(service.control.advanceJob('unknown')).rejects.toThrow('Unknown job unknown')
})

it('a scripted job can have its own durations', async () => {
  await using service = await startExtraction()
  service.control.scriptJobs({ queuedMs: 0, processingMs: 200_000 })
  const job = await service.process({ file: await pdfFile(['Hello']) })
  expect(job.status).toBe('processing')
  await service.control.clock.advance(200_000)
  expect((await service.job(job.id)).status).toBe('completed')
})

it.each([
  [{ outcome: 'fail' }, '`error` must be a string'],
  [{ outcome: 'explode' }, '`outcome` must be'],
  [{ outcome: 'hold', in: 'completed' }, '`in` must be'],
  [{ times: 0 }, '`times` must be'],
  [{ queuedMs: -1 }, 'must be 0 or more'],
])('the invalid job script %j is rejected', async (script, reason) => {
  await using service = await startExtraction()
  expect(() => service.control.scriptJobs(script as object)).toThrow(reason)
})

it('a picture without text chunks has no text and a page for review', async () => {
  await using service = await startExtraction()
  const job = await service.process({ file: pngFile(), include_pages: 'true' })
  expect(job.result).toMatchObject({ text: '', text_preview: '' })
  expect(job.result?.pages).toEqual([
    {
      page_number: 1,
      text: '',
      hil_flag: true,
      review_reason: expect.stringContaining('recognize'),
      data: {},
    },
  ])
})

it('`recognizeImage` reads the text of a picture', async () => {
  await using service = await startExtraction({
    choices: {
      recognizeImage: ({ width, height, type }) => ({ text: `Size: ${width}x${height}\nKind: ${type}` }),
    },
  })
  const schema = schemaText({ size: { type: 'string' } })
  const job = await service.process({ file: pngFile('a.png', 64, 48), schema })
  expect(job.result?.data?.['size']).toEqual({ value: '64x48', hil_flag: false, found_on_page: 1 })
})
