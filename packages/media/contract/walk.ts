import { loadSpec, type CallInput, type Spec, type WalkContext, type WalkStep } from '@concord/contract'
import {
  dataOf,
  expectBody,
  expectError,
  expectMeaning,
  sendRaw,
  step,
  wrongBodyStep,
  type Served,
} from '@concord/contract-kit'
import { createEmulator, frozenClock, type Emulator, type MediaTier } from '@concord/emulator'

const image = 'https://assets.example/boat.png'
const video = 'https://assets.example/boat.mp4'

/** For each operation, a request that the emulator accepts. */
const generation: Readonly<Record<string, object>> = {
  imageToVideo: { model: 'gen4_turbo', promptImage: image, ratio: '1280:720', duration: 5 },
  textToVideo: { model: 'gen4.5', promptText: 'A paper boat in the rain', ratio: '1280:720', duration: 5 },
  videoToVideo: { model: 'gen4_aleph', promptText: 'at night', videoUri: video },
  characterPerformance: { model: 'act_two', character: { uri: image }, reference: { uri: video } },
  textToImage: { model: 'gen4_image', promptText: 'A paper boat' },
  textToSpeech: { model: 'audio_multilingual_v2', promptText: 'The ferry leaves at nine.' },
  soundEffect: { model: 'audio_text_to_sound_v2', promptText: 'rain on a tin roof' },
  voiceIsolation: { model: 'audio_voice_isolation', audioUri: 'https://assets.example/voice.mp3' },
  voiceDubbing: { model: 'audio_voice_dubbing', audioUri: 'https://assets.example/voice.mp3' },
  speechToSpeech: { model: 'audio_multilingual_sts_v2', audioUri: 'https://assets.example/voice.mp3' },
}
const generating = Object.keys(generation)
const avatar = {
  name: 'Harbor guide',
  referenceImage: image,
  voice: { type: 'live-preset', presetId: 'clara' },
  personality: 'You know every boat in the harbor.',
}
const document = { content: '# The harbor\n\nThe ferry leaves at nine.' }
const overloads = [502, 503, 504]

