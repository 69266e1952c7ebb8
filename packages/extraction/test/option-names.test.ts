import { expect, it, vi } from 'vitest'

import { Extraction } from '../src/client.ts'
import { webhookReceiver } from '../src/webhook.ts'
import { invoice, offline, rejection } from './support.ts'

const baseUrl = 'https://extraction.example'

it('on a host without environment variables, fromEnv names the one to set', () => {
  const withoutProcess = () => {
    vi.stubGlobal('process', undefined)
    try {
      return Extraction.fromEnv()
    } finally {
      vi.unstubAllGlobals()
    }
  }
  expect(withoutProcess).toThrow(/EXTRACTION_BASE_URL/)
})

it('an unusable base URL is rejected by the name of its option', () => {
  expect(() => new Extraction({ baseUrl: 'extraction.example' })).toThrow(/^`baseUrl` /)
})

it.each([
  [{ rpm: 60 }, 'polling.rpm'],
  [{ job: { intervalMs: 100 } }, 'polling.job.intervalMs'],
  [{ optimization: { statuses: { done: ['x'] } } }, 'polling.optimization.statuses.done'],
  ['fast', 'polling'],
])('unknown option names are rejected in the polling of a client: %j', (polling, option) => {
  expect(() => new Extraction({ baseUrl, polling: polling as never })).toThrow(
    expect.objectContaining({ code: 'invalid-options', option }),
  )
})

it('unknown option names are rejected in submissions, before anything is sent', async () => {
  const { extraction, emulator } = await offline()
  const submit = (options: unknown) => rejection(extraction.submit({ file: invoice }, options as never))
  expect(await submit({ timeout: 5 })).toMatchObject({ option: 'timeout' })
  expect(await submit({ polling: { minDelay: 5 } })).toMatchObject({ option: 'polling.minDelay' })
  const optimize = extraction.optimize({} as never, { pollling: {} } as never)
  expect(await rejection(optimize)).toMatchObject({
    option: 'pollling',
    remedy: expect.stringContaining('Did you mean `polling`?'),
  })
  expect(emulator.extraction.state.jobs).toEqual([])
})

it('unknown option names are rejected in handles from ids and tokens', async () => {
  const { extraction } = await offline()
  const wrong = { field: 1 } as never
  const token = extraction.job('a').resumeToken()
  const run = extraction.optimization('a').resumeToken()
  for (const make of [
    () => extraction.job('a', wrong),
    () => extraction.resume(token, wrong),
    () => extraction.optimization('a', wrong),
    () => extraction.optimizationFrom(run, wrong),
  ])
    expect(make).toThrow(expect.objectContaining({ option: 'field' }))
})

it('unknown option names are rejected in waits and in text()', async () => {
  const { extraction } = await offline()
  const job = await extraction.submit({ file: invoice })
  expect(await rejection(job.wait({ timeout: '5m' } as never))).toMatchObject({ option: 'timeout' })
  expect(await rejection(job.wait(5 as never))).toMatchObject({ option: 'options' })
  const done = await job.wait()
  expect(await rejection(done.text({ singal: 1 } as never))).toMatchObject({ option: 'singal' })
})

it('unknown option names are rejected in the receiver of webhooks', async () => {
  const { extraction } = await offline()
  const onJob = () => undefined
  expect(() => webhookReceiver(extraction, { onJob, expectin: () => true } as never)).toThrow(
    'Unknown option `expectin`. Did you mean `expecting`?',
  )
  expect(() => webhookReceiver(extraction, undefined as never)).toThrow('The options must be an object.')
})

it('unknown option names are rejected in device authorization, before a code is requested', async () => {
  const { extraction, emulator } = await offline()
  const options = { onPrompt: () => undefined, save: () => undefined, agentNam: 'me' }
  expect(await rejection(extraction.authorizeDevice(options))).toMatchObject({
    option: 'agentNam',
    remedy: expect.stringContaining('Did you mean `agentName`?'),
  })
  expect(emulator.extraction.state.devices).toEqual([])
})
