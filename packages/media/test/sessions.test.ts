import { inspect } from 'node:util'

import type { ScriptStep } from '@concord/runtime/testing'
import { describe, expect, it } from 'vitest'

import { emulatorSessionAccess, SessionEndedError, type MediaOptions } from '../src/index.ts'
import { bodyOf, json, offline, rejection, scripted } from './support.ts'

const sessionAccess = emulatorSessionAccess
const own = { id: '/key', status: '/state/now' }

/** Returns a handle of a session, and the responses follow a script. */
function attached(steps: readonly [ScriptStep, ...ScriptStep[]], options: Partial<MediaOptions> = {}) {
  const client = scripted(steps, { sessionAccess, ...options })
  return { ...client, session: client.media.sessions.attach('a') }
}

describe('a real-time session', () => {
  it('waits until a session is READY, and returns its credentials once', async () => {
    const { media, emulator } = await offline({ sessionAccess })
    const session = await media.sessions.create({})
    expect(session.status).toBe('NOT_READY')
    await session.wait()
    expect(session.status).toBe('READY')
    const credentials = await session.consume()
    expect(credentials).toMatchObject({ token: expect.any(String) })
    expect(emulator.media.state.sessions).toMatchObject([{ id: session.id, consumed: true }])
    expect(await rejection(session.consume())).toMatchObject({ option: 'session' })
    expect(
      emulator.media.control.requests().filter(({ operationId }) => operationId === 'consumeRealtimeSession')
        .length,
    ).toBe(1)
    expect(inspect(session)).not.toContain('token')
  })

  it('reads a session from the fields that the caller names, since they are not documented', async () => {
    const { media, transport } = scripted([
      json({ key: 'k-1', state: { now: 'NOT_READY' } }),
      json({ key: 'k-1', state: { now: 'READY' } }),
    ])
    const session = await media.sessions.create({ anything: 1 }, { access: own })
    expect(session.id).toBe('k-1')
    expect(bodyOf(transport.requests[0])).toEqual({ anything: 1 })
    expect(JSON.parse(JSON.stringify(session))).toEqual({ id: 'k-1', status: 'NOT_READY' })
    expect(inspect(session)).toBe('SessionHandle {"id":"k-1","status":"NOT_READY"}')
    expect(await session.wait()).toEqual({ key: 'k-1', state: { now: 'READY' } })
    const again = media.sessions.resume(session.resumeToken(), { access: own })
    expect((await again.wait())['key']).toBe('k-1')
  })

  it('creates no session if the field of its status is unknown', async () => {
    const { media, transport } = scripted([json({ id: 'a', status: 'READY' })])
    expect(await rejection(media.sessions.create({}))).toMatchObject({
      option: 'sessionAccess',
      message: expect.stringContaining('`sessionAccess` is required'),
    })
    expect(() => media.sessions.attach('a')).toThrow(/sessionAccess/)
    expect(transport.requests).toEqual([])
    expect(() => media.sessions.attach('a', { access: {} as never })).toThrow(/`access` must.*JSON Pointers/)
  })

  it('polls a session as soon as it is attached, a second after its creation, and never if it was created READY', async () => {
    const states = (...names: readonly string[]) => names.map((status) => json({ id: 'a', status }))
    const polling = { firstDelayMs: 7_000, minDelayMs: 7_000, maxDelayMs: 7_000 }
    const waited = async (names: readonly string[], attach: boolean, own?: typeof polling) => {
      const [first, ...others] = states(...names)
      const { media, clock, transport } = scripted([first!, ...others], { sessionAccess })
      const options = own && { polling: own }
      const session = attach ? media.sessions.attach('a', options) : await media.sessions.create({}, options)
      expect(await session.wait()).toMatchObject({ status: 'READY' })
      return [transport.requests.length, clock.elapsedMs]
    }
    expect(await waited(['READY'], true)).toEqual([1, 0])
    expect(await waited(['NOT_READY', 'READY'], true, polling)).toEqual([2, 7_000])
    expect(await waited(['READY'], false)).toEqual([1, 0])
    expect(await waited(['NOT_READY', 'READY'], false)).toEqual([2, 1_000])
    expect(await waited(['NOT_READY', 'READY'], false, polling)).toEqual([2, 7_000])
  })

  it('waits for a session for 5 minutes until it is READY and 15 until COMPLETED, unless the client has other limits', async () => {
    const never = json({ id: 'a', status: 'NOT_READY' })
    const { media, transport } = scripted([never], { sessionAccess })
    const limit = (limitMs: number) => ({ code: 'deadline', limitMs, lastState: 'NOT_READY' })
    expect(await rejection(media.sessions.attach('a').wait())).toMatchObject(limit(300_000))
    // At most 5 s between two polls.
    expect(transport.requests.length).toBeGreaterThanOrEqual(60)
    const completed = media.sessions.attach('a').wait({ until: 'completed' })
    expect(await rejection(completed)).toMatchObject(limit(900_000))
    const own = scripted([never], { sessionAccess, polling: { session: { limit: '1m' } } })
    expect(await rejection(own.media.sessions.attach('a').wait())).toMatchObject(limit(60_000))
  })

  it('a session has no status if its field is not a string', async () => {
    const { media } = scripted([json({ id: 'a', status: 5 })], { sessionAccess })
    expect((await media.sessions.create({})).status).toBeUndefined()
  })

  it("polls a session at random moments, from the client's source of randomness", async () => {
    const waiting = json({ id: 'a', status: 'NOT_READY' })
    const polled = async (random: () => number) => {
      const ready = json({ id: 'a', status: 'READY' })
      const { session, clock } = attached([waiting, waiting, waiting, ready], { random })
      await session.wait()
      return clock.elapsedMs
    }
    expect(await polled(() => 0)).toBeLessThan(await polled(() => 0.99))
  })

  it('reports the polls of a session as events, and polls again on schedule after a failed one', async () => {
    const events: string[] = []
    const { session, clock } = attached([json({}, 503), json({ id: 'a', status: 'READY' })], {
      observe: ({ type }) => events.push(type),
      polling: { session: { minDelayMs: 20_000, maxDelayMs: 20_000 } },
    })
    await session.wait()
    expect(clock.elapsedMs).toBe(20_000)
    expect(events.filter((type) => type === 'poll')).toHaveLength(2)
  })

  it.each(['', 4, null])('rejects a new session whose id is %j', async (id) => {
    const { media } = scripted([json({ id, status: 'READY' })], { sessionAccess })
    expect(await rejection(media.sessions.create({}))).toMatchObject({
      code: 'contract-drift',
      operation: 'createRealtimeSession',
      data: { id },
    })
  })

  it('R-21: reports how many sessions a creation may have made after 504', async () => {
    const { media } = scripted([json({}, 504), json({ id: 's' })])
    const session = await media.sessions.create({ avatar: 'a' }, { access: emulatorSessionAccess })
    expect(session.possibleDuplicates).toBe(2)
    expect(media.sessions.attach('s', { access: emulatorSessionAccess }).possibleDuplicates).toBe(1)
  })

  it('the error for a session without an id in the named field contains the whole response', async () => {
    const { media, transport } = scripted([json({ key: 'k-1', state: 'NOT_READY' })], { sessionAccess })
    const error = await rejection(media.sessions.create({}))
    expect(error).toMatchObject({
      code: 'contract-drift',
      issues: [{ path: '/id' }],
      data: { key: 'k-1', state: 'NOT_READY' },
    })
    expect(String(error)).toMatch(/was created.*fields `key`, `state`.*attach/)
    expect(transport.requests.length).toBe(1)
  })

  it('reports drift at the named field if the status of a session is missing', async () => {
    const { media } = scripted([json({ key: 'k-1', state: 'READY' })])
    expect(await rejection(media.sessions.attach('k-1', { access: own }).wait())).toMatchObject({
      code: 'contract-drift',
      issues: [{ path: '/state/now' }],
    })
  })

  it.each([
    ['READY', 'COMPLETED', "until: 'completed'"],
    ['READY', 'FAILED', 'Create a new session'],
    ['READY', 'CANCELLED', 'Create a new session'],
    ['COMPLETED', 'FAILED', 'Create a new session'],
    ['COMPLETED', 'CANCELLED', 'Create a new session'],
  ])('rejects a wait for %s of a session that is %s', async (goal, status, advice) => {
    const { session } = attached([json({ id: 'a', status })])
    const error = await rejection(session.wait(goal === 'READY' ? {} : { until: 'completed' }))
    expect(SessionEndedError.is(error)).toBe(true)
    expect(error).toMatchObject({
      code: 'operation-failed',
      id: 'a',
      status,
      reason: status,
      advice: 'none',
      operation: 'getRealtimeSession',
      session: { id: 'a', status },
    })
    expect(String(error)).toContain(advice)
  })

  it('follows a session to its end, and the handle shows the newest status', async () => {
    const { media, emulator } = await offline({ sessionAccess })
    const session = await media.sessions.create({})
    await session.wait()
    expect(session.status).toBe('READY')
    await session.consume()
    const seen: unknown[] = []
    const ended = session.wait({ until: 'completed', onUpdate: ({ status }) => seen.push(status) })
    emulator.media.control.moveSession(session.id, 'RUNNING')
    expect(await ended).toMatchObject({ status: 'COMPLETED' })
    expect(seen.at(-1)).toBe('COMPLETED')
    expect(session.status).toBe('COMPLETED')
    expect(session.snapshot).toMatchObject({ status: 'COMPLETED' })
  })

  it('resolves a wait for the end of a session that is already COMPLETED, and ends its changes', async () => {
    const { session } = attached([json({ id: 'a', status: 'COMPLETED' })])
    expect(await session.wait({ until: 'completed' })).toMatchObject({ status: 'COMPLETED' })
    const seen = []
    for await (const { status } of session.changes({ until: 'completed' })) seen.push(status)
    expect(seen).toEqual(['COMPLETED'])
  })

  it('a wait for a session rejects an unknown goal', async () => {
    const { session } = attached([json({ id: 'a', status: 'READY' })])
    const error = await rejection(session.wait({ until: 'ended' as never }))
    expect(error).toMatchObject({ code: 'invalid-options', option: 'until' })
  })

  it('counts a session that is RUNNING as ready, because it was ready between two polls', async () => {
    const { session } = attached([json({ id: 'a', status: 'RUNNING' })])
    expect(await session.wait()).toMatchObject({ status: 'RUNNING' })
  })

  it.each<[string, ScriptStep, object]>([
    ['a 409', json({}, 409), { status: 409 }],
    ['a 429', json({}, 429), { status: 429 }],
    ['a 502', json({}, 502), { status: 502, code: 'submission-uncertain' }],
    ['a 503', json({}, 503), { status: 503, code: 'submission-uncertain' }],
    ['a 504', json({}, 504), { status: 504, code: 'submission-uncertain' }],
    ['a refused connection', 'refused', { code: 'connection' }],
    ['a lost response', 'lost', { code: 'submission-uncertain' }],
  ])(
    'R-20, R-21: never repeats consume automatically after %s, but can be consumed again until credentials were returned',
    async (_, first, error) => {
      const { session, transport } = attached([first, json({ token: 't' })])
      expect(await rejection(session.consume())).toMatchObject(error)
      expect(transport.requests.length).toBe(1)
      expect(await session.consume()).toEqual({ token: 't' })
      expect(String(await rejection(session.consume()))).toMatch(/already returned the credentials/)
      expect(transport.requests.length).toBe(2)
    },
  )

  it('rejects a second consume while the first one is in progress', async () => {
    const { session, transport } = attached([json({ token: 't' })])
    const first = session.consume()
    expect(String(await rejection(session.consume()))).toMatch(/in progress/)
    expect(await first).toEqual({ token: 't' })
    expect(transport.requests.length).toBe(1)
  })

  it('rejects maxAttempts for consume, which is sent once', async () => {
    const { session, transport } = attached([json({ token: 't' })])
    const error = await rejection(session.consume({ maxAttempts: 3 } as object))
    expect(error).toMatchObject({ code: 'invalid-options', option: 'maxAttempts' })
    expect(transport.requests).toEqual([])
  })
})

