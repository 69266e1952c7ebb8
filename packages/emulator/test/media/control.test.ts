import { expect, it } from 'vitest'

import { startMedia } from '../support/media.ts'

it('the control interface of media over HTTP has a command for each method', async () => {
  await using media = await startMedia({ tier: 5 }, { control: true })
  const command = async (name: string, json: object = {}) => {
    const response = await media.call(`/_control/${name}`, { json })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const done = { status: 200, body: { done: true } }
  const script = { outcome: 'hold', in: 'PENDING', operation: ['textToImage'], times: 3 }
  expect(await command('script-tasks', script)).toEqual(done)
  const [succeeding, failing, advancing] = [await media.submit(), await media.submit(), await media.submit()]
  expect(await command('complete-task', { id: succeeding })).toEqual(done)
  expect(await command('fail-task', { id: failing, failure: 'INTERNAL' })).toEqual(done)
  expect(await command('advance-task', { id: advancing })).toEqual(done)
  const { tasks } = media.state
  expect(tasks).toMatchObject([
    { status: 'SUCCEEDED' },
    { status: 'FAILED', failure: 'INTERNAL' },
    { status: 'RUNNING' },
  ])
  const taskIds = [succeeding, failing, advancing]
  expect((await command('submissions')).body).toMatchObject([{ arrivals: 3, taskIds }])
  const [{ url } = { url: '' }] = tasks[0]!.outputs
  expect(await command('expire-outputs', { id: succeeding })).toEqual(done)
  expect((await media.call(url)).status).toBe(403)
  expect(await command('expire-outputs')).toEqual(done)

  const { id } = await media.json<{ id: string }>('/v1/realtime_sessions', { json: {} })
  expect(await command('move-session', { id, status: 'READY' })).toEqual(done)
  expect(media.state.sessions).toMatchObject([{ status: 'READY' }])
  expect((await command('move-session', { id, status: 'DONE' })).status).toBe(400)
  expect((await command('add-secret', { secret: 'other' })).body).toEqual({ apiSecret: 'other' })
  expect(await command('set-organization', { tier: 3, credits: 12 })).toEqual(done)
  expect((await command('state')).body).toMatchObject({ organizations: [{ tier: '3', credits: 12 }] })
  expect(await command('set-organization', { tier: 9 })).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('Unknown tier `9`') },
  })
})

it('faults of media can be for files and uploads, but not for unknown pages', async () => {
  await using media = await startMedia()
  const operation = ['page:output', 'page:upload']
  media.control.faults.add({ kind: 'status', status: 503, operation, times: 2 })
  const { uploadUrl } = await media.json<{ uploadUrl: string }>('/v1/uploads', { json: {} })
  expect((await media.call(uploadUrl, { method: 'PUT', body: 'a' })).status).toBe(503)
  const id = await media.submit()
  await media.control.clock.advance(4_000)
  const { output = [] } = await media.task(id)
  expect((await media.call(output[0]!)).status).toBe(503)
  expect((await media.call(output[0]!)).status).toBe(200)
  expect(() => media.control.faults.add({ kind: 'reset', when: 'after', operation: 'page:preview' })).toThrow(
    'unknown operation `page:preview`',
  )
})

it('the media emulator shows its state without secrets', async () => {
  await using media = await startMedia()
  const { uploadUrl } = await media.json<{ uploadUrl: string }>('/v1/uploads', { json: {} })
  const { id } = await media.json<{ id: string }>('/v1/realtime_sessions', { json: {} })
  await media.control.clock.advance(2_000)
  const path = `/v1/realtime_sessions/${id}/consume`
  const { token } = await media.json<{ token: string }>(path, { method: 'POST' })
  const text = JSON.stringify(media.state)
  for (const secret of [media.apiSecret, token, uploadUrl]) expect(text).not.toContain(secret)
})
