import { expect, it, onTestFinished } from 'vitest'

import type { MediaOptions } from '../../src/index.ts'
import { startMedia, type TestMedia } from '../support/media.ts'

const AVATAR = {
  name: 'Harbour guide',
  referenceImage: 'https://assets.example/guide.png',
  voice: { type: 'live-preset', presetId: 'clara' },
  personality: 'You know every boat.',
}

async function addDocument(media: TestMedia, content: string): Promise<string> {
  return (await media.json<{ id: string }>('/v1/documents', { json: { content } })).id
}

async function addAvatar(media: TestMedia, more: object = {}): Promise<string> {
  return (await media.json<{ id: string }>('/v1/avatars', { json: { ...AVATAR, ...more } })).id
}

const statusOf = async (media: TestMedia, path: string, json?: object, method?: string) =>
  (await media.call(path, { ...(json ? { json } : {}), ...(method ? { method } : {}) })).status

it('an avatar is created, read, changed and deleted', async () => {
  await using media = await startMedia()
  const id = await addAvatar(media)
  expect(await media.json(`/v1/avatars/${id}`)).toEqual({ id, ...AVATAR, documentIds: [] })
  const voice = { type: 'live-preset', presetId: 'vincent' }
  const changed = await media.json(`/v1/avatars/${id}`, { method: 'PATCH', json: { voice } })
  expect(changed).toEqual({ id, ...AVATAR, voice, documentIds: [] })
  expect(await media.json(`/v1/avatars/${id}`)).toEqual(changed)
  expect(await media.json(`/v1/avatars/${id}`, { method: 'DELETE' })).toEqual({})
  expect(await statusOf(media, `/v1/avatars/${id}`)).toBe(404)
  expect(await statusOf(media, `/v1/avatars/${id}`, undefined, 'DELETE')).toBe(404)
  expect(await statusOf(media, `/v1/avatars/${id}`, { name: 'x' }, 'PATCH')).toBe(404)
})

it('an avatar requires the fields in `avatars.requiredFields`', async () => {
  await using media = await startMedia()
  const response = await media.call('/v1/avatars', { json: { name: 'Guide' } })
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: 'An avatar needs these fields: referenceImage, voice, personality.' },
  ])
  await using lax = await startMedia({ choices: { avatars: { requiredFields: [] } } })
  expect(await statusOf(lax, '/v1/avatars', {})).toBe(200)
})

it("the reference image of an avatar has to comply with the rules for inputs, and can't be changed", async () => {
  await using media = await startMedia()
  const withImage = (referenceImage: string) => statusOf(media, '/v1/avatars', { ...AVATAR, referenceImage })
  expect(await withImage('http://assets.example/guide.png')).toBe(400)
  expect(await withImage('https://assets.example/guide.gif')).toBe(400)
  expect(await withImage('emulator-upload://nothing')).toBe(400)
  const png = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a00', 'hex').toString('base64')}`
  expect(await withImage(png)).toBe(200)
  const id = await addAvatar(media)
  const referenceImage = 'https://assets.example/other.png'
  expect(await statusOf(media, `/v1/avatars/${id}`, { referenceImage }, 'PATCH')).toBe(400)
  await using other = await startMedia({
    choices: {
      judgeInput: ({ field, way }) =>
        field === 'referenceImage' && way === 'data-uri' ? 'rejected' : 'accepted',
      avatars: { changedReferenceImage: 'ignored' },
    },
  })
  expect(await statusOf(other, '/v1/avatars', { ...AVATAR, referenceImage: png })).toBe(400)
  const ignoring = await addAvatar(other)
  expect(
    await other.json(`/v1/avatars/${ignoring}`, { method: 'PATCH', json: { referenceImage } }),
  ).toMatchObject({ referenceImage: AVATAR.referenceImage })
})

it('an avatar has up to 50,000 tokens in all of its documents', async () => {
  await using media = await startMedia()
  // Four characters are a token.
  const half = await addDocument(media, 'x'.repeat(100_000))
  const otherHalf = await addDocument(media, 'y'.repeat(100_000))
  const drop = await addDocument(media, 'z')
  const id = await addAvatar(media, { documentIds: [half, otherHalf, half] })
  expect(media.state.avatars).toMatchObject([{ documentIds: [half, otherHalf, half], tokens: 50_000 }])
  const documentIds = [half, otherHalf, drop]
  const response = await media.call('/v1/avatars', { json: { ...AVATAR, documentIds } })
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: 'The documents of an avatar may have at most 50000 tokens in total, but these have 50001.' },
  ])
  expect(await statusOf(media, `/v1/avatars/${id}`, { documentIds }, 'PATCH')).toBe(400)
  expect(await statusOf(media, `/v1/avatars/${id}`, { documentIds: [drop] }, 'PATCH')).toBe(200)
  expect(media.state.avatars).toMatchObject([{ documentIds: [drop], tokens: 1 }])
  await using counting = await startMedia({ choices: { countTokens: () => 25_001 } })
  const ids = [await addDocument(counting, 'a'), await addDocument(counting, 'b')]
  expect(await statusOf(counting, '/v1/avatars', { ...AVATAR, documentIds: ids })).toBe(400)
})

