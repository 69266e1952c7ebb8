import { describe, expect, it } from 'vitest'

import { readArguments } from '../../src/cli-options.ts'
import { systemClock } from '../../src/index.ts'
import { IMAGE, startMedia, type TestMedia } from '../support/media.ts'

/** Serves the media service with its control interface, and calls the commands. */
async function serve(media: TestMedia) {
  const served = await media.emulator.serve({ services: ['media'] })
  const { baseUrl, apiSecret } = served.media
  const command = async (name: string, values: object = {}) => {
    const response = await fetch(`${baseUrl}/_control/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(values),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const headers = { authorization: `Bearer ${apiSecret}`, 'x-service-version': '2024-11-06' }
  const submit = async () => {
    const response = await fetch(`${baseUrl}/v1/text_to_image`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(IMAGE),
    })
    return ((await response.json()) as { id: string }).id
  }
  const statusOf = async (id: string) => {
    const response = await fetch(`${baseUrl}/v1/tasks/${id}`, { headers })
    return ((await response.json()) as { status: string }).status
  }
  return { served, baseUrl, command, submit, statusOf, headers }
}

describe('the control interface over HTTP', () => {
  it('scripts, moves and counts tasks, and advances the clock', async () => {
    await using media = await startMedia({ tier: 5 }, { control: true })
    const { served, command, submit, statusOf } = await serve(media)
    await using _ = served
    expect(
      await command('script-tasks', { outcome: 'hold', in: 'PENDING', operation: ['textToImage'] }),
    ).toEqual({
      status: 200,
      body: { done: true },
    })
    const held = await submit()
    const usual = await submit()
    expect((await command('advance', { ms: 4_000 })).body).toEqual({ now: media.control.clock.now() })
    expect([await statusOf(held), await statusOf(usual)]).toEqual(['PENDING', 'SUCCEEDED'])
    await command('advance-task', { id: held })
    expect(await statusOf(held)).toBe('RUNNING')
    await command('fail-task', { id: held, failure: 'INTERNAL' })
    expect(await statusOf(held)).toBe('FAILED')
    await command('script-tasks', { outcome: 'manual' })
    const manual = await submit()
    await command('complete-task', { id: manual })
    expect(await statusOf(manual)).toBe('SUCCEEDED')
    expect((await command('submissions')).body).toMatchObject([
      { arrivals: 3, taskIds: [held, usual, manual] },
    ])
    expect((await command('state')).body).toMatchObject({ tasks: [{ failure: 'INTERNAL' }, {}, {}] })
  })

  it('expires links, moves sessions, adds secrets, changes the organization, and resets', async () => {
    await using media = await startMedia({}, { control: true })
    const { served, baseUrl, command, submit, headers } = await serve(media)
    await using _ = served
    const id = await submit()
    await command('advance', { ms: 4_000 })
    const [url = ''] = media.state.tasks[0]!.outputs.map((output) => output.url)
    expect((await fetch(url)).status).toBe(200)
    await command('expire-outputs', { id })
    expect((await fetch(url)).status).toBe(403)
    await submit()
    await command('advance', { ms: 4_000 })
    const other = media.state.tasks[1]!.outputs[0]!.url
    expect((await fetch(other)).status).toBe(200)
    expect((await command('expire-outputs')).status).toBe(200)
    expect((await fetch(other)).status).toBe(403)
    const created = await fetch(`${baseUrl}/v1/realtime_sessions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    })
    const session = (await created.json()) as { id: string }
    await command('move-session', { id: session.id, status: 'READY' })
    expect(media.state.sessions).toMatchObject([{ status: 'READY' }])
    expect((await command('move-session', { id: session.id, status: 'DONE' })).status).toBe(400)
    expect((await command('add-secret', { secret: 'other' })).body).toEqual({ apiSecret: 'other' })
    expect((await media.call('/v1/organization', { secret: 'other' })).status).toBe(200)
    await command('set-organization', { tier: 3, credits: 12 })
    expect(media.state.organizations).toMatchObject([{ tier: '3', credits: 12 }])
    expect(await command('set-organization', { tier: 9 })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('Unknown tier `9`') },
    })
    await command('reset')
    expect(media.state).toMatchObject({
      tasks: [],
      sessions: [],
      organizations: [{ tier: '1', credits: 10_000 }],
    })
  })
})

