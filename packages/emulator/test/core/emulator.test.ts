import { virtualClock } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { createEmulator, frozenClock, type Clock } from '../../src/index.ts'
import { pdfFile, startExtraction, toForm, type TestJob } from '../support/extraction.ts'

it('an emulator generates the same keys and identifiers for the same seed, and different ones for another seed', async () => {
  const run = async (seed: string) => {
    await using service = await startExtraction({}, { seed })
    const job = await service.process({ file: await pdfFile(['Hello']) })
    const code = await service.json('/v1/agent/device/code', { json: {} })
    return { apiKey: service.apiKey, id: job.id, preview: job.preview_url, code: code['user_code'] }
  }
  const first = await run('a')
  expect(await run('a')).toEqual(first)
  expect(await run('b')).not.toEqual(first)
})

it('an emulator generates different keys without a seed', async () => {
  await using one = await createEmulator()
  await using two = await createEmulator()
  expect(one.extraction.apiKey).not.toBe(two.extraction.apiKey)
})

it('an emulator accepts the same arguments as the global fetch', async () => {
  await using emulator = await createEmulator()
  const { fetch, baseUrl } = emulator.extraction
  const address = `${baseUrl}/v1/pipelines`
  for (const input of [address, new URL(address), new Request(address)])
    expect((await fetch(input)).status).toBe(200)
  const aborted = fetch(address, { signal: AbortSignal.abort(new Error('too late')) })
  await expect(aborted).rejects.toThrow('too late')
})

it('an emulator does not respond to a caller that has aborted', async () => {
  await using service = await startExtraction()
  const aborter = new AbortController()
  const submitted = service.submit({ file: await pdfFile(['Hello']) }, { signal: aborter.signal })
  aborter.abort(new Error('enough'))
  await expect(submitted).rejects.toThrow('enough')
})

it('an emulator shares a virtual clock with its caller, so that minutes pass immediately', async () => {
  using clock = virtualClock()
  await using emulator = await createEmulator({
    clock,
    extraction: { choices: { courseOf: () => ({ queuedMs: 60_000, processingMs: 120_000 }) } },
  })
  const { fetch, baseUrl, apiKey } = emulator.extraction
  const headers = { 'x-api-key': apiKey }
  const body = toForm({ file: await pdfFile(['Hello']) })
  const { id } = (await (
    await fetch(`${baseUrl}/v1/process`, { method: 'POST', headers, body })
  ).json()) as TestJob
  const seen: string[] = []
  for (let poll = 0; poll < 20 && seen.at(-1) !== 'completed'; poll++) {
    await new Promise<void>((resolve) => clock.setTimer(resolve, 10_000))
    const job = (await (await fetch(`${baseUrl}/v1/jobs/${id}`, { headers })).json()) as TestJob
    seen.push(job.status)
  }
  expect(seen.filter((status) => status === 'queued')).toHaveLength(5)
  expect(seen.at(-1)).toBe('completed')
  expect(clock.elapsedMs).toBeGreaterThanOrEqual(180_000)
  expect(clock.elapsedMs).toBeLessThanOrEqual(190_000)
})

it('an emulator tracks the work on each request and each job on a shared clock', async () => {
  let tracked = 0
  const clock: Clock = { ...frozenClock(), track: (work) => (tracked++, work) }
  await using service = await startExtraction({}, { clock })
  await service.call('/v1/pipelines')
  await service.call('/device')
  expect(tracked).toBe(2)
  await service.submit({ file: await pdfFile(['Hello']) })
  await service.control.clock.advance(4_000)
  expect(tracked).toBe(4)
})

it('an emulator leaves no timer behind when it is closed', async () => {
  let timers = 0
  const clock: Clock = {
    ...frozenClock(),
    setTimer() {
      timers++
      return { cancel: () => void timers-- }
    },
  }
  await using service = await startExtraction({}, { clock })
  await service.submit({ file: await pdfFile(['Hello']) })
  await service.call('/v1/optimize', { json: {} })
  expect(timers).toBe(1)
  await service.emulator.close()
  expect(timers).toBe(0)
})

it('an emulator continues while a latency fault waits for a shared virtual clock', async () => {
  using clock = virtualClock()
  await using emulator = await createEmulator({ clock })
  emulator.extraction.control.faults.add({ kind: 'latency', delayMs: 30_000 })
  expect((await emulator.extraction.fetch(`${emulator.extraction.baseUrl}/v1/pipelines`)).status).toBe(200)
  expect(clock.elapsedMs).toBe(30_000)
})

it('an emulator returns its state as a copy', async () => {
  await using service = await startExtraction()
  await service.process({ file: await pdfFile(['Hello']) })
  const { state } = service.emulator.extraction
  state.jobs[0]!.status = 'failed'
  expect(service.emulator.extraction.state.jobs[0]?.status).toBe('completed')
})
