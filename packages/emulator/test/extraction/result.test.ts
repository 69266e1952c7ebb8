import { expect, it } from 'vitest'

import { makePdf, pdfFile, pngFile, schemaText, startExtraction } from '../support/extraction.ts'

it('the text of a result is the text layer of the PDF, page by page', async () => {
  await using service = await startExtraction()
  const job = await service.process({
    file: await pdfFile(['First line', ['Left', 'Right']], ['Second page']),
  })
  expect(job.result?.text).toBe('First line\nLeft   Right\n\nSecond page')
  expect(job.metadata?.['page_count']).toBe(2)
})

it('the text preview of a result has the first 500 code points, or all if there are fewer', async () => {
  const long = '😀'.repeat(600)
  const texts = [long, 'short', '']
  await using service = await startExtraction({
    choices: { recognizeImage: () => ({ text: texts.shift() ?? '' }) },
  })
  expect((await service.process({ file: pngFile() })).result?.text_preview).toBe('😀'.repeat(500))
  expect((await service.process({ file: pngFile() })).result?.text_preview).toBe('short')
  expect((await service.process({ file: pngFile() })).result?.text_preview).toBe('')
})

it('the text of a result is at text_url above 1 MB, without a key, and the preview remains', async () => {
  const text = 'word '.repeat(200_001)
  await using service = await startExtraction({ choices: { recognizeImage: () => ({ text }) } })
  const { result } = await service.process({ file: pngFile() })
  expect(result).toEqual({ text_preview: text.slice(0, 500), text_url: expect.stringContaining('/files/') })
  const response = await service.call(result?.text_url ?? '', { key: '' })
  expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  expect(await response.text()).toBe(text)
})

it('the text of a result is in the result at exactly 1 MB, or at the chosen size', async () => {
  const text = 'x'.repeat(1_000_000)
  await using service = await startExtraction({ choices: { recognizeImage: () => ({ text }) } })
  await using small = await startExtraction({
    choices: {
      recognizeImage: () => ({ text: 'héllo' }),
      sizes: { textUrlAboveBytes: 5 },
      paths: { text: '/texts/{token}' },
    },
  })
  expect((await service.process({ file: pngFile() })).result).not.toHaveProperty('text_url')
  const { result } = await small.process({ file: pngFile() })
  expect(result).toEqual({ text_preview: 'héllo', text_url: expect.stringContaining('/texts/') })
  expect(await (await small.call(result?.text_url ?? '')).text()).toBe('héllo')
})

it('the fields of a result are only present if a schema or a blueprint was supplied', async () => {
  const schema = { type: 'object', properties: { total: { type: 'number' } } }
  await using service = await startExtraction({ blueprints: [{ name: 'Invoices', schema }] })
  const file = await pdfFile(['Total: 5'])
  const { blueprints } = await service.json<{ blueprints: { id: string }[] }>('/v1/blueprints/')
  const expected = { total: { value: 5, hil_flag: false, found_on_page: 1 } }
  expect((await service.process({ file })).result).not.toHaveProperty('data')
  expect((await service.process({ file, schema: JSON.stringify(schema) })).result?.data).toEqual(expected)
  expect((await service.process({ file, blueprint_id: blueprints[0]?.id ?? '' })).result?.data).toEqual(
    expected,
  )
  expect((await service.process({ file, schema: '{}' })).result?.data).toEqual({})
})

it('the fields of a result say on which page they were found, and which need review and why', async () => {
  await using service = await startExtraction()
  const file = await pdfFile(['Total: 5'], ['Order number: A1', 'Tax: some'], ['Order number: A2'])
  const schema = schemaText({
    total: { type: 'number' },
    order_number: { type: 'string' },
    tax: { type: 'number' },
    iban: { type: 'string' },
  })
  const job = await service.process({ file, schema, include_pages: 'true' })
  expect(job.result?.data).toEqual({
    total: { value: 5, hil_flag: false, found_on_page: 1 },
    order_number: {
      value: 'A1',
      hil_flag: true,
      reason: expect.stringContaining('2 different values'),
      found_on_page: 2,
    },
    tax: { value: null, hil_flag: true, reason: '"some" is not a number.', found_on_page: 2 },
    iban: { value: null, hil_flag: true, reason: 'No value was found in the document.' },
  })
  expect(job.metadata).toMatchObject({ total_fields: 4, fields_requiring_review: 3, review_percentage: 75 })
  expect(job.result?.pages?.map(({ hil_flag, review_reason }) => [hil_flag, review_reason])).toEqual([
    [false, null],
    [true, 'Fields to review: order_number, tax.'],
    [false, null],
  ])
  expect(job.result?.pages?.[0]?.data).toEqual({ total: { value: 5, hil_flag: false, found_on_page: 1 } })
})

it('`findFields` decides which fields a result has', async () => {
  await using service = await startExtraction({
    choices: {
      findFields: ({ pages }) => ({
        fields: { length: { value: pages[0]?.text.length, hil_flag: false, found_on_page: 1 } },
        missing: [],
      }),
    },
  })
  const job = await service.process({ file: await pdfFile(['Hello']), schema: '{}' })
  expect(job.result?.data).toEqual({ length: { value: 5, hil_flag: false, found_on_page: 1 } })
})

it('the fields of a result may have the names of built-in object members', async () => {
  await using service = await startExtraction()
  const schema =
    '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["toString"]}'
  const job = await service.process({ file: await pdfFile(['Constructor: Mill & Sons']), schema })
  expect(job).toMatchObject({ status: 'failed', error: 'Required fields not found: toString.' })
  const found = await service.process({
    file: await pdfFile(['Constructor: Mill & Sons']),
    schema: '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
  })
  expect(Object.keys(found.result?.data ?? {}).sort()).toEqual(['__proto__', 'constructor'])
  expect(found.result?.data?.['constructor']).toMatchObject({ value: 'Mill & Sons' })
})

it('the pages of a result are present if include_pages or include_images is true, which enables the other', async () => {
  await using service = await startExtraction()
  const file = await pdfFile(['One'], ['Two'])
  const page = { hil_flag: false, review_reason: null, data: {} }
  const pages = [
    { ...page, page_number: 1, text: 'One' },
    { ...page, page_number: 2, text: 'Two' },
  ]
  expect((await service.process({ file })).result).not.toHaveProperty('pages')
  expect((await service.process({ file, include_pages: 'true' })).result?.pages).toEqual(pages)
  expect((await service.process({ file, include_images: 'true' })).result?.pages).toEqual(pages)
  expect(
    (await service.process({ file, include_images: 'true', include_pages: 'false' })).result?.pages,
  ).toEqual(pages)
})

it('the pages of a result are counted from the chosen number', async () => {
  await using service = await startExtraction({ choices: { results: { firstPageNumber: 0 } } })
  const schema = schemaText({ total: { type: 'number' } })
  const job = await service.process({
    file: await pdfFile(['Hello'], ['Total: 1']),
    schema,
    include_pages: 'true',
  })
  expect(job.result?.pages?.map((page) => page.page_number)).toEqual([0, 1])
  expect(job.result?.data?.['total']?.found_on_page).toBe(1)
})

it('the pages of a result are not mixed up even if they are many and long', async () => {
  await using service = await startExtraction()
  const pages = Array.from({ length: 60 }, (_, index) => [`Page text ${index + 1}`])
  const pdf = new File([await makePdf(...pages)], 'long.pdf')
  const job = await service.process({ file: pdf, include_pages: 'true' })
  expect(job.result?.pages?.map((page) => page.text)).toEqual(pages.flat())
})
