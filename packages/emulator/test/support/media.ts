import { createEmulator, frozenClock, type EmulatorOptions, type MediaOptions } from '../../src/index.ts'
import { requestInit, type RequestParts } from './request-init.ts'

interface MediaCallOptions extends RequestParts {
  secret?: string
  version?: string
}

interface TestTask {
  id: string
  status: string
  output?: string[]
  failure?: string
}

/** A cheap generation. */
export const IMAGE = { model: 'gen4_image_turbo', promptText: 'a lighthouse' }

/** Starts the media service with a frozen clock, and returns shortcuts. */
export async function startMedia(media: MediaOptions = {}, options: EmulatorOptions = {}) {
  const emulator = await createEmulator({ clock: frozenClock(), seed: 'tests', ...options, media })
  const { apiSecret, baseUrl, control } = emulator.media

  /** Calls an operation with the secret and the version header; `secret: ''` and `version: ''` send none. */
  const call = (
    path: string,
    { secret = apiSecret, version = '2024-11-06', headers, ...parts }: MediaCallOptions = {},
  ) =>
    emulator.media.fetch(
      path.startsWith('http') ? path : baseUrl + path,
      requestInit({
        ...parts,
        headers: {
          ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }),
          ...(version === '' ? {} : { 'x-service-version': version }),
          ...headers,
        },
      }),
    )
  const json = async <T = Record<string, unknown>>(path: string, more?: MediaCallOptions) =>
    (await call(path, more)).json() as Promise<T>

  return {
    emulator,
    control,
    apiSecret,
    get state() {
      return emulator.media.state
    },
    call,
    json,
    /** Submits a generation and returns the id of its task. */
    async submit(body: object = IMAGE, path = '/v1/text_to_image') {
      const response = await call(path, { json: body })
      const reply = (await response.json()) as { id: string }
      if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(reply)}`)
      return reply.id
    },
    task: (id: string) => json<TestTask>(`/v1/tasks/${id}`),
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

export type TestMedia = Awaited<ReturnType<typeof startMedia>>
