// Extracts typed values: a zod schema defines the fields to extract and the type of the result.
import { fileURLToPath } from 'node:url'

import { Extraction } from '@concord/extraction'
import * as z from 'zod'

import { impatient, service } from './support/service.ts'

const Invoice = z.object({
  invoice_number: z.string(),
  total: z.number(),
})

await using target = await service('extraction')
const { baseUrl, apiKey } = target
await using extraction = new Extraction({ baseUrl, apiKey, polling: impatient.extraction })

const file = fileURLToPath(new URL('./documents/invoice.pdf', import.meta.url))
const done = await (await extraction.submit({ file, schema: Invoice })).wait()
const { data } = done.result
if (data) console.log(`${data.invoice_number.value.toUpperCase()}: ${data.total.value.toFixed(2)}`)