it('an avatar rejects unknown documents, drops deleted ones, and replaces its list, unless chosen otherwise', async () => {
  await using media = await startMedia()
  const [one, two] = [await addDocument(media, 'one'), await addDocument(media, 'two')]
  const id = await addAvatar(media, { documentIds: [one] })
  expect(await statusOf(media, `/v1/avatars/${id}`, { documentIds: ['nothing'] }, 'PATCH')).toBe(400)
  const changed = await media.json(`/v1/avatars/${id}`, { method: 'PATCH', json: { documentIds: [two] } })
  expect(changed).toMatchObject({ documentIds: [two] })
  await media.call(`/v1/documents/${two}`, { method: 'DELETE' })
  expect(await media.json(`/v1/avatars/${id}`)).toMatchObject({ documentIds: [] })

  await using other = await startMedia({
    choices: {
      avatars: { unknownDocuments: 'kept', deletedDocuments: 'kept', changedDocuments: 'added' },
    },
  })
  const known = await addDocument(other, 'known')
  const avatar = await addAvatar(other, { documentIds: [known] })
  await other.call(`/v1/avatars/${avatar}`, { method: 'PATCH', json: { documentIds: ['unknown'] } })
  await other.call(`/v1/documents/${known}`, { method: 'DELETE' })
  expect(await other.json(`/v1/avatars/${avatar}`)).toMatchObject({ documentIds: [known, 'unknown'] })
})

it('an avatar is not visible to another organization, and neither are documents, sessions and tasks', async () => {
  await using media = await startMedia({ choices: { organizationOf: (secret) => secret } })
  const [document, avatar] = [await addDocument(media, 'a'), await addAvatar(media)]
  const secret = media.control.addSecret('other')
  const session = await media.json<{ id: string }>('/v1/realtime_sessions', { json: {} })
  const sessionPath = `/v1/realtime_sessions/${session.id}`
  expect((await media.call(`${sessionPath}/consume`, { secret, method: 'POST' })).status).toBe(404)
  const taskPath = `/v1/tasks/${await media.submit()}`
  for (const path of [`/v1/documents/${document}`, `/v1/avatars/${avatar}`, sessionPath, taskPath])
    expect((await media.call(path, { secret })).status).toBe(404)
  expect((await media.call(taskPath, { secret, method: 'DELETE' })).status).toBe(404)
  const json = { ...AVATAR, documentIds: [document] }
  expect((await media.call('/v1/avatars', { secret, json })).status).toBe(400)
})

it('a document is created, read and deleted, by default from `content` or `text`', async () => {
  await using media = await startMedia()
  const created = await media.json<{ id: string }>('/v1/documents', {
    json: { name: 'Tides', content: '# T' },
  })
  expect(created).toEqual({ id: expect.any(String), name: 'Tides', content: '# T' })
  expect(await media.json(`/v1/documents/${created.id}`)).toEqual(created)
  expect(await statusOf(media, '/v1/documents', { text: 'plain' })).toBe(200)
  expect(await statusOf(media, '/v1/documents', { body: 'elsewhere' })).toBe(400)
  expect(await statusOf(media, `/v1/documents/${created.id}`, undefined, 'DELETE')).toBe(200)
  expect(await statusOf(media, `/v1/documents/${created.id}`)).toBe(404)
  expect(await statusOf(media, `/v1/documents/${created.id}`, undefined, 'DELETE')).toBe(404)
  await using other = await startMedia({
    choices: {
      readBody: ({ body: { body } }) => (typeof body === 'string' ? { text: body } : undefined),
    },
  })
  expect(await statusOf(other, '/v1/documents', { body: 'elsewhere' })).toBe(200)
  expect(other.state.documents).toMatchObject([{ tokens: 3 }])
})

const start = async (options: MediaOptions = {}) => {
  const media = await startMedia(options)
  onTestFinished(() => media.emulator.close())
  const { id } = await media.json<{ id: string }>('/v1/realtime_sessions', { json: {} })
  const status = async () => (await media.json<{ status: string }>(`/v1/realtime_sessions/${id}`)).status
  const consume = () => media.call(`/v1/realtime_sessions/${id}/consume`, { method: 'POST' })
  return { media, id, status, consume }
}