/** Serves an emulator and lists the calls to it. Its clock advances only when a step advances it. */
export async function mediaWalk(): Promise<Served> {
  const emulator = await createEmulator({ clock: frozenClock(), seed: 'walk' })
  const { media } = await emulator.serve()
  return {
    walk: {
      upstream: media.baseUrl,
      credentials: { apiSecret: media.apiSecret },
      steps: steps(emulator, await loadSpec('media')),
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

function steps(emulator: Emulator, { operations }: Spec): WalkStep[] {
  const { control } = emulator.media
  /** Creates a resource and returns the id that the emulator assigned. */
  const made = async (at: WalkContext, operation: string, body: unknown): Promise<string> =>
    String(dataOf(await at.call({ body }, { operation }))['id'])
  const submitted = (at: WalkContext): Promise<string> => {
    control.scriptTasks({ outcome: 'manual' })
    return made(at, 'textToVideo', generation['textToVideo'])
  }
  const inputs: Readonly<Record<string, (at: WalkContext) => Promise<Partial<CallInput>>>> = {
    ...Object.fromEntries(
      generating.map((operation) => [operation, async () => ({ body: generation[operation] })]),
    ),
    createAvatar: async () => ({ body: avatar }),
    getAvatar: async (at) => ({ path: { id: await made(at, 'createAvatar', avatar) } }),
    updateAvatar: async (at) => ({
      path: { id: await made(at, 'createAvatar', avatar) },
      body: { name: 'Night guide' },
    }),
    deleteAvatar: async (at) => ({ path: { id: await made(at, 'createAvatar', avatar) } }),
    createRealtimeSession: async () => ({ body: {} }),
    getRealtimeSession: async (at) => ({ path: { id: await made(at, 'createRealtimeSession', {}) } }),
    consumeRealtimeSession: async (at) => {
      const id = await made(at, 'createRealtimeSession', {})
      control.moveSession(id, 'READY')
      return { path: { id } }
    },
    createDocument: async () => ({ body: document }),
    getDocument: async (at) => ({ path: { id: await made(at, 'createDocument', document) } }),
    deleteDocument: async (at) => ({ path: { id: await made(at, 'createDocument', document) } }),
    getTask: async (at) => ({ path: { id: await submitted(at) } }),
    deleteTask: async (at) => ({ path: { id: await submitted(at) } }),
    createUpload: async () => ({ body: {} }),
    getOrganization: async () => ({}),
    queryUsage: async () => ({ body: {} }),
  }
  const plain = (operation: string, at: WalkContext): Promise<Partial<CallInput>> =>
    inputs[operation]?.(at) ?? Promise.reject(new Error(`no input for ${operation}`))

  const success = Object.keys(inputs).map((operation) =>
    step(operation, '200', 'as documented', async (at) => {
      const outcome = await at.call(await plain(operation, at))
      if (generating.includes(operation) && typeof dataOf(outcome)['id'] !== 'string')
        throw new Error('no id')
    }),
  )
  const faults = Object.keys(inputs).flatMap((operation) => [
    ...overloads.map((status) =>
      step(operation, String(status), 'overload', async (at) => {
        const input = await plain(operation, at)
        control.faults.add({ kind: 'status', status, operation, body: { error: 'Overloaded.' } })
        expectError(await at.call(input), 'ServerError')
      }),
    ),
    step(operation, 'default', 'another error', async (at) => {
      const input = await plain(operation, at)
      control.faults.add({ kind: 'status', status: 500, operation, body: { error: 'Something is wrong.' } })
      expectError(await at.call(input), 'ServerError')
    }),
    step(operation, '401', 'a secret that is not valid', async (at) => {
      const input = await plain(operation, at)
      expectError(await at.call(input, { credentials: { apiSecret: 'not-a-secret' } }), 'AuthenticationError')
    }),
  ])
  const denied = operations
    .filter(({ id, body }) => body && id in inputs)
    .map(({ id: operation, method, path }) =>
      wrongBodyStep(operation, '400', 'a malformed body', async (at) => {
        const { target } = at
        const id = path.includes('{id}') ? await made(at, 'createAvatar', avatar) : ''
        const headers = {
          'content-type': 'application/json',
          'x-service-version': '2024-11-06',
          authorization: `Bearer ${target.credentials['apiSecret']}`,
        }
        await sendRaw(target.baseUrl + path.replace('{id}', id), method, headers, '[]')
      }),
    )
  const quota = generating.map((operation) =>
    step(operation, '429', 'the daily generations are used up', async (at) => {
      const tier: MediaTier = {
        name: 'none',
        concurrency: { min: 1, max: 1 },
        dailyGenerations: { min: 0, max: 0 },
        monthlyCapUsd: 100,
      }
      const apiSecret = control.addSecret()
      control.setOrganization({ tier })
      expectMeaning(
        await at.call(await plain(operation, at), { credentials: { apiSecret } }),
        'daily-generations',
      )
      control.setOrganization({ tier: 5 })
    }),
  )
  const tasks = [
    step('getTask', '200', 'pending, running, succeeded with output', async (at) => {
      const id = await submitted(at)
      for (const status of ['PENDING', 'RUNNING']) {
        expectBody(await at.call({ path: { id } }), { status })
        control.advanceTask(id)
      }
      const { status, output } = dataOf(await at.call({ path: { id } }))
      if (status !== 'SUCCEEDED' || !Array.isArray(output)) throw new Error(`got ${String(status)}`)
    }),
    step('getTask', '200', 'failed with a code', async (at) => {
      const id = await submitted(at)
      control.failTask(id, 'SAFETY.INPUT.TEXT')
      expectBody(await at.call({ path: { id } }), { status: 'FAILED', failure: 'SAFETY.INPUT.TEXT' })
    }),
    step('getTask', '200', 'throttled beyond the concurrency', async (at) => {
      control.setOrganization({ tier: 1 })
      const ids = [await submitted(at), await submitted(at), await submitted(at)]
      const states = await Promise.all(
        ids.map(async (id) => dataOf(await at.call({ path: { id } }))['status']),
      )
      if (!states.includes('THROTTLED')) throw new Error(`got ${states.join(', ')}`)
      control.setOrganization({ tier: 5 })
    }),
  ]
  control.setOrganization({ tier: 5, credits: 1_000_000 })
  return [...success, ...tasks, ...denied, ...faults, ...quota]
}
