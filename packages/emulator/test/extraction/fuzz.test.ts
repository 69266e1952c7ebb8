import fc from 'fast-check'
import { expect, it } from 'vitest'

import { loadSpecification } from '../../src/core/specification.ts'
import { makePdf, pngFile, startExtraction, UNLIMITED } from '../support/extraction.ts'
import { withoutStrayErrors } from '../support/stray-errors.ts'

const { operations } = loadSpecification('extraction/openapi.yaml')
const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => new Uint8Array(array))

/** Any request to any operation: valid, unusual, or nonsense. */
const anyRequest = fc.record({
  operation: fc.constantFrom(...operations),
  segment: fc.oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 12 }), fc.constant('jobs')),
  query: fc.oneof(fc.constant(''), fc.string({ maxLength: 12 })),
  contentType: fc.oneof(
    fc.constantFrom(
      'application/json',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=b',
      'multipart/form-data; boundary="b c"',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      'text/plain',
      '',
    ),
    fc.stringMatching(/^[!-~]{0,20}$/),
  ),
  body: fc.oneof(
    bytes,
    fc.json({ maxDepth: 4 }).map((text) => new TextEncoder().encode(text)),
    fc
      .record({
        agent_name: fc.jsonValue(),
        device_code: fc.jsonValue(),
        training_documents: fc.jsonValue(),
        ground_truth_data: fc.jsonValue(),
        initial_schema: fc.jsonValue(),
        job_id: fc.jsonValue(),
      })
      .map((value) => new TextEncoder().encode(JSON.stringify(value))),
  ),
})

/** A nearly valid multipart body: a random sequence of parts and boundaries. */
const nearlyMultipart = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '--b\r\n',
        '--b--\r\n',
        '--b',
        '\r\n',
        '\r\n\r\n',
        '\n',
        'Content-Disposition: form-data; name="file"; filename="a.pdf"\r\n',
        'Content-Disposition: form-data; name="file"; filename="a.png',
        'Content-Disposition: form-data; name="schema"\r\n',
        'Content-Disposition: form-data; name="file"; filename*=UTF-8\'\'%E0%A4\r\n',
        'Content-Disposition: attachment\r\n',
        'Content-Type: application/pdf\r\n',
        'Content-Transfer-Encoding: base64\r\n',
        '%PDF-1.7\n',
        '{"properties":',
      ),
      fc.string({ maxLength: 8 }),
    ),
    { maxLength: 16 },
  )
  .map((parts) => parts.join(''))

/** The types of JSON Schema, and one that doesn't exist. */
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null', 'text'] as const

it.each([
  ['in process', 400],
  ['over HTTP', 150],
])('any request gets a response that the contract accepts, %s', async (way, numRuns) => {
  await using service = await startExtraction({ plan: UNLIMITED })
  await using served = await service.emulator.serve({ services: ['extraction'] })
  const isInProcess = way === 'in process'
  const send = isInProcess ? service.emulator.extraction.fetch : fetch
  const { baseUrl } = isInProcess ? service.emulator.extraction : served.extraction
  await withoutStrayErrors(() =>
    fc.assert(
      fc.asyncProperty(anyRequest, async ({ operation, segment, query, contentType, body }) => {
        const path = operation.path.replaceAll(/\{\w+\}/g, encodeURIComponent(segment))
        const response = await send(`${baseUrl}${path}?${encodeURIComponent(query)}`, {
          method: operation.method,
          headers: {
            'x-api-key': service.apiKey,
            ...(contentType === '' ? {} : { 'content-type': contentType }),
          },
          ...(operation.method === 'POST' ? { body } : {}),
        })
        expect([200, 400, 404]).toContain(response.status)
        expect(await response.json()).toBeDefined()
        await service.control.clock.advance(1_000)
      }),
      { numRuns, seed: 1 },
    ),
  )
})

it('any form gets a response, even if it is malformed', async () => {
  await using service = await startExtraction({ plan: UNLIMITED })
  await withoutStrayErrors(() =>
    fc.assert(
      fc.asyncProperty(nearlyMultipart, async (body) => {
        const response = await service.call('/v1/process', {
          method: 'POST',
          body,
          headers: { 'content-type': 'multipart/form-data; boundary=b' },
        })
        expect([200, 400]).toContain(response.status)
        await service.control.clock.advance(5_000)
      }),
      { numRuns: 600, seed: 2 },
    ),
  )
})

it('any document completes or fails its job, even if it is damaged', async () => {
  const pdf = await makePdf(['Invoice number: INV-2041', 'Total: 1,284.50'], ['Second page'])
  const png = new Uint8Array(await pngFile().arrayBuffer())
  await using service = await startExtraction({ plan: UNLIMITED })
  const damage = fc.record({
    isPdf: fc.boolean(),
    at: fc.nat(2_000),
    length: fc.nat(40),
    filling: fc.nat(255),
    cutAt: fc.option(fc.nat(2_000), { nil: undefined }),
  })
  await withoutStrayErrors(() =>
    fc.assert(
      fc.asyncProperty(damage, async ({ isPdf, at, length, filling, cutAt }) => {
        const whole = (isPdf ? pdf : png).slice()
        // The first 8 bytes decide the type.
        const start = 8 + (at % whole.length)
        whole.fill(filling, start, start + length)
        const damaged = cutAt === undefined ? whole : whole.slice(0, 8 + (cutAt % whole.length))
        const job = await service.process({
          file: new File([damaged], isPdf ? 'a.pdf' : 'a.png'),
          schema: '{"properties":{"total":{"type":"number"}}}',
          include_images: 'true',
        })
        expect(['completed', 'failed']).toContain(job.status)
      }),
      { numRuns: 150, seed: 3 },
    ),
  )
})

it('any schema leads to a result, a failed job or a 400', async () => {
  const file = new File([await makePdf(['Total: 5', ['Name', 'Amount'], ['a', '1']])], 'a.pdf')
  await using service = await startExtraction({ plan: UNLIMITED })
  const schema = fc.oneof(
    fc.json({ maxDepth: 5 }),
    fc
      .dictionary(
        fc.constantFrom('total', 'name', 'amount', '__proto__', 'items'),
        fc.record(
          {
            type: fc.constantFrom(...TYPES),
            title: fc.string({ maxLength: 6 }),
            format: fc.constantFrom('date', 'email'),
            $ref: fc.constantFrom('#', '#/properties/total', '#/properties/items', '#/nowhere'),
            items: fc.jsonValue(),
            properties: fc.jsonValue(),
            enum: fc.array(fc.jsonValue(), { minLength: 1, maxLength: 3 }),
          },
          { requiredKeys: [] },
        ),
      )
      .map((properties) => JSON.stringify({ properties })),
  )
  await withoutStrayErrors(() =>
    fc.assert(
      fc.asyncProperty(schema, async (text) => {
        const response = await service.submit({ file, schema: text })
        if (response.status === 400) return
        const { id } = (await response.json()) as { id: string }
        await service.control.clock.advance(4_000)
        expect(['completed', 'failed']).toContain((await service.json(`/v1/jobs/${id}`))['status'])
      }),
      { numRuns: 300, seed: 4 },
    ),
  )
})