it('a real-time session becomes READY on the clock, returns its credentials once, runs and completes', async () => {
  const { media, id, status, consume } = await start()
  expect(await status()).toBe('NOT_READY')
  const early = await consume()
  expect([early.status, await early.json()]).toEqual([
    409,
    { error: expect.stringMatching(/^The status of the session is NOT_READY\. .*READY\.$/) },
  ])
  await media.control.clock.advance(2_000)
  expect(await status()).toBe('READY')
  const first = await consume()
  expect([first.status, await first.json()]).toEqual([
    200,
    { placeholder: expect.stringContaining(id), token: expect.stringMatching(/^emw_/) },
  ])
  expect((await consume()).status).toBe(409)
  expect(media.state.sessions).toEqual([{ id, status: 'READY', consumed: true }])
  media.control.moveSession(id, 'RUNNING')
  expect(await status()).toBe('RUNNING')
  expect((await consume()).status).toBe(409)
  media.control.moveSession(id, 'COMPLETED')
  expect(await status()).toBe('COMPLETED')
  expect(() => media.control.moveSession(id, 'FAILED')).toThrow('is already COMPLETED')
  expect(() => media.control.moveSession('nothing', 'READY')).toThrow('Unknown session nothing')
})

it('a real-time session does not return its credentials again after the response was lost', async () => {
  const { media, consume } = await start()
  await media.control.clock.advance(2_000)
  media.control.faults.add({ kind: 'reset', when: 'after', operation: 'consumeRealtimeSession' })
  await expect(consume()).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect((await consume()).status).toBe(409)
})

it('a real-time session that has run for 5 minutes ends in the state `session.timeUp`', async () => {
  const { media, id, status } = await start()
  await media.control.clock.advance(2_000)
  media.control.moveSession(id, 'RUNNING')
  await media.control.clock.advance(5 * 60_000 - 1)
  expect(await status()).toBe('RUNNING')
  await media.control.clock.advance(1)
  expect(await status()).toBe('COMPLETED')
  const other = await start({ choices: { session: { consumeStarts: true, timeUp: 'FAILED' } } })
  await other.media.control.clock.advance(2_000)
  expect((await other.consume()).status).toBe(200)
  expect(await other.status()).toBe('RUNNING')
  await other.media.control.clock.advance(5 * 60_000)
  expect(await other.status()).toBe('FAILED')
})

it.each(['FAILED', 'CANCELLED'] as const)(
  'a real-time session can end as %s once it runs, but not before',
  async (end) => {
    const { media, id, status } = await start()
    expect(() => media.control.moveSession(id, end)).toThrow(`no transition from \`NOT_READY\` to \`${end}\``)
    expect(() => media.control.moveSession(id, 'RUNNING')).toThrow(
      'no transition from `NOT_READY` to `RUNNING`',
    )
    media.control.moveSession(id, 'READY')
    await media.control.clock.advance(60_000)
    expect(await status()).toBe('READY')
    media.control.moveSession(id, 'RUNNING')
    media.control.moveSession(id, end)
    await media.control.clock.advance(10 * 60_000)
    expect(await status()).toBe(end)
  },
)

it('a real-time session can end before it runs, by a chosen transition', async () => {
  const furtherMoves = [{ from: 'READY', to: 'CANCELLED' }] as const
  const { media, id, status } = await start({ choices: { session: { furtherMoves } } })
  await media.control.clock.advance(2_000)
  media.control.moveSession(id, 'CANCELLED')
  expect(await status()).toBe('CANCELLED')
})

it('`session.unused` ends a real-time session that does not run in time, and no other', async () => {
  const unused = { afterMs: 60_000, status: 'CANCELLED' } as const
  const furtherMoves = [{ from: 'READY', to: 'CANCELLED' }] as const
  const { media, status } = await start({ choices: { session: { unused, furtherMoves } } })
  const { id: used } = await media.json<{ id: string }>('/v1/realtime_sessions', { json: {} })
  await media.control.clock.advance(59_999)
  media.control.moveSession(used, 'RUNNING')
  expect(await status()).toBe('READY')
  await media.control.clock.advance(1)
  expect(await status()).toBe('CANCELLED')
  expect(media.state.sessions.map((session) => session.status)).toEqual(['CANCELLED', 'RUNNING'])
})

it('a real-time session without `session.readyMs` stays NOT_READY until the control interface moves it', async () => {
  const { media, id, status } = await start({ choices: { session: { readyMs: null } } })
  await media.control.clock.advance(60_000)
  expect(await status()).toBe('NOT_READY')
  media.control.moveSession(id, 'READY')
  expect(await status()).toBe('READY')
})

it('a real-time session requires an existing avatar and the documented model', async () => {
  await using media = await startMedia()
  const avatarId = await addAvatar(media)
  const create = (json: object) => statusOf(media, '/v1/realtime_sessions', json)
  expect(await create({ avatarId, model: 'gwm1_avatars' })).toBe(200)
  expect(media.state.sessions).toMatchObject([{ avatarId }])
  expect(await create({ avatarId: 'nothing' })).toBe(400)
  expect(await create({ model: 'gen4.5' })).toBe(400)
  expect(await statusOf(media, '/v1/realtime_sessions/nothing')).toBe(404)
  expect(await statusOf(media, '/v1/realtime_sessions/nothing/consume', undefined, 'POST')).toBe(404)
  await using other = await startMedia({
    choices: { readBody: ({ body: { avatar } }) => ({ avatarId: String(avatar) }) },
  })
  expect(await statusOf(other, '/v1/realtime_sessions', { avatar: 'nothing' })).toBe(400)
})
