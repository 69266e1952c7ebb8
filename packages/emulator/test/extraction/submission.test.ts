import { expect, it } from 'vitest'

import { makePdf, pdfFile, pngFile, schemaText, startExtraction, type Parts } from '../support/extraction.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

it('a submission gets a 200 with an identifier and the status queued immediately', async () => {
  await using service = await startExtraction()
  const response = await service.submit({ file: await pdfFile(['Hello']) })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ id: expect.stringMatching(UUID), status: 'queued' })
})

it('a submission may be a PDF, PNG, JPG or JPEG, regardless of the case of its name', async () => {
  await using service = await startExtraction()
  const pdf = await makePdf(['Hello'])
  const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0)
  const files = [
    new File([pdf], 'a.PDF'),
    pngFile('b.Png'),
    new File([jpeg], 'c.jpg'),
    new File([jpeg], 'd.JPEG'),
    new File([pdf], 'no-extension'),
  ]
  for (const file of files) expect((await service.submit({ file })).status, file.name).toBe(200)
})

it.each<[title: string, parts: Parts, detail: string]>([
  ['a file with an unknown extension', { file: new File(['%PDF-1.7'], 'a.docx') }, 'not supported'],
  ['a file whose bytes contradict its extension', { file: new File(['%PDF-1.7'], 'a.png') }, 'not supported'],
  ['a file without bytes', { file: new File([], 'a.pdf') }, 'not supported'],
  ['a file of an unknown type', { file: new File(['hello'], 'document') }, 'not supported'],
  ['a string instead of a file', { file: 'the text of a file' }, 'must be a file'],
  ['a schema that is not JSON', { schema: '{"type":' }, 'schema is invalid'],
  ['a schema that is not an object', { schema: '"string"' }, 'schema is invalid'],
  ['a type that JSON Schema does not know', { schema: '{"type":"text"}' }, 'schema is invalid'],
  ['a keyword with a wrong value', { schema: '{"properties":[]}' }, 'schema is invalid'],
  ['a webhook URL without HTTPS', { webhook_url: 'http://127.0.0.1:9/hook' }, 'HTTPS'],
  ['a webhook URL that is not a URL', { webhook_url: 'not an address' }, 'HTTPS'],
  ['unknown boolean text', { include_images: '1' }, 'include_images must be "true" or "false"'],
  ['an unknown pipeline', { pipeline: 'fast' }, 'The pipeline fast does not exist.'],
])('a submission gets 400 for %s', async (_, parts, detail) => {
  await using service = await startExtraction()
  const response = await service.submit({ file: await pdfFile(['Hello']), ...parts })
  expect([response.status, await response.json()]).toEqual([400, { detail: expect.stringContaining(detail) }])
})

it('a submission accepts a schema or a blueprint or neither, but not both', async () => {
  await using service = await startExtraction({
    blueprints: [{ name: 'Invoices', schema: { type: 'object' } }],
  })
  const file = await pdfFile(['Hello'])
  const schema = schemaText({ total: { type: 'number' } })
  const { blueprints } = await service.json<{ blueprints: { id: string }[] }>('/v1/blueprints/')
  const blueprint_id = blueprints[0]?.id ?? ''
  expect((await service.submit({ file })).status).toBe(200)
  expect((await service.submit({ file, schema })).status).toBe(200)
  expect((await service.submit({ file, blueprint_id })).status).toBe(200)
  const both = await service.submit({ file, schema, blueprint_id })
  expect(both.status).toBe(400)
  expect(await both.json()).toEqual({ detail: 'Supply schema or blueprint_id, not both.' })
})

it('a submission may name another dialect of JSON Schema', async () => {
  await using service = await startExtraction()
  const schema = JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' })
  expect((await service.submit({ file: await pdfFile(['Hello']), schema })).status).toBe(200)
})

it('a submission gets 400 and is recorded without a file', async () => {
  await using service = await startExtraction()
  const response = await service.submit({ schema: '{}' })
  expect(await response.json()).toEqual({ detail: expect.stringContaining("required property 'file'") })
  expect(service.control.violations()).toMatchObject([
    { direction: 'request', operationId: 'processDocument' },
  ])
})

it('a submission gets 400 as JSON, as a malformed form, or without a body', async () => {
  await using service = await startExtraction()
  const send = (body: string, contentType: string) =>
    service.call('/v1/process', { body, headers: { 'content-type': contentType } })
  const responses = [
    await send('{}', 'application/json'),
    await send('--x\r\nnonsense', 'multipart/form-data; boundary=x'),
    await send('--x--', 'multipart/form-data'),
    await service.call('/v1/process', { method: 'POST' }),
  ]
  for (const response of responses) {
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ detail: expect.any(String) })
  }
})

