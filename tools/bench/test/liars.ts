// Subjects that don't do their work. Each must make its row fail.
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

import { type BenchSocket, subjects as sockets } from '../src/rows/sockets.ts'
import type { Upload, UploadTarget } from '../src/rows/upload.ts'
import type { Wait, WaitTarget } from '../src/rows/waits.ts'

const START_BYTES = 17_000_000

export const subjects = {
  /** Returns a job, but not the one that the server sent. */
  'other job': () => () =>
    Promise.resolve({ id: '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a', status: 'completed' }),

  /** Uploads small files whole, and only the start of large ones. */
  'start of file': ({ baseUrl }: UploadTarget): Upload => {
    return async (file) => post(baseUrl, file, (await readFile(file)).subarray(0, START_BYTES))
  },

  /** Uploads a file of the same size with one byte changed. */
  'changed file': ({ baseUrl }: UploadTarget): Upload => {
    return async (file) => {
      const bytes = await readFile(file)
      bytes[1] = (bytes[1] ?? 0) ^ 1
      return post(baseUrl, file, bytes)
    }
  },

  /** Polls once more after the job is completed. */
  'eager polls': ({ baseUrl, apiKey }: WaitTarget): Wait => {
    return async (jobId) => {
      const poll = async () => {
        const response = await fetch(`${baseUrl}/v1/jobs/${jobId}`, { headers: { 'x-api-key': apiKey } })
        return (await response.json()) as { status: string }
      }
      let job = await poll()
      while (job.status !== 'completed') job = await poll()
      await poll()
      return job
    }
  },

  /** Loses a frame and a message. */
  'lossy socket': async (origin: string): Promise<BenchSocket> => {
    const honest = await sockets['raw ws']!(origin)
    return {
      sendFrames: (frame, count) => honest.sendFrames(frame, count - 1),
      sendSingly: (frame, count) => honest.sendSingly(frame, count),
      receive: (count) => honest.receive(count - 1),
    }
  },
}

async function post(baseUrl: string, file: string, bytes: Buffer<ArrayBuffer>): Promise<unknown> {
  const form = new FormData()
  form.append('file', new File([bytes], basename(file)))
  const response = await fetch(`${baseUrl}/v1/process`, { method: 'POST', body: form })
  return response.json()
}