describe('avatars and documents', () => {
  const voice = { type: 'live-preset', presetId: 'clara' } as const
  const avatar = {
    name: 'Guide',
    referenceImage: 'https://assets.example/guide.png',
    voice,
    personality: 'brief',
  }

  it('creates, reads, changes and deletes avatars and documents', async () => {
    const { media, emulator } = await offline()
    const document = await media.documents.create({ content: '# Tides' })
    const documentId = String(document['id'])
    const made = await media.avatars.create({ ...avatar, documentIds: [documentId] })
    const id = String(made['id'])
    expect(await media.avatars.get(id)).toMatchObject(avatar)
    expect(await media.avatars.update(id, { name: 'Pilot' })).toMatchObject({ name: 'Pilot' })
    expect(await media.documents.get(documentId)).toMatchObject({ content: '# Tides' })
    await media.avatars.delete(id)
    await media.documents.delete(documentId)
    expect(emulator.media.state).toMatchObject({ avatars: [], documents: [] })
  })

  it('rejects misspelled fields of avatars before anything is sent, and takes undocumented ones in `fields`', async () => {
    const { media, transport } = scripted([json({ id: 'a' })])
    const wrong: [object, RegExp][] = [
      [{ personalty: 'brief' }, /personalty is not among the documented fields.*personality.*'fields'/],
      [{ voice: null }, /voice/],
      [{ voice: { type: 'live-preset', presetID: 'clara' } }, /voice\/presetID is not among.*presetId/],
      [
        { name: 'A', fields: { name: 'B' } },
        /fields\/name is also passed outside 'fields'; remove it from 'fields'/,
      ],
    ]
    for (const [given, why] of wrong) {
      expect(String(await rejection(media.avatars.create(given)))).toMatch(why)
      expect(String(await rejection(media.avatars.update('a', given)))).toMatch(why)
    }
    const image = { referenceImage: 'https://assets.example/a.png' } as object
    expect(String(await rejection(media.avatars.update('a', image)))).toMatch(/referenceImage is not among/)
    expect(transport.requests).toEqual([])
    await media.avatars.update('a', { name: 'Pilot', fields: { voice: { type: 'another' }, mood: 'calm' } })
    expect(bodyOf(transport.requests[0])).toEqual({
      name: 'Pilot',
      voice: { type: 'another' },
      mood: 'calm',
    })
  })

  it('a change may return no body, but a creation without a body is drift', async () => {
    const drift: unknown[] = []
    const empty = () => new Response(null, { status: 204 })
    const { media, transport } = scripted([empty, empty, empty, empty, json({ name: 'Pilot' })], {
      sessionAccess,
      onDrift: (report) => drift.push(report),
    })
    expect(await media.avatars.update('a', { name: 'Pilot' })).toBeUndefined()
    const returned = [{ path: '', reason: 'is missing' }]
    for (const [create, details] of [
      [() => media.avatars.create({ name: 'Guide' }), { operation: 'createAvatar', issues: returned }],
      [
        () => media.documents.create({ content: '# Tides' }),
        { operation: 'createDocument', issues: returned },
      ],
      [() => media.sessions.create({}), { message: expect.stringContaining('has no fields') as string }],
    ] as const)
      expect(await rejection(create())).toMatchObject({
        code: 'contract-drift',
        data: undefined,
        ...details,
      })
    expect(await media.avatars.update('a', { name: 'Pilot' })).toEqual({ name: 'Pilot' })
    expect(transport.requests.length).toBe(5)
    expect(drift).toEqual([])
  })

  it('takes bytes as the reference image of an avatar', async () => {
    const { media } = await offline()
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    expect(await media.avatars.create({ ...avatar, referenceImage: png })).toMatchObject({
      referenceImage: expect.stringMatching(/^data:image\/png;base64,/),
    })
    const error = await rejection(
      media.avatars.create({ ...avatar, referenceImage: 'http://a.example/b.png' }),
    )
    expect(error).toMatchObject({ code: 'invalid-request', operation: 'createAvatar' })
    expect(await rejection(media.avatars.create(undefined as never))).toMatchObject({
      code: 'invalid-request',
    })
  })
})
