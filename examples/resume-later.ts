// Submits a document with one client, and waits for its job with another, as two processes would. The token that the
// first client passes to the second contains no secret.
import { fileURLToPath } from 'node:url'

import { Extraction } from '@concord/extraction'

import { impatient, service } from './support/service.ts'

await using target = await service('extraction')
const options = { baseUrl: target.baseUrl, apiKey: target.apiKey, polling: impatient.extraction }

const submitting = new Extraction(options)
const file = fileURLToPath(new URL('./documents/receipt.png', import.meta.url))
const token = (await submitting.submit({ file })).resumeToken()
await submitting.close()
console.log(`token to keep: ${token}`)

await using waiting = new Extraction(options)
const done = await waiting.resume(token).wait()
console.log(`${done.id}: ${done.status}`)