it('a submission accepts a webhook URL without HTTPS if the option for local receivers is on', async () => {
  await using service = await startExtraction({
    allowHttpWebhooks: true,
    webhookFetch: async () => new Response(),
  })
  const file = await pdfFile(['Hello'])
  const webhook_url = 'http://127.0.0.1:9/hook'
  expect(await service.process({ file, webhook_url })).toMatchObject({ webhook_url, webhook_delivered: true })
  expect((await service.submit({ file, webhook_url: 'ftp://hooks.example/' })).status).toBe(400)
})

it('a submission has boolean text, which `readForm` can read differently', async () => {
  await using service = await startExtraction()
  const file = await pdfFile(['Hello'])
  const off = await service.process({ file, include_pages: 'false' })
  const on = await service.process({ file, include_pages: 'TRUE' })
  expect(off.result?.pages).toBeUndefined()
  expect(on.result?.pages).toHaveLength(1)

  await using lenient = await startExtraction({
    choices: {
      readForm: (form) => ({
        pipeline: 'standard',
        includePages: false,
        includeImages: form.get('include_images') !== '0',
      }),
    },
  })
  expect((await lenient.submit({ file, include_images: '1' })).status).toBe(200)
})

it('`readForm` decides which parts select the pipeline and its version', async () => {
  await using service = await startExtraction({
    choices: {
      readForm: (form) => ({
        pipeline: String(form.get('engine') ?? 'standard'),
        pipelineVersion: String(form.get('pin')),
        includePages: false,
        includeImages: false,
      }),
    },
  })
  const file = await pdfFile(['Hello'])
  const job = await service.process({ file, engine: 'searchable', pin: '2026-01' })
  expect(job.metadata?.['pipeline']).toBe('searchable')
  expect(service.emulator.extraction.state.jobs[0]).toMatchObject({ pipelineVersion: '2026-01' })
  expect((await service.process({ file })).metadata?.['pipeline']).toBe('standard')
})

it('a submission accepts unknown parts', async () => {
  await using service = await startExtraction()
  expect((await service.submit({ file: await pdfFile(['Hello']), note: 'for the archive' })).status).toBe(200)
})

it('a submission with an unknown blueprint, one of another key, or one without an active version gets a 400', async () => {
  await using service = await startExtraction({ apiKeys: ['key-one', 'key-two'] })
  const file = await pdfFile(['Hello'])
  const { blueprint_id } = await service.json<{ blueprint_id: string }>('/v1/optimize', {
    json: { name: 'Mine' },
    key: 'key-two',
  })
  expect((await service.submit({ file, blueprint_id: '2f9f2a60-54f8-4c0b-9a55-7b0d2b8c6a11' })).status).toBe(
    400,
  )
  expect((await service.submit({ file, blueprint_id: 'not-a-uuid' })).status).toBe(400)
  expect((await service.submit({ file, blueprint_id })).status).toBe(400)
  const early = await service.submit({ file, blueprint_id }, { key: 'key-two' })
  expect(early.status).toBe(400)
  expect(await early.json()).toEqual({ detail: 'The blueprint has no active version yet.' })
})

it('POST /v1/optimize accepts a form if that is chosen', async () => {
  await using service = await startExtraction({
    choices: {
      readBody: async ({ operation, contentType, form }) =>
        operation === 'startOptimization' && contentType === 'multipart/form-data'
          ? { name: form?.get('name'), training_documents: ['a', 'b'] }
          : undefined,
    },
  })
  const body = new FormData()
  body.set('name', 'Invoices')
  const started = await service.call('/v1/optimize', { body })
  expect([started.status, await started.json()]).toMatchObject([200, { status: 'pending' }])
  expect(service.emulator.extraction.state.blueprints).toMatchObject([{ name: 'Invoices' }])
  await using usual = await startExtraction()
  expect((await usual.call('/v1/optimize', { body })).status).toBe(400)
})

it('the types of files and the accepted schemas are choices', async () => {
  await using service = await startExtraction({
    choices: {
      fileTypeOf: ({ name }) => (name.endsWith('.scan') ? 'application/pdf' : undefined),
      readSchema: (text) =>
        text === 'total' ? { schema: { title: text } } : { problem: 'it is not a total' },
    },
  })
  const file = new File([await makePdf(['Total: 3'])], 'receipt.scan')
  expect((await service.submit({ file, schema: 'total' })).status).toBe(200)
  const other = await service.submit({ file, schema: '{}' })
  expect([other.status, await other.json()]).toEqual([
    400,
    { detail: 'The schema is invalid: it is not a total.' },
  ])
  expect((await service.submit({ file: await pdfFile(['Hello']) })).status).toBe(400)
})
