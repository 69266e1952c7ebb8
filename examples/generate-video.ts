// Makes a video from a local image, waits for it, and downloads it before its link expires.
import { fileURLToPath } from 'node:url'

import { file, Media } from '@concord/media'

import { outputFolder } from './support/output.ts'
import { impatient, service } from './support/service.ts'

await using target = await service('media')
const { baseUrl, apiSecret } = target
await using media = new Media({ baseUrl, apiSecret, polling: impatient.media })

// A local file becomes a data URI if it is small enough. For a larger file, pass a URL, or
// create the client with an `uploader`.
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
    console.log(`${Math.round(elapsedMs)} ms: ${status}, throttled for ${Math.round(throttledMs)} ms`),
})
const files = await task.download({
  folder: outputFolder,
  nameOf: () => 'generated',
  onProgress: ({ bytesReceived, totalBytes }) =>
    console.log(`${bytesReceived} of ${totalBytes ?? '?'} bytes`),
})
for (const { sizeBytes, contentType } of files)
  console.log(`downloaded: ${sizeBytes} bytes of ${contentType}`)
