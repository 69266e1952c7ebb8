// Every entry point for all JavaScript environments. Compiled as an ES module and as CommonJS, in every mode, without the types of Node.
import { ApiError, Extraction, type ExtractionOptions, type Job } from '@concord/extraction'
import { job } from '@concord/extraction-validators'
import { Media } from '@concord/media'
import { task } from '@concord/media-validators'
import { ConcordError, createClient, fetchTransport } from '@concord/runtime'
import { authorizeDevice } from '@concord/runtime/device-flow'
import { memoryTokenStore } from '@concord/runtime/session'
import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import { Speech } from '@concord/speech'
import { configure } from '@concord/speech-validators'
import { StorageAuth } from '@concord/storage-auth'
import { apiKey } from '@concord/storage-auth-validators'

export async function extract(options: ExtractionOptions, file: Blob): Promise<string | undefined> {
  const extraction = new Extraction({ ...options, transport: fetchTransport() })
  try {
    const submitted = await extraction.submit({ file })
    const done: Job = await submitted.wait()
    return job.safeParse(done).success ? done.id : undefined
  } catch (error) {
    if (ApiError.is(error)) return String(error.status)
    if (ConcordError.is(error)) return error.code
    throw error
  } finally {
    await extraction.close()
  }
}

export const clients = [
  Media,
  Speech,
  StorageAuth,
  createClient,
  authorizeDevice,
  memoryTokenStore,
  memoryTransport,
  virtualClock,
]
export const schemas = [task, configure, apiKey]
