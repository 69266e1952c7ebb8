// A project of its own: reads a document with the client that was installed from the registry.
import assert from 'node:assert/strict'

import { Extraction, NotFoundError } from '@concord/extraction'

const [, , baseUrl, apiKey, file] = process.argv
const extraction = new Extraction({ baseUrl, apiKey, polling: { job: { firstDelayMs: 20, minDelayMs: 20 } } })
const job = await extraction.submit({ file })
const done = await job.wait({ deadline: '30s' })
assert.equal(done.status, 'completed')
assert.match(await done.text(), /\w/)
const unknown = extraction.api.getJob({ path: { job_id: '00000000-0000-4000-8000-000000000000' } })
await assert.rejects(unknown, (error) => NotFoundError.is(error))
await extraction.close()
console.log('all good')
