import { expect, it } from 'vitest'

import { loadSpecification } from '../../src/core/specification.ts'
import { readModels } from '../../src/media/model-table.ts'
import { IMAGE, startMedia } from '../support/media.ts'

const specification = loadSpecification('media/openapi.yaml')
const operations = specification.operations
const models = readModels(specification)
const GENERATION = [...new Set(models.flatMap(({ endpoints }) => endpoints))]

/** Returns the path of an operation, with an unknown identifier. */
const path = (operation: { path: string }) => operation.path.replace('{id}', 'nothing')

it('the media emulator serves every operation', async () => {
  await using media = await startMedia({ credits: 1_000_000, tier: 5 })
  expect(operations).not.toHaveLength(0)
  for (const operation of operations) {
    const model = models.find(({ endpoints }) => endpoints.includes(operation.path))?.model
    const json = operation.body ? { json: model === undefined ? {} : { model } } : {}
    const response = await media.call(path(operation), { method: operation.method, ...json })
    expect(response.status, operation.operationId).not.toBe(401)
    expect(response.status, operation.operationId).toBeLessThan(500)
    expect(await response.json(), operation.operationId).not.toMatchObject({
      error: expect.stringContaining('address'),
    })
  }
  expect(media.control.violations()).toEqual([])
  expect(media.control.requests().map(({ operationId }) => operationId)).toEqual(
    operations.map(({ operationId }) => operationId),
  )
})

it.each(operations.map(({ operationId, method, path: template }) => [operationId, method, template]))(
  'the media emulator requires both headers for %s',
  async (_, method, template) => {
    await using media = await startMedia()
    const target = path({ path: template! })
    const status = async (options: object) =>
      (await media.call(target, { method: method!, ...options })).status
    expect(await status({ secret: '' })).toBe(401)
    expect(await status({ secret: 'wrong' })).toBe(401)
    expect(await status({ secret: '', headers: { 'x-api-key': media.apiSecret } })).toBe(401)
    expect(await status({ secret: '', headers: { authorization: `Token ${media.apiSecret}` } })).toBe(401)
    expect(await status({ version: '' })).toBe(400)
    expect(await status({ version: '2025-01-01' })).toBe(400)
  },
)

it('the media emulator serves other versions if `otherVersions` says so', async () => {
  await using media = await startMedia({ choices: { otherVersions: 'served' } })
  for (const version of ['', '2025-01-01'])
    expect((await media.call('/v1/organization', { version })).status).toBe(200)
})

it('the media emulator only runs each model at its endpoints', async () => {
  await using media = await startMedia({
    tier: 5,
    credits: 1_000_000,
    choices: { credits: { usdPerCredit: 0 } },
  })
  const input = { promptImage: 'https://assets.example/a.png', file: 'https://assets.example/a.mp4' }
  const taken: string[] = []
  for (const { model, endpoints } of models)
    for (const endpoint of GENERATION) {
      const { status } = await media.call(endpoint, { json: { model, ...input } })
      expect([200, 400]).toContain(status)
      if (status === 200) taken.push(`${model} ${endpoint}`)
      expect(status === 200, `${model} at ${endpoint}`).toBe(endpoints.includes(endpoint))
    }
  expect(taken).toHaveLength(19)
  for (const endpoint of GENERATION)
    for (const model of ['partner4', undefined])
      expect((await media.call(endpoint, { json: { model, ...input } })).status).toBe(200)
  expect(media.state.tasks.find(({ model }) => model === 'partner4')?.credits).toBe(10)
})

it('`unlistedModel` decides which other models exist, and what they cost', async () => {
  await using media = await startMedia({
    choices: {
      unlistedModel: (model, endpoint) =>
        model === 'free'
          ? { model, endpoints: [endpoint], cost: [{ credits: { min: 0, max: 0 } }] }
          : `there is no model ${model}`,
    },
  })
  await media.submit({ model: 'free' })
  expect(media.state.tasks).toMatchObject([{ model: 'free', credits: 0 }])
  const response = await media.call('/v1/text_to_image', { json: { model: 'gen9' } })
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: 'The request is rejected: there is no model gen9.' },
  ])
})

it.each([
  [
    '/v1/image_to_video',
    { model: 'gen4_turbo', promptText: 'rain' },
    /input for gen4_turbo is missing .*Send `promptImage`\.$/,
  ],
  ['/v1/text_to_video', { model: 'gen4.5', duration: 5 }, /Send `promptText` or `promptImage`\.$/],
  [
    '/v1/video_to_video',
    { model: 'gen4_aleph', promptText: 'rain' },
    /\(documented: "video plus text\/image"\)/,
  ],
  [
    '/v1/video_to_video',
    { model: 'gen4_aleph', video: 'https://a.example/a.mp4' },
    /input for gen4_aleph is missing/,
  ],
  ['/v1/voice_dubbing', { model: 'audio_voice_dubbing' }, /Send a field that contains the input/],
])('the media emulator rejects POST %s with %j, without charging for it', async (target, json, says) => {
  await using media = await startMedia()
  const response = await media.call(target, { json })
  expect([response.status, await response.json()]).toEqual([400, { error: expect.stringMatching(says) }])
  expect(media.state.organizations).toMatchObject([{ credits: 10_000 }])
})

