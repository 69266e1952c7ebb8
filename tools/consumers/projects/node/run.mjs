// Runs against the packed packages: an emulator on a port, a client, one job, one error; then the other services.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

import { createEmulator } from '@concord/emulator'
import { ApiError, Extraction } from '@concord/extraction'
import { job } from '@concord/extraction-validators'
import { ConcordError } from '@concord/runtime'
import { z } from 'zod'

import { runServices } from './services.mjs'

const emulator = await createEmulator({
  extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
})
const { baseUrl, apiKey } = (await emulator.serve()).extraction
const extraction = new Extraction({
  baseUrl,
  apiKey,
  polling: { job: { firstDelayMs: 20, minDelayMs: 20 } },
})

const submitted = await extraction.submit({ file: 'receipt.png' })
const done = await submitted.wait()
assert.equal(done.status, 'completed')
assert.equal(await done.text(), done.result.text)
assert.equal(z.array(job).safeParse([JSON.parse(JSON.stringify(done))]).success, true)
assert.equal(z.array(job).safeParse([{ id: 7 }]).success, false)

const error = await extraction.api
  .getJob({ path: { job_id: '00000000-0000-4000-8000-000000000000' } })
  .catch((caught) => caught)
assert.ok(ApiError.is(error) && ConcordError.is(error), String(error))
assert.equal(error.status, 404)
await assert.rejects(extraction.submit({ file: 'nothing.pdf' }), /doesn't exist/)
await assert.rejects(extraction.api.getJob({ path: { job_id: 7 } }), /job_id: .*string.* number/)

// Each package publishes its license and README, and nothing that only the workspace uses.
const modules = '../node_modules/@concord'
for (const name of await readdir(modules)) {
  const manifest = JSON.parse(await readFile(`${modules}/${name}/package.json`, 'utf8'))
  assert.equal(
    JSON.stringify(manifest.exports).includes('@concord/source'),
    false,
    `${name} publishes its source condition`,
  )
  assert.equal(
    JSON.stringify(manifest).includes('workspace:'),
    false,
    `${name} publishes a workspace reference`,
  )
  await readFile(`${modules}/${name}/LICENSE`, 'utf8')
  await readFile(`${modules}/${name}/README.md`, 'utf8')
}

await extraction.close()
await emulator.close()
await runServices()
// Each service that `npm run new-service` made has a file of its own, which is type-checked too.
for (const file of globSync('services/*.ts')) await import(`./${file}`)
console.log('all good')
