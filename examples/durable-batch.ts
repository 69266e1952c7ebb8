// Generates many images. The first process is killed midway, and the next one resumes the batch. Nothing is submitted
// twice.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { Media, type BatchRequest } from '@concord/media'
import { fileJournal } from '@concord/media/node'

import { impatient, service } from './support/service.ts'

const folder = fileURLToPath(new URL('./out/durable-batch', import.meta.url))
const isFirst = process.argv[2] === 'first'
await using target = await service('media')
const { baseUrl, apiSecret } = target
await using media = new Media({ baseUrl, apiSecret, polling: impatient.media })
const requests = ['a ferry', 'a pier', 'a gull', 'a net', 'a buoy'].map((promptText): BatchRequest => ({
  operation: 'textToImage',
  request: { model: 'gen4_image_turbo', promptText, ratio: '1280:720' },
}))

if (!isFirst) {
  const { credits } = await media.estimateBatch(requests)
  console.log(`the batch costs ${credits.min} to ${credits.max} credits`)
  await rm(folder, { recursive: true, force: true })
  const env = { ...process.env, MEDIA_BASE_URL: baseUrl, MEDIA_API_SECRET: apiSecret }
  const first = spawn(process.execPath, [...process.execArgv, import.meta.filename, 'first'], {
    env,
    stdio: 'inherit',
  })
  const [, signal] = (await once(first, 'exit')) as [number, string]
  console.log(`the first process was killed by ${signal}`)
}

// Both processes make the same call. The call starts the batch, or resumes it if the journal already contains it.
const report = await media.batch(requests, {
  journal: fileJournal(`${folder}/batch.journal`),
  store: { folder },
  maxCredits: 20,
  onAccepted({ index, handle, resumed }) {
    console.log(`${index}: task ${handle.id}${resumed ? ', resumed' : ''}`)
    if (isFirst && index === 2) process.kill(process.pid, 'SIGKILL')
  },
})
for (const each of report.outcomes)
  console.log(`${each.index}: ${each.outcome}`, each.outcome === 'succeeded' ? each.files[0]?.path : each)
console.log(`${report.succeeded} succeeded, ${report.uncertain} uncertain; credits:`, report.credits)
