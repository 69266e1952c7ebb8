import { expect, it } from 'vitest'

import type { MediaOptions } from '../../src/index.ts'
import { IMAGE, startMedia, type TestMedia } from '../support/media.ts'

const HOUR_MS = 3_600_000
const PATH = '/v1/text_to_image'

async function submitStatus(media: TestMedia, body: object = IMAGE, path = PATH): Promise<number> {
  return (await media.call(path, { json: body })).status
}

async function creditsOf(media: TestMedia): Promise<number> {
  const { creditBalance } = await media.json<{ creditBalance: number }>('/v1/organization')
  return creditBalance
}

it('the tiers are 1 by default, and may be custom limits', async () => {
  await using media = await startMedia()
  expect(media.state.organizations).toMatchObject([{ tier: '1', concurrency: 1, dailyGenerations: 50 }])
  const range = (figure: number) => ({ min: figure, max: figure })
  const tier = { name: 'own', concurrency: range(7), dailyGenerations: range(8), monthlyCapUsd: 9 }
  await using own = await startMedia({ tier })
  expect(await own.json('/v1/organization')).toMatchObject({
    tier: 'own',
    concurrency: 7,
    dailyGenerations: 8,
    monthlyCapUsd: 9,
  })
  for (const wrong of [{}, { ...tier, concurrency: 7 }, { ...tier, dailyGenerations: { min: 9, max: 8 } }])
    await expect(startMedia({ tier: wrong as never })).rejects.toThrow(/tier/)
  await expect(startMedia({ tier: 6 as 5 })).rejects.toThrow('Unknown tier `6`. Use 1, 2, 3, 4, 5')
  await expect(startMedia({ credits: -1 })).rejects.toThrow('`credits` must be')
})

const few: MediaOptions = { tier: 5, choices: { tierLimits: () => ({ dailyGenerations: 2 }) } }

it('the daily quota counts the last 24 hours, not the time since midnight', async () => {
  // The clock of the tests starts at 9 in the morning.
  await using media = await startMedia(few)
  expect(await submitStatus(media)).toBe(200)
  await media.control.clock.advance(2 * HOUR_MS)
  expect(await submitStatus(media)).toBe(200)
  expect(await submitStatus(media)).toBe(429)
  await media.control.clock.advance(20 * HOUR_MS)
  expect(await submitStatus(media)).toBe(429)
  await media.control.clock.advance(2 * HOUR_MS - 1)
  expect(await submitStatus(media)).toBe(429)
  await media.control.clock.advance(1)
  expect(await submitStatus(media)).toBe(200)
  expect(await submitStatus(media)).toBe(429)
  expect(media.state.tasks).toHaveLength(3)
})

it('the daily quota only applies to generations, has no Retry-After, and does not count denied calls', async () => {
  await using media = await startMedia(few)
  expect(await submitStatus(media, { model: 'gen4.5' })).toBe(400)
  for (const expected of [200, 200, 429, 429]) expect(await submitStatus(media)).toBe(expected)
  const response = await media.call(PATH, { json: IMAGE })
  expect(response.headers.get('retry-after')).toBeNull()
  expect(await response.json()).toEqual({
    error: expect.stringContaining('2 generations in the last 24 hours'),
  })
  expect((await media.call('/v1/organization')).status).toBe(200)
  expect(await media.json('/v1/organization')).toMatchObject({ generationsToday: 2, dailyGenerations: 2 })
})

it('the daily quota may have a Retry-After, and may not count failed generations', async () => {
  await using media = await startMedia({
    tier: 5,
    choices: {
      ...few.choices,
      errorResponse: ({ facts: { waitMs = 0 } }) => ({
        headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
      }),
      countTask: ({ status }) => ({ countsTowardsQuota: status !== 'FAILED' }),
    },
  })
  media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL' })
  for (let index = 0; index < 2; index++) await media.submit()
  const response = await media.call(PATH, { json: IMAGE })
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '86400'])
  await media.control.clock.advance(4_000)
  expect(await submitStatus(media)).toBe(200)
})

it('the daily quota still counts deleted tasks', async () => {
  await using media = await startMedia(few)
  for (let index = 0; index < 2; index++) {
    const id = await media.submit()
    await media.call(`/v1/tasks/${id}`, { method: 'DELETE' })
  }
  expect(await submitStatus(media)).toBe(429)
})

