// Extracts the fields of a PDF, and shows which values a person should check.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { Extraction, JobFailedError } from '@concord/extraction'

import { impatient, service } from './support/service.ts'

const folder = new URL('./documents/', import.meta.url)
const schema = JSON.parse(await readFile(new URL('invoice.schema.json', folder), 'utf8'))

await using target = await service('extraction')
const { baseUrl, apiKey } = target
await using extraction = new Extraction({ baseUrl, apiKey, polling: impatient.extraction })

const job = await extraction.submit({ file: fileURLToPath(new URL('invoice.pdf', folder)), schema })
try {
  const done = await job.wait({
    deadline: '5m',
    onUpdate: ({ status, elapsedMs }) => console.log(`${Math.round(elapsedMs)} ms: ${status}`),
  })
  for (const [name, field] of Object.entries(done.result.data ?? {})) {
    console.log(
      `${name} = ${JSON.stringify(field.value)}${field.hil_flag ? `   check this: ${field.reason}` : ''}`,
    )
  }
  console.log((await done.text()).slice(0, 120))
} catch (error) {
  if (!JobFailedError.is(error)) throw error
  console.error(`The job failed: ${error.reason}`)
}
