import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

import { schemaText, startExtraction } from '../support/extraction.ts'

const folder = new URL('../../../../examples/documents/', import.meta.url)
const read = (name: string) => new File([new Uint8Array(readFileSync(new URL(name, folder)))], name)

it('the sample documents are the ones that their script writes', () => {
  const script = fileURLToPath(new URL('make-documents.ts', folder))
  expect(execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' })).toContain('up to date')
})

it('the sample invoice is read completely, with one field for review', async () => {
  await using service = await startExtraction()
  const schema = readFileSync(new URL('invoice.schema.json', folder), 'utf8')
  const job = await service.process({ file: read('invoice.pdf'), schema })
  expect(job.metadata).toMatchObject({ page_count: 3, total_fields: 10, fields_requiring_review: 1 })
  const found = Object.entries(job.result?.data ?? {})
  expect(Object.fromEntries(found.map(([name, { value }]) => [name, value]))).toMatchObject({
    invoice_number: 'INV-2041',
    invoice_date: '2026-03-14',
    due_date: '2026-04-13',
    supplier: { name: 'North Harbour Paper', vat_number: 'XX0012345B01' },
    currency: 'EUR',
    subtotal: 1061.57,
    vat: 222.93,
    total: 1284.5,
  })
  expect(job.result?.data?.['line_items']?.value).toHaveLength(6)
  expect(found.flatMap(([name, { hil_flag }]) => (hil_flag ? [name] : []))).toEqual(['purchase_order'])
})

it('the sample receipt is read from its text chunk', async () => {
  await using service = await startExtraction()
  const schema = schemaText({ receipt_number: { type: 'string' }, total: { type: 'number' } })
  const job = await service.process({ file: read('receipt.png'), schema })
  expect(job.result?.data).toMatchObject({ receipt_number: { value: '0417' }, total: { value: 9.2 } })
})
