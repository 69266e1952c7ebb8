import { describe, expect, it } from 'vitest'

import {
  makePdf,
  pdfFile,
  pngFile,
  schemaText,
  startExtraction,
  type TestJob,
} from '../support/extraction.ts'

describe('a job', () => {
  it('moves from queued to processing to completed on the clock', async () => {
    await using service = await startExtraction()
    const { id } = (await (await service.submit({ file: await pdfFile(['Hello']) })).json()) as { id: string }
    const status = async () => (await service.json<TestJob>(`/v1/jobs/${id}`)).status
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

  it('takes as long as the choices say', async () => {
    await using service = await startExtraction({
      choices: {
        courseOf: ({ pipeline }) => ({
          queuedMs: 10,
          processingMs: pipeline === 'standard' ? 120_000 : 200_000,
        }),
      },
    })
    const { id } = (await (await service.submit({ file: await pdfFile(['Hello']) })).json()) as { id: string }
    await service.control.clock.advance(120_009)
    expect((await service.json<TestJob>(`/v1/jobs/${id}`)).status).toBe('processing')
    await service.control.clock.advance(1)
    expect((await service.json<TestJob>(`/v1/jobs/${id}`)).status).toBe('completed')
  })

  it('has its times, result, metadata and a preview link when it is completed', async () => {
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

  it('has the chosen optional fields while it is unfinished', async () => {
    await using service = await startExtraction()
    await using bare = await startExtraction({
      choices: {
        successResponse: (success) => ({
          body:
            success.operation === 'getJob'
              ? { id: success.value.id, status: success.value.status }
              : success.body,
        }),
      },
    })
    const file = await pdfFile(['Hello'])
    for (const [where, keys] of [
      [service, ['id', 'status', 'created_at', 'webhook_url']],
      [bare, ['id', 'status']],
    ] as const) {
      const { id } = (await (
        await where.submit({ file, webhook_url: 'https://hooks.example/' })
      ).json()) as TestJob
      expect(Object.keys(await where.json(`/v1/jobs/${id}`)).sort()).toEqual([...keys].sort())
    }
  })

  it('may have other fields than the documented ones, as a choice', async () => {
    await using service = await startExtraction({
      choices: {
        successResponse: ({ operation, value, body }) => ({
          body:
            operation === 'getJob' ? { ...body, pdf_url: `https://files.example/${value.pipeline}` } : body,
        }),
      },
    })
    const job = await service.process({ file: await pdfFile(['Hello']), pipeline: 'searchable' })
    expect(job).toMatchObject({ status: 'completed', pdf_url: 'https://files.example/searchable' })
  })

  it('fails for a corrupt document, with only id, status and error', async () => {
    await using service = await startExtraction()
    const corrupt = new File(['%PDF-1.7\nthis is not a PDF'], 'a.pdf')
    const job = await service.process({ file: corrupt })
    expect(job).toEqual({ id: job.id, status: 'failed', error: 'The document is corrupt or unreadable.' })
  })

  it('fails for a PDF that is cut off in the middle of its pages', async () => {
    await using service = await startExtraction()
    const pdf = await makePdf(['Hello'])
    const job = await service.process({ file: new File([pdf.slice(0, 200)], 'a.pdf') })
    expect(job.status).toBe('failed')
  })

  it('fails for an unreadable picture', async () => {
    await using service = await startExtraction()
    const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3)
    const broken = await service.process({ file: new File([bytes], 'a.png') })
    expect(broken).toMatchObject({ status: 'failed', error: 'The document is corrupt or unreadable.' })
  })

  it('fails if required fields are not found', async () => {
    await using service = await startExtraction()
    const schema = schemaText({ iban: { type: 'string' }, total: { type: 'number' } }, ['iban', 'total'])
    const job = await service.process({ file: await pdfFile(['Total: 12.50']), schema })
    expect(job).toEqual({ id: job.id, status: 'failed', error: 'Required fields not found: iban.' })
  })

  it('may have more fields after it failed, as a choice', async () => {
    await using service = await startExtraction({
      choices: {
        successResponse: ({ operation, value, body }) => ({
          body:
            operation === 'getJob'
              ? { ...body, created_at: new Date(value.createdAt).toISOString(), metadata: {} }
              : body,
        }),
      },
    })
    service.control.scriptJobs({ outcome: 'fail', error: 'poor scan' })
    const job = await service.process({ file: await pdfFile(['Hello']) })
    expect(job).toMatchObject({
      status: 'failed',
      error: 'poor scan',
      created_at: expect.any(String),
      metadata: {},
    })
  })

  it('gets 404 for another key, like an unknown job', async () => {
    await using service = await startExtraction({ apiKeys: ['key-one', 'key-two'] })
    const { id } = (await (await service.submit({ file: await pdfFile(['Hello']) })).json()) as TestJob
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
})

describe('a scripted job', () => {
  it('fails once, with the given reason', async () => {
    await using service = await startExtraction()
    service.control.scriptJobs({ outcome: 'fail', error: 'processing timeout' })
    const file = await pdfFile(['Hello'])
    expect(await service.process({ file })).toMatchObject({ status: 'failed', error: 'processing timeout' })
    expect(await service.process({ file })).toMatchObject({ status: 'completed' })
  })

  it('stays in a state until it is moved', async () => {
    await using service = await startExtraction()
    service.control.scriptJobs({ outcome: 'hold' })
    service.control.scriptJobs({ outcome: 'hold', in: 'queued' })
    const file = await pdfFile(['Hello'])
    const processing = await service.process({ file })
    const queued = await service.process({ file })
    await service.control.clock.advance(3_600_000)
    expect((await service.json<TestJob>(`/v1/jobs/${processing.id}`)).status).toBe('processing')
    expect((await service.json<TestJob>(`/v1/jobs/${queued.id}`)).status).toBe('queued')
    await service.control.completeJob(processing.id)
    await service.control.failJob(queued.id, 'quota exceeded')
    expect((await service.json<TestJob>(`/v1/jobs/${processing.id}`)).status).toBe('completed')
    expect(await service.json<TestJob>(`/v1/jobs/${queued.id}`)).toMatchObject({
      status: 'failed',
      error: 'quota exceeded',
    })
  })

  it('can be moved manually, one state at a time', async () => {
    await using service = await startExtraction()
    service.control.scriptJobs({ outcome: 'manual', times: 'always' })
    const { id, status } = await service.process({ file: await pdfFile(['Hello']) })
    expect(status).toBe('queued')
    await service.control.advanceJob(id)
    expect((await service.json<TestJob>(`/v1/jobs/${id}`)).status).toBe('processing')
    await service.control.advanceJob(id)
    expect((await service.json<TestJob>(`/v1/jobs/${id}`)).status).toBe('completed')
    await expect(service.control.advanceJob(id)).rejects.toThrow('is already completed')
    await expect(service.control.failJob(id, 'x')).rejects.toThrow('is already completed')
    await expect(service.control.advanceJob('unknown')).rejects.toThrow('Unknown job unknown')
  })

  it('can have its own durations', async () => {
    await using service = await startExtraction()
    service.control.scriptJobs({ queuedMs: 0, processingMs: 200_000 })
    const job = await service.process({ file: await pdfFile(['Hello']) })
    expect(job.status).toBe('processing')
    await service.control.clock.advance(200_000)
    expect((await service.json<TestJob>(`/v1/jobs/${job.id}`)).status).toBe('completed')
  })

  it.each([
    [{ outcome: 'fail' }, 'needs an error string'],
    [{ outcome: 'explode' }, 'outcome must be'],
    [{ outcome: 'hold', in: 'completed' }, '`in` must be'],
    [{ times: 0 }, 'times must be'],
    [{ queuedMs: -1 }, 'must be 0 or more'],
  ])('is rejected if it is invalid: %j', async (script, reason) => {
    await using service = await startExtraction()
    expect(() => service.control.scriptJobs(script as object)).toThrow(reason)
  })
})

describe('a job whose processing calls a choice that fails', () => {
  it('fails with the reason, and the emulator continues', async () => {
    await using service = await startExtraction({
      choices: {
        findFields: () => {
          throw new Error('my own mistake')
        },
      },
    })
    const file = await pdfFile(['Hello'])
    const job = await service.process({ file, schema: '{}' })
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining('my own mistake') })
    expect((await service.process({ file })).status).toBe('completed')
  })
})

describe('the document types', () => {
  it('a picture without words has no text and a page for review', async () => {
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

  it('a picture can be read by a custom recognizer', async () => {
    await using service = await startExtraction({
      choices: {
        recognizeImage: ({ width, height, type }) => ({ text: `Size: ${width}x${height}\nKind: ${type}` }),
      },
    })
    const schema = schemaText({ size: { type: 'string' } })
    const job = await service.process({ file: pngFile('a.png', 64, 48), schema })
    expect(job.result?.data?.['size']).toEqual({ value: '64x48', hil_flag: false, found_on_page: 1 })
  })
})
