// Makes a video from a local picture, waits for it, and keeps it: its address expires.
import { fileURLToPath } from 'node:url'

import { file, Media } from '@concord/media'

import { outputFolder } from './support/output.ts'
import { impatient, service } from './support/service.ts'

await using target = await service('media')
await using media = new Media({
  baseUrl: target.baseUrl,
  apiSecret: target.apiSecret,
  polling: impatient.media,
})

// A local file becomes a data URI, where its size allows; above that give a URL, or the client an `uploader`.
const task = await media.imageToVideo({
  model: 'gen4_turbo',
  promptImage: file(fileURLToPath(new URL('./documents/receipt.png', import.meta.url))),
  promptText: 'the paper curls in the wind',
  ratio: '1280:720',
  duration: 5,
})
await task.wait({
  deadline: '10m',
  onUpdate: ({ status, elapsedMs, throttledMs }) =>
    console.log(`${Math.round(elapsedMs)} ms: ${status}, throttled for ${Math.round(throttledMs)} ms of it`),
})
const files = await task.download({
  folder: outputFolder,
  nameOf: () => 'generated',
  onProgress: ({ bytesReceived, totalBytes }) =>
    console.log(`${bytesReceived} of ${totalBytes ?? '?'} bytes`),
})
for (const { sizeBytes, contentType } of files) console.log(`kept: ${sizeBytes} bytes of ${contentType}`)
