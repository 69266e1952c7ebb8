import { expect, it } from 'vitest'

import type { Fault } from '../../src/index.ts'
import { pdfFile, pngFile, startExtraction } from '../support/extraction.ts'

const path = '/v1/blueprints/'

it('a fault happens to the named operation, the given number of times, after the skipped requests', async () => {
  await using service = await startExtraction()
  service.control.faults.add({
    kind: 'status',
    status: 503,
    operation: 'listBlueprints',
    times: 2,
    skip: 1,
  })
  const statuses: number[] = []
  for (let call = 0; call < 5; call++) statuses.push((await service.call(path)).status)
  expect(statuses).toEqual([200, 503, 503, 200, 200])
  expect((await service.call('/v1/pipelines')).status).toBe(200)
  expect(service.control.faults.list()).toEqual([])
  expect(service.control.requests().map(({ faults }) => faults.length)).toEqual([0, 1, 1, 0, 0, 0])
})

it("a fault with a probability happens by the emulator's own random source", async () => {
  const run = async (seed: string) => {
    await using service = await startExtraction({}, { seed })
    service.control.faults.add({ kind: 'status', status: 500, probability: 0.3, times: 'always' })
    const statuses: number[] = []
    for (let call = 0; call < 60; call++) statuses.push((await service.call('/v1/pipelines')).status)
    return statuses
  }
  const first = await run('one')
  const failures = first.filter((status) => status === 500).length
  expect(failures).toBeGreaterThan(5)
  expect(failures).toBeLessThan(40)
  expect(await run('one')).toEqual(first)
  expect(await run('two')).not.toEqual(first)
})

it('faults can be removed one by one', async () => {
  await using service = await startExtraction()
  const { faults } = service.control
  const first = faults.add({ kind: 'status', status: 500, times: 'always' })
  const second = faults.add({ kind: 'status', status: 502, times: 'always' })
  expect((await service.call(path)).status).toBe(500)
  first.remove()
  expect((await service.call(path)).status).toBe(502)
  expect(faults.list()).toEqual([
    { id: second.id, fault: expect.objectContaining({ status: 502 }), happened: 1 },
  ])
  faults.clear(second.id)
  expect((await service.call(path)).status).toBe(200)
})

it('a status fault replaces the response with a status, body and headers, before or after the request is handled', async () => {
  await using service = await startExtraction()
  const { faults } = service.control
  faults.add({
    kind: 'status',
    status: 429,
    headers: { 'retry-after': '7' },
    body: { detail: 'slow down' },
  })
  const file = await pdfFile(['Hello'])
  const denied = await service.submit({ file })
  expect([denied.status, denied.headers.get('retry-after'), await denied.json()]).toEqual([
    429,
    '7',
    { detail: 'slow down' },
  ])
  expect(service.emulator.extraction.state.jobs).toHaveLength(0)
  faults.add({ kind: 'status', status: 500, handled: true })
  const lost = await service.submit({ file })
  expect([lost.status, await lost.json()]).toEqual([500, { detail: 'An injected fault sent this 500.' }])
  expect(service.emulator.extraction.state.jobs).toHaveLength(1)
  faults.add({ kind: 'status', status: 503, body: 'busy', headers: { 'content-type': 'text/plain' } })
  const text = await service.call(path)
  expect([text.headers.get('content-type'), await text.text()]).toEqual(['text/plain', 'busy'])
  faults.add({ kind: 'status', status: 204 })
  expect((await service.call(path)).body).toBeNull()
})

it('a latency fault delays a request on the clock, unless the caller gives up', async () => {
  await using service = await startExtraction()
  service.control.faults.add({ kind: 'latency', delayMs: 1_000, times: 2 })
  let done = false
  const slow = service.call(path).finally(() => (done = true))
  await service.control.clock.advance(999)
  expect(done).toBe(false)
  await service.control.clock.advance(1)
  expect((await slow).status).toBe(200)
  const aborter = new AbortController()
  const abandoned = service.call(path, { signal: aborter.signal })
  aborter.abort(new Error('enough'))
  await expect(abandoned).rejects.toThrow('enough')
})

it('a latency fault with `upToMs` delays a request by a random time', async () => {
  await using service = await startExtraction({}, { random: () => 0.5 })
  service.control.faults.add({ kind: 'latency', delayMs: 100, upToMs: 200, probability: 0.6 })
  let done = false
  const slow = service.call(path).finally(() => (done = true))
  await service.control.clock.advance(149)
  expect(done).toBe(false)
  await service.control.clock.advance(1)
  await slow
})

it('a reset fault throws ECONNRESET in process, before the request is seen or after it is handled', async () => {
  await using service = await startExtraction()
  const file = await pdfFile(['Hello'])
  service.control.faults.add({ kind: 'reset', when: 'before' })
  await expect(service.submit({ file })).rejects.toMatchObject({
    code: 'ECONNRESET',
    phase: 'before',
    requestSeen: false,
  })
  expect(service.emulator.extraction.state.jobs).toHaveLength(0)
  service.control.faults.add({ kind: 'reset', when: 'after' })
  await expect(service.submit({ file })).rejects.toMatchObject({
    code: 'ECONNRESET',
    phase: 'after',
    requestSeen: true,
  })
  expect(service.emulator.extraction.state.jobs).toHaveLength(1)
})