it('the monthly cap denies a generation above it, until the month is over', async () => {
  await using media = await startMedia({
    choices: { credits: { usdPerCredit: 30 }, statuses: { 'monthly-cap': 418 } },
  })
  expect(await submitStatus(media)).toBe(200)
  const response = await media.call(PATH, { json: IMAGE })
  expect([response.status, await response.json()]).toEqual([
    418,
    { error: 'The monthly cap of 100 USD would be exceeded: 60 USD were spent this month.' },
  ])
  expect(await media.json('/v1/organization')).toMatchObject({ monthSpentUsd: 60, monthlyCapUsd: 100 })
  await media.control.clock.advance(27 * 24 * HOUR_MS)
  expect(await submitStatus(media)).toBe(200)
  await using other = await startMedia({
    choices: { credits: { usdPerCredit: 30, monthStartedAt: (now) => now + 1 } },
  })
  for (let index = 0; index < 3; index++) expect(await submitStatus(other)).toBe(200)
})

it('a generation that costs more than the remaining credits is denied', async () => {
  await using media = await startMedia({ credits: 3 })
  expect(await submitStatus(media)).toBe(200)
  const response = await media.call(PATH, { json: IMAGE })
  expect([response.status, await response.json()]).toEqual([
    402,
    { error: 'Not enough credits: the generation costs 2, and 1 are left.' },
  ])
  media.control.setOrganization({ credits: 2 })
  expect(await submitStatus(media)).toBe(200)
  expect(await creditsOf(media)).toBe(0)
})

const video = { duration: 4, promptText: 'rain' }
const file = { file: 'a recording' }

it.each<[string, string, object, number]>([
  ['gen4.5', '/v1/image_to_video', video, 48],
  ['gen4.5', '/v1/text_to_video', video, 48],
  ['gen4_turbo', '/v1/image_to_video', { ...video, promptImage: 'https://assets.example/a.png' }, 20],
  ['gen4_aleph', '/v1/video_to_video', { ...video, ...file }, 60],
  ['act_two', '/v1/character_performance', { ...file, duration: 1_000 }, 60],
  ['partner3', '/v1/image_to_video', video, 160],
  ['partner3', '/v1/text_to_video', video, 160],
  ['partner3.1', '/v1/image_to_video', video, 160],
  ['partner3.1', '/v1/text_to_video', video, 160],
  ['partner3.1_fast', '/v1/image_to_video', video, 60],
  ['partner3.1_fast', '/v1/text_to_video', video, 60],
  ['gen4_image', PATH, { ratio: '1280:720' }, 5],
  ['gen4_image', PATH, { ratio: '1920:1080' }, 8],
  ['gen4_image', PATH, {}, 5],
  ['gen4_image_turbo', PATH, {}, 2],
  ['partner_2.5_flash', PATH, {}, 5],
  ['audio_multilingual_v2', '/v1/text_to_speech', { promptText: 'x'.repeat(101) }, 3],
  ['audio_text_to_sound_v2', '/v1/sound_effect', { text: 'rain' }, 2],
  ['audio_voice_isolation', '/v1/voice_isolation', file, 2],
  ['audio_voice_dubbing', '/v1/voice_dubbing', file, 6],
  ['audio_multilingual_sts_v2', '/v1/speech_to_speech', file, 4],
])('credits of %s at %s with %j are taken by the table', async (model, path, body, credits) => {
  await using media = await startMedia()
  await media.submit({ model, ...body }, path)
  expect(10_000 - (await creditsOf(media))).toBe(credits)
  expect(media.state.tasks).toMatchObject([{ model, credits }])
})

it('`costOf` decides how many credits a generation costs', async () => {
  await using media = await startMedia({
    tier: 5,
    choices: {
      costOf: ({ request, row, credits }) =>
        request.operationId === 'textToVideo' ? 3 * (row.cost[0]?.credits.min ?? 0) : credits + 1,
    },
  })
  await media.submit({ model: 'partner3.1', promptText: 'rain' }, '/v1/text_to_video')
  await media.submit({ model: 'gen4_image' })
  expect(media.state.tasks.map(({ credits }) => credits)).toEqual([60, 6])
})

it('credits are not charged for a session, unless chosen', async () => {
  await using media = await startMedia()
  await media.json('/v1/realtime_sessions', { json: {} })
  expect(await creditsOf(media)).toBe(10_000)
  await using other = await startMedia({ choices: { session: { credits: 7 } } })
  await other.json('/v1/realtime_sessions', { json: {} })
  const days = [{ date: '2026-01-05', usage: [{ model: 'gwm1_avatars', credits: 7 }] }]
  expect(await other.json('/v1/organization/usage', { json: {} })).toEqual({ days })
})

it('credits are shared by the secrets of an organization', async () => {
  await using media = await startMedia()
  await media.submit()
  const secret = media.control.addSecret()
  await media.call(PATH, { json: { ...IMAGE, promptText: 'other' }, secret })
  expect(await creditsOf(media)).toBe(9_996)
  expect(media.state.organizations).toMatchObject([{ credits: 9_996, generationsToday: 2 }])
})