describe('faults', () => {
  it('include the 503s, lost responses and bursts of 429 that a batch has to survive', async () => {
    // A client that follows the contract: it retries after 429 and 5xx, which prove a denial, but not after a lost response.
    await using media = await startMedia({ choices: { tierLimits: () => ({ dailyGenerations: 1_000 }) } })
    const { faults } = media.control
    const generation = 'textToImage'
    faults.add({ kind: 'status', status: 429, operation: generation, skip: 100, times: 25 })
    faults.add({ kind: 'status', status: 503, operation: generation, probability: 0.05, times: 'always' })
    faults.add({ kind: 'reset', when: 'after', operation: generation, probability: 0.02, times: 'always' })
    let uncertain = 0
    let denied = 0
    const known: string[] = []
    for (let index = 0; index < 500; index++)
      for (;;) {
        const json = { ...IMAGE, promptText: `lighthouse ${index}` }
        const response = await media.call('/v1/text_to_image', { json }).catch((error: { code: string }) => {
          expect(error.code).toBe('ECONNRESET')
          uncertain++
        })
        if (!response) break
        if (response.ok) {
          known.push(((await response.json()) as { id: string }).id)
          break
        }
        denied++
      }
    faults.clear()
    await media.control.clock.advance(500 * 4_000)
    const counts = media.control.submissions()
    expect(counts).toHaveLength(500)
    expect(counts.every(({ arrivals, taskIds }) => arrivals === 1 && taskIds.length === 1)).toBe(true)
    expect([uncertain > 2, denied > 40, known.length + uncertain]).toEqual([true, true, 500])
    expect(media.state.tasks.every(({ status }) => status === 'SUCCEEDED')).toBe(true)
    expect(media.state.organizations).toMatchObject([{ credits: 10_000 - 500 * 2, generationsToday: 500 }])
  })

  it('can be for files and uploads, but not for unknown pages', async () => {
    await using media = await startMedia()
    media.control.faults.add({
      kind: 'status',
      status: 503,
      operation: ['page:output', 'page:upload'],
      times: 2,
    })
    const { uploadUrl } = await media.json<{ uploadUrl: string }>('/v1/uploads', { json: {} })
    expect((await media.call(uploadUrl, { method: 'PUT', body: 'a' })).status).toBe(503)
    const id = await media.submit()
    await media.control.clock.advance(4_000)
    const { output = [] } = await media.task(id)
    expect((await media.call(output[0]!)).status).toBe(503)
    expect((await media.call(output[0]!)).status).toBe(200)
    expect(() =>
      media.control.faults.add({ kind: 'reset', when: 'after', operation: 'page:preview' }),
    ).toThrow('page:preview is not one of')
  })
})

describe('the emulator', () => {
  it('accepts the tier and the credits of media on the command line', () => {
    const write = { out: () => {}, err: () => {} }
    const { set } = readArguments(['--set', 'media.tier=3', '--set', 'media.credits=7'], write)
    expect(set).toEqual({ media: { tier: 3, credits: 7 } })
  })

  it("runs tasks on the host's clock by default", async () => {
    await using media = await startMedia(
      { choices: { courseOf: () => ({ pendingMs: 5, runningMs: 5 }) } },
      { clock: systemClock },
    )
    const id = await media.submit()
    await expect.poll(async () => (await media.task(id)).status, { interval: 5 }).toBe('SUCCEEDED')
  })

  it('behaves the same for the same seed', async () => {
    const run = async () => {
      await using media = await startMedia()
      const id = await media.submit()
      await media.control.clock.advance(4_000)
      return [media.apiSecret, (await media.task(id)).output]
    }
    expect(await run()).toEqual(await run())
  })

  it('shows its state without secrets', async () => {
    await using media = await startMedia()
    const { uploadUrl } = await media.json<{ uploadUrl: string }>('/v1/uploads', { json: {} })
    const { id } = await media.json<{ id: string }>('/v1/realtime_sessions', { json: {} })
    await media.control.clock.advance(2_000)
    const { token } = await media.json<{ token: string }>(`/v1/realtime_sessions/${id}/consume`, {
      method: 'POST',
    })
    const text = JSON.stringify(media.state)
    for (const secret of [media.apiSecret, token, uploadUrl]) expect(text).not.toContain(secret)
  })
})