it('a reset fault in the middle of the body sends half of it, and then an error', async () => {
  await using service = await startExtraction()
  const whole = await (await service.call('/v1/pipelines')).text()
  service.control.faults.add({ kind: 'reset', when: 'mid-body' })
  const response = await service.call('/v1/pipelines')
  expect([response.status, response.headers.get('content-length')]).toEqual([200, String(whole.length)])
  const reader = response.body?.getReader()
  const first = await reader?.read()
  expect(new TextDecoder().decode(first?.value)).toBe(whole.slice(0, Math.ceil(whole.length / 2)))
  await expect(reader?.read()).rejects.toMatchObject({ code: 'ECONNRESET', phase: 'mid-body' })
})

it('a reset fault in the middle of the body breaks an empty body, too', async () => {
  await using service = await startExtraction({ choices: { recognizeImage: () => ({ text: '' }) } })
  await service.process({ file: pngFile() })
  const [job] = service.emulator.extraction.state.jobs
  service.control.faults.add({ kind: 'reset', when: 'mid-body' })
  const response = await service.call(`/files/${job?.previewToken}/text.md`)
  await expect(response.text()).rejects.toMatchObject({ phase: 'mid-body' })
})

it('a stall fault holds a request until the caller gives up or the emulator closes', async () => {
  const service = await startExtraction()
  const aborter = new AbortController()
  service.control.faults.add({ kind: 'stall', when: 'before' })
  const stalled = service.call(path, { signal: aborter.signal })
  aborter.abort(new Error('enough'))
  await expect(stalled).rejects.toThrow('enough')
  service.control.faults.add({ kind: 'stall', when: 'before' })
  service.control.faults.add({ kind: 'stall', when: 'mid-body' })
  const forever = service.call(path)
  const half = await service.call(path)
  const [closedBefore, closedInside] = [
    expect(forever).rejects.toThrow('The emulator was closed while it responded.'),
    expect(half.text()).rejects.toThrow(),
  ]
  await service.emulator.close()
  await closedBefore
  await closedInside
  await expect(service.call(path)).rejects.toMatchObject({ code: 'closed' })
})

it('truncate and body faults change the body', async () => {
  await using service = await startExtraction()
  const whole = await (await service.call('/v1/pipelines')).text()
  service.control.faults.add({ kind: 'truncate', keep: 0.25 })
  const cut = await service.call('/v1/pipelines')
  expect(await cut.text()).toBe(whole.slice(0, Math.floor(whole.length / 4)))
  service.control.faults.add({ kind: 'body', body: '<h1>Welcome</h1>' })
  const page = await service.call('/v1/pipelines')
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
    200,
    'text/html; charset=utf-8',
    '<h1>Welcome</h1>',
  ])
  service.control.faults.add({
    kind: 'body',
    body: '{"ok":false}',
    contentType: 'application/json',
    status: 202,
  })
  const wrong = await service.call('/v1/pipelines')
  expect([wrong.status, await wrong.json()]).toEqual([202, { ok: false }])
})

it('faults apply to files and pages, too', async () => {
  await using service = await startExtraction({ choices: { sizes: { textUrlAboveBytes: 1 } } })
  const job = await service.process({ file: await pdfFile(['Hello']) })
  service.control.faults.add({ kind: 'status', status: 403, operation: ['page:text', 'page:preview'] })
  expect((await service.call(job.result?.text_url ?? '')).status).toBe(403)
  expect((await service.call(job.result?.text_url ?? '')).status).toBe(200)
})

it.each<[object, string]>([
  [{ kind: 'explode' }, '`kind` must be one of'],
  [{ kind: 'status', status: 99 }, '`status` must be'],
  [
    { kind: 'status', status: 500, operation: 'getNothing' },
    'unknown operation `getNothing`. Valid operations: ',
  ],
  [{ kind: 'status', status: 500, times: 0 }, '`times` must be'],
  [{ kind: 'status', status: 500, skip: -1 }, '`skip` must be'],
  [{ kind: 'status', status: 500, probability: 2 }, '`probability` must be'],
  [{ kind: 'latency', delayMs: 5, upToMs: 4 }, '`delayMs` must be'],
  [{ kind: 'reset', when: 'later' }, '`when` must be'],
  [{ kind: 'stall', when: 'after' }, '`when` must be'],
  [{ kind: 'truncate', keep: 1 }, '`keep` must be'],
  [{ kind: 'body' }, '`body` must be a string'],
  [{ kind: 'webhook-duplicate', copies: 0 }, '`copies` must be'],
])('the invalid fault %j is rejected', async (fault, reason) => {
  await using service = await startExtraction()
  expect(() => service.control.faults.add(fault as Fault)).toThrow(reason)
})