it('credits are not in the usage if they are 0', async () => {
  await using media = await startMedia({ choices: { costOf: () => 0 } })
  await media.submit()
  expect(await media.json('/v1/organization/usage', { json: {} })).toEqual({ days: [] })
  expect(media.state.tasks).toMatchObject([{ credits: 0, charged: false }])
})

it.each<[string, string | undefined, MediaOptions['choices'], number]>([
  ['refunded after a failure', 'INTERNAL', {}, 10_000],
  ['refunded after output moderation', 'SAFETY.OUTPUT.TEXT', {}, 10_000],
  ['kept after input moderation', 'SAFETY.INPUT.TEXT', { refunds: () => true }, 9_998],
  ['kept after a failure, if chosen', 'INTERNAL', { refunds: () => false }, 9_998],
  ['taken only on success, if chosen', 'INTERNAL', { credits: { taken: 'succeeded' } }, 10_000],
  ['taken on success, if chosen', undefined, { credits: { taken: 'succeeded' } }, 9_998],
  [
    'taken after input moderation, even if they are taken on success',
    'SAFETY.INPUT.TEXT',
    { credits: { taken: 'succeeded' } },
    9_998,
  ],
])('credits are %s', async (_, failure, choices, left) => {
  await using media = await startMedia(choices ? { choices } : {})
  media.control.scriptTasks(failure === undefined ? {} : { outcome: 'fail', failure })
  await media.submit()
  expect(await creditsOf(media)).toBe(choices?.credits ? 10_000 : 9_998)
  await media.control.clock.advance(4_000)
  expect(await creditsOf(media)).toBe(left)
  expect(media.state.tasks).toMatchObject([{ charged: left < 10_000 }])
})

it.each<[string, number, MediaOptions, number]>([
  ['refunded before it runs', 0, {}, 10_000],
  ['kept while it runs', 1_000, {}, 9_998],
  ['kept once it has ended', 4_000, {}, 9_998],
  ['refunded while it runs, if chosen', 1_000, { choices: { refunds: () => true } }, 10_000],
])('credits of a deleted task are %s', async (_, afterMs, options, left) => {
  await using media = await startMedia(options)
  const id = await media.submit()
  await media.control.clock.advance(afterMs)
  await media.call(`/v1/tasks/${id}`, { method: 'DELETE' })
  expect(await creditsOf(media)).toBe(left)
})

const read = (media: TestMedia, body: object = {}) =>
  media.json<{ days: { date: string; usage: { model: string; credits: number }[] }[] }>(
    '/v1/organization/usage',
    { json: body },
  )

it('the usage history shows charges and refunds by day and model for 90 days', async () => {
  await using media = await startMedia({ tier: 5 })
  await media.submit()
  await media.submit({ model: 'gen4_image' })
  media.control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL' })
  await media.submit({ model: 'partner_2.5_flash' })
  await media.control.clock.advance(24 * HOUR_MS)
  await media.submit()
  const first = {
    date: '2026-01-05',
    usage: [
      { model: 'gen4_image_turbo', credits: 2 },
      { model: 'gen4_image', credits: 5 },
      { model: 'partner_2.5_flash', credits: 0 },
    ],
  }
  const second = { date: '2026-01-06', usage: [{ model: 'gen4_image_turbo', credits: 2 }] }
  expect(await read(media)).toEqual({ days: [first, second] })
  expect(await read(media, { startDate: '2026-01-06' })).toEqual({ days: [second] })
  expect(await read(media, { beforeDate: '2026-01-06' })).toEqual({ days: [first] })
  await media.control.clock.advance(89 * 24 * HOUR_MS + 5_000)
  expect(await read(media)).toEqual({ days: [second] })
})

it('the usage history is separate for each organization', async () => {
  await using media = await startMedia({ choices: { organizationOf: (secret) => secret } })
  const secret = media.control.addSecret()
  await media.submit()
  expect((await read(media)).days).toHaveLength(1)
  expect(await media.json('/v1/organization/usage', { json: {}, secret })).toEqual({ days: [] })
  expect(await media.json('/v1/organization', { secret })).toMatchObject({
    name: secret,
    creditBalance: 10_000,
  })
})

it('the usage history rejects an unreadable range, and reads it as chosen', async () => {
  await using media = await startMedia()
  const response = await media.call('/v1/organization/usage', { json: { startDate: 'yesterday' } })
  expect(response.status).toBe(400)
  await using other = await startMedia({ choices: { readBody: () => ({ fromMs: 0, toMs: 1 }) } })
  await other.submit()
  expect(await read(other)).toEqual({ days: [] })
})
