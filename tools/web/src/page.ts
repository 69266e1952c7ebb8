// The script of the page that `serve-page.ts` serves. The tests open the page in a browser and call `flows` with URLs
// of the emulator.
import { Extraction } from '@concord/extraction'
import { Media } from '@concord/media'
import { Speech } from '@concord/speech'
import { StorageAuth } from '@concord/storage-auth'

const impatient = { firstDelayMs: 20, minDelayMs: 20, maxDelayMs: 100 }

async function thrown(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'nothing was thrown'
  } catch (error) {
    return String(error)
  }
}

const flows = {
  async extract({ baseUrl, apiKey, document }: { baseUrl: string; apiKey: string; document: string }) {
    await using extraction = new Extraction({ baseUrl, apiKey, polling: { job: impatient } })
    const bytes = Uint8Array.from(atob(document), (character) => character.charCodeAt(0))
    const job = await extraction.submit({ file: new File([bytes], 'invoice.pdf') })
    const done = await job.wait()
    return { text: await done.text() }
  },

  /** Calls an operation with a job id that the contract doesn't allow. */
  async deny({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
    await using extraction = new Extraction({ baseUrl, apiKey })
    return await thrown(() => extraction.api.getJob({ path: { job_id: 'seven' } }))
  },

  /** Passes the path of a file, which a browser can't read. */
  async path({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
    await using extraction = new Extraction({ baseUrl, apiKey })
    return await thrown(() => extraction.submit({ file: 'invoice.pdf' }))
  },

  async generate({ baseUrl, apiSecret, picture }: { baseUrl: string; apiSecret: string; picture: string }) {
    await using media = new Media({ baseUrl, apiSecret, polling: { task: impatient } })
    const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0))
    const task = await media.imageToVideo({
      model: 'gen4_turbo',
      promptImage: new Blob([bytes], { type: 'image/png' }),
    })
    const { outputs } = await task.wait()
    const blob = await outputs[0]?.blob()
    let streamedBytes = 0
    const streamed = await outputs[0]?.stream()
    for (const reader = streamed?.body.getReader(); ;) {
      const { value } = (await reader?.read()) ?? {}
      if (value === undefined) break
      streamedBytes += value.length
    }
    return {
      type: blob?.type,
      sizeBytes: blob?.size,
      streamedBytes,
      download: await thrown(() => task.download({ folder: 'out' })),
    }
  },

  async signIn(options: { authUrl: string; dataUrl: string; email: string; password: string; path: string }) {
    const { authUrl, dataUrl, email, password, path } = options
    await using storage = new StorageAuth({ authUrl, dataUrl })
    const session = await storage.signIn({ email, password })
    const response = await session.fetch(dataUrl + path)
    return { email: session.user?.email, status: response.status }
  },

  async transcribe({ apiUrl, agentUrl, apiKey }: { apiUrl: string; agentUrl: string; apiKey: string }) {
    await using speech = new Speech({ apiUrl, agentUrl, apiKey })
    const progress: number[] = []
    const transcript = await speech.transcribe(
      new Blob([new Uint8Array(32_000)]).stream(),
      { model: 'nova-3' },
      { onUploadProgress: ({ bytesSent }) => progress.push(bytesSent) },
    )
    return { transcript, progress, listen: await thrown(() => speech.listen({ model: 'nova-3' })) }
  },
}

export type Flows = typeof flows

Object.assign(globalThis, { flows })
