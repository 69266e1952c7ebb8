import { expect, it } from 'vitest'

import { createEmulator, type MediaOptions } from '../../src/index.ts'
import { startMedia } from '../support/media.ts'

const AVATAR = {
  name: 'Guide',
  referenceImage: 'https://assets.example/guide.png',
  voice: { type: 'live-preset', presetId: 'clara' },
  personality: 'brief',
}

it('`successResponse` can leave out a body that is undocumented', async () => {
  await using media = await startMedia({
    choices: {
      successResponse({ operation }) {
        if (operation === 'updateAvatar') return { status: 204 }
        return operation === 'createUpload' ? { body: undefined } : undefined
      },
    },
  })
  const { id } = await media.json<{ id: string }>('/v1/avatars', { json: AVATAR })
  const changed = await media.call(`/v1/avatars/${id}`, { method: 'PATCH', json: { name: 'Pilot' } })
  expect([changed.status, await changed.text()]).toEqual([204, ''])
  const upload = await media.call('/v1/uploads', { json: {} })
  expect([upload.status, upload.headers.get('content-type'), await upload.text()]).toEqual([200, null, ''])
})

it('`successResponse` can be asynchronous', async () => {
  await using media = await startMedia({
    choices: {
      successResponse: async ({ operation, body }) => ({
        status: 202,
        body: { ...body, shown: operation },
      }),
    },
  })
  const upload = await media.call('/v1/uploads', { json: {} })
  expect([upload.status, await upload.json()]).toMatchObject([202, { shown: 'createUpload' }])
})

const cases: [string, MediaOptions['choices'], RegExp][] = [
  [
    'throws',
    {
      successResponse: () => {
        throw new TypeError('my mistake')
      },
    },
    /^error media: GET \/v1\/organization: During `getOrganization`, the choice `successResponse` of `media` threw an error: my mistake\nTypeError: my mistake\n +at .*choices\.test\.ts/,
  ],
  [
    'returns an unknown member',
    { successResponse: () => ({ statsu: 202 }) as object },
    /During `getOrganization`, the choice `successResponse` of `media` returned an invalid value \(.*additional properties\)/,
  ],
  [
    'returns a body that the contract rejects',
    { successResponse: () => ({ body: [] }) },
    /^error media: GET \/v1\/organization: The contract rejects the emulator's 200 response to getOrganization .*Overridden choices that contributed to it: `successResponse`/,
  ],
]

it.each(cases)(
  'a choice that %s leads to a 500 over HTTP, and to a log entry with the choice, the operation and the stack',
  async (_, choices, line) => {
    const lines: string[] = []
    await using media = await startMedia(
      { choices: choices ?? {} },
      { log: (level, message) => lines.push(`${level} ${message}`) },
    )
    await using served = await media.emulator.serve({ services: ['media'] })
    const headers = { authorization: `Bearer ${media.apiSecret}`, 'x-service-version': '2024-11-06' }
    const response = await fetch(`${served.media.baseUrl}/v1/organization`, { headers })
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: 'The server failed to respond.' },
    ])
    expect(lines).toEqual([expect.stringMatching(line)])
  },
)

it('a choice that fails in process throws an error with the service, the choice and the operation', async () => {
  await using media = await startMedia({
    choices: { tierLimits: (() => Promise.resolve({})) as unknown as () => object },
  })
  await expect(media.call('/v1/organization')).rejects.toMatchObject({
    code: 'choice-failed',
    service: 'media',
    choice: 'tierLimits',
    during: 'getOrganization',
  })
})

it.each([
  [{ media: { choices: { otherVersions: 'serve' } } }, 'The choice `otherVersions` of `media`'],
  [{ media: { choices: { session: { readyMs: 'soon' } } } }, 'The choice `session` of `media`'],
  [{ media: { choices: { credits: { usdPerCredit: null } } } }, 'The choice `credits` of `media`'],
  [{ media: { choices: { uploads: { methods: 'PUT' } } } }, 'The choice `uploads` of `media`'],
  [{ media: { choices: { statuses: { 'task-not-found': 'gone' } } } }, 'The choice `statuses` of `media`'],
  [
    { speech: { choices: { conversation: { keytermsWhenOmitted: 'drop' } } } },
    'The choice `conversation` of `speech`',
  ],
])('createEmulator rejects the invalid choice in %j', async (options, message) => {
  await expect(createEmulator(options as object)).rejects.toThrow(`${message} is invalid`)
})