it.each(['/v1/realtime_sessions', '/v1/uploads', '/v1/organization/usage'])(
  'the media emulator accepts POST %s without a body, which the documentation does not ask for',
  async (target) => {
    await using media = await startMedia()
    expect((await media.call(target, { method: 'POST' })).status).toBe(200)
  },
)

it.each([
  ['/v1/image_to_video', { model: 4 }, 'model must be string'],
  ['/v1/text_to_video', { model: 'gen4.5', duration: 1 }, 'duration must be >= 2'],
  ['/v1/text_to_video', { model: 'gen4.5', duration: 11 }, 'duration must be <= 10'],
  ['/v1/text_to_video', { model: 'gen4.5', duration: 2.5 }, 'duration must be integer'],
  ['/v1/text_to_image', { model: 'gen4_image', promptText: 5 }, 'promptText must be string'],
  ['/v1/avatars', { documentIds: 'one' }, 'documentIds must be array'],
])('the media emulator rejects POST %s with %j, and records the violation', async (target, json, says) => {
  await using media = await startMedia()
  const response = await media.call(target, { json })
  const error = `The request is invalid: body/${says}.`
  expect([response.status, await response.json()]).toEqual([400, { error }])
  expect(media.control.violations()).toMatchObject([{ direction: 'request' }])
  expect(media.state.tasks).toEqual([])
})

it('the media emulator accepts open values: other voices, other presets, other fields', async () => {
  await using media = await startMedia()
  const json = {
    name: 'Guide',
    referenceImage: 'https://assets.example/guide.png',
    voice: { type: 'other', presetId: 'nina', speed: 2 },
    personality: '',
    mood: 'calm',
  }
  expect(await media.json('/v1/avatars', { json })).toMatchObject(json)
})

it('the media emulator rejects unknown paths, other methods, and bodies that are too large', async () => {
  await using media = await startMedia({ choices: { sizes: { jsonBytes: 100 } } })
  expect((await media.call('/v1/nothing')).status).toBe(404)
  const wrong = await media.call('/v1/text_to_image')
  expect([wrong.status, await wrong.json()]).toEqual([405, { error: 'This URL only accepts POST.' }])
  expect((await media.call('/v1/text_to_image', { json: { ...IMAGE, x: 'x'.repeat(100) } })).status).toBe(413)
})

it('the media emulator returns errors with the chosen messages and shape', async () => {
  await using media = await startMedia({
    choices: {
      newIdentifier: () => 'the-secret',
      statuses: { 'task-not-found': 410 },
      errorResponse: ({ kind, status, message }) => ({ body: { code: kind, status, was: message } }),
    },
  })
  expect(media.apiSecret).toBe('the-secret')
  const response = await media.call('/v1/tasks/nothing')
  expect([response.status, await response.json()]).toEqual([
    410,
    { code: 'task-not-found', status: 410, was: 'The task was not found.' },
  ])
})

it('the media emulator has a base path and the given secrets, and resets', async () => {
  await using media = await startMedia({ basePath: '/tenant', apiSecrets: ['one', 'two'] })
  expect(media.apiSecret).toBe('one')
  expect((await media.call('/v1/organization', { secret: 'two' })).status).toBe(200)
  await media.submit()
  await media.call('/v1/uploads', { json: {} })
  await media.call('/v1/documents', { json: { text: 'a' } })
  await media.call('/v1/realtime_sessions', { json: {} })
  media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL' })
  media.control.addSecret('three')
  media.control.setOrganization({ tier: 5, credits: 3 })
  media.control.reset()
  const { now: _, organizations, ...rest } = media.state
  expect(Object.values(rest)).toEqual([[], [], [], [], []])
  expect(organizations).toMatchObject([{ tier: '1', credits: 10_000, generationsToday: 0, spentUsd: 0 }])
  expect((await media.call('/v1/organization', { secret: 'three' })).status).toBe(401)
  expect(media.control.submissions()).toEqual([])
  const id = await media.submit()
  await media.control.clock.advance(4_000)
  expect((await media.task(id)).status).toBe('SUCCEEDED')
  expect(() => media.control.setOrganization({ name: 'nothing' })).toThrow('Unknown organization nothing')
})
