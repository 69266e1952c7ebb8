import {
  createEmulator,
  frozenClock,
  type Emulator,
  type EmulatorOptions,
  type MediaOptions,
} from '../../src/index.ts'
import { requestInit } from './request-init.ts'

/** The media service with a frozen clock and shortcuts. */
export interface TestMedia extends AsyncDisposable {
  emulator: Emulator
  control: Emulator['media']['control']
  apiSecret: string
  readonly state: Emulator['media']['state']
  /** Calls an operation with the secret and the version header; `secret: ''` and `version: ''` send none. */
  call(path: string, options?: MediaCallOptions): Promise<Response>
  /** Calls an operation and reads its JSON. */
  json<T = Record<string, unknown>>(path: string, options?: MediaCallOptions): Promise<T>
  /** Submits a generation and returns the id of its task. */
  submit(body?: object, path?: string): Promise<string>
  task(id: string): Promise<TestTask>
}

interface MediaCallOptions {
  method?: string
  secret?: string
  version?: string
  json?: unknown
  body?: RequestInit['body']
  headers?: Record<string, string>
}

interface TestTask {
  id: string
  status: string
  output?: string[]
  failure?: string
}

/** A cheap generation. */
export const IMAGE = { model: 'gen4_image_turbo', promptText: 'a lighthouse' }

export async function startMedia(
  media: MediaOptions = {},
  options: EmulatorOptions = {},
): Promise<TestMedia> {
  const emulator = await createEmulator({ clock: frozenClock(), seed: 'tests', ...options, media })
  const { apiSecret, baseUrl, control } = emulator.media

  const call: TestMedia['call'] = (
    path,
    { secret = apiSecret, version = '2024-11-06', headers, ...parts } = {},
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
  const json = async <T>(path: string, more?: MediaCallOptions) =>
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
    async submit(body = IMAGE, path = '/v1/text_to_image') {
      const response = await call(path, { json: body })
      const reply = (await response.json()) as { id: string }
      if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(reply)}`)
      return reply.id
    },
    task: (id) => json<TestTask>(`/v1/tasks/${id}`),
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}
