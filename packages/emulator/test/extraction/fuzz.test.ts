import fc from 'fast-check'
import { expect, it } from 'vitest'

import { makePdf, pngFile, startExtraction, UNLIMITED } from '../support/extraction.ts'
import { withoutStrayErrors } from '../support/stray-errors.ts'

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
