import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'

import { pdfFile, pngFile, schemaText, startExtraction, type TestService } from '../support/extraction.ts'

interface Preview {
  file_name: string
  status: string
  created_at: string
  pages: { page_number: number; image_url?: string; text: string; hil_flag: boolean; data: object }[]
  data: object
  metadata: Record<string, unknown>
}

const tokenOf = (service: TestService) => service.emulator.extraction.state.jobs.at(-1)?.previewToken ?? ''
const preview = (service: TestService) =>
  service.json<Preview>(`/v1/preview/${tokenOf(service)}`, { key: '' })

/** Reads an 8-bit gray PNG without the tested code: its header, and its rows without filters. */
function decodePng(bytes: Uint8Array): { width: number; height: number; rows: Uint8Array[] } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  const length = view.getUint32(33)
  const data = inflateSync(bytes.subarray(41, 41 + length))
  const rows = Array.from({ length: height }, (_, row) =>
    data.subarray(row * (width + 1) + 1, (row + 1) * (width + 1)),
  )
  return { width, height, rows }
}

it('the public preview can be read by anyone who has the token, with its own fields', async () => {
  await using service = await startExtraction()
  const schema = schemaText({ total: { type: 'number' } })
  await service.process({ file: await pdfFile(['Total: 5']), schema, include_images: 'true' })
  const field = { total: { value: 5, hil_flag: false, found_on_page: 1 } }
  expect(await preview(service)).toEqual({
    file_name: 'document.pdf',
    status: 'completed',
    created_at: '2026-01-05T09:00:00.000Z',
    pages: [
      {
        page_number: 1,
        image_url: `http://extraction.emulator.invalid/files/${tokenOf(service)}/page-1.png`,
        text: 'Total: 5',
        hil_flag: false,
        data: field,
      },
    ],
    data: field,
    metadata: { page_count: 1, pipeline: 'standard', review_percentage: 0 },
  })
})

it('the public preview has images only if include_images was set', async () => {
  await using service = await startExtraction()
  await service.process({ file: await pdfFile(['Hello']), include_pages: 'true' })
  expect((await preview(service)).pages[0]).not.toHaveProperty('image_url')
  expect((await service.call(`/files/${tokenOf(service)}/page-1.png`)).status).toBe(404)
})

it('the public preview is not found for an unknown token, and before completion unless that is chosen', async () => {
  await using service = await startExtraction()
  await using early = await startExtraction({ choices: { results: { previewBeforeCompletion: true } } })
  await service.start()
  await early.start()
  expect((await service.call('/v1/preview/unknown', { key: '' })).status).toBe(404)
  const tooEarly = await service.call(`/v1/preview/${tokenOf(service)}`, { key: '' })
  expect([tooEarly.status, await tooEarly.json()]).toEqual([404, { detail: 'The preview was not found.' }])
  expect(await preview(early)).toMatchObject({ status: 'queued', pages: [] })
})

it('preview_url is a page for people, without markup from the document', async () => {
  await using service = await startExtraction()
  const schema = schemaText({ name: { type: 'string' } })
  const job = await service.process({ file: await pdfFile(['Name: <img src=x onerror=alert(1)>']), schema })
  const page = await service.call(job.preview_url ?? '', { key: '' })
  const text = await page.text()
  expect(page.status).toBe(200)
  expect(text).toContain('&lt;img src=x')
  expect(text).not.toContain('<img')
  expect((await service.call('/preview/unknown', { key: '' })).status).toBe(404)
})

it('page images are PNGs of the size of the page, dark where it has text', async () => {
  await using service = await startExtraction()
  await service.process({ file: await pdfFile(['Hello world']), include_images: 'true' })
  const [page] = (await preview(service)).pages
  const response = await service.call(page?.image_url ?? '', { key: '' })
  expect(response.headers.get('content-type')).toBe('image/png')
  const { width, height, rows } = decodePng(new Uint8Array(await response.arrayBuffer()))
  expect([width, height]).toEqual([595, 842])
  // The first line is 790 units above the bottom edge, and 50 from the left.
  const dark = rows.flatMap((row, y) => (row.includes(96) ? [y] : []))
  expect(dark[0]).toBeGreaterThan(842 - 790 - 13)
  expect(dark.at(-1)).toBeLessThanOrEqual(842 - 790)
  expect(rows[dark[0] ?? 0]?.indexOf(96)).toBe(50)
})

it('page images are the PNG itself for a submitted PNG', async () => {
  await using service = await startExtraction()
  const file = pngFile('a.png', 8, 8)
  await service.process({ file, include_images: 'true' })
  const response = await service.call((await preview(service)).pages[0]?.image_url ?? '')
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(await file.arrayBuffer()))
})

it('page images are scaled down for very large pages', async () => {
  await using service = await startExtraction()
  // The headers of a JPEG of 10,000 by 10,000 pixels.
  const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b082710271001011100ffd9', 'hex')
  await service.process({ file: new File([jpeg], 'a.jpg'), include_images: 'true' })
  const response = await service.call((await preview(service)).pages[0]?.image_url ?? '')
  const { width, height } = decodePng(new Uint8Array(await response.arrayBuffer()))
  expect([width, height]).toEqual([1_200, 1_200])
})

it('page images are at the chosen path', async () => {
  await using service = await startExtraction({
    choices: { paths: { image: '/img/{page}/of/{token}', preview: '/p/{token}' } },
  })
  const file = await pdfFile(['a'], ['b'])
  const job = await service.process({ file, include_images: 'true' })
  expect(job.preview_url).toContain('.invalid/p/')
  const url = (await preview(service)).pages[1]?.image_url ?? ''
  expect(url).toContain('/img/2/of/')
  expect((await service.call(url)).status).toBe(200)
  expect((await service.call(url.replace('/2/', '/3/'))).status).toBe(404)
})
