import { expect, it } from 'vitest'

import { PLANS } from '../../src/index.ts'
import { pdfFile, pngFile, startExtraction, UNLIMITED } from '../support/extraction.ts'

it.each(['free', 'pro', 'scale'] as const)(
  'a file larger than the %s plan allows gets a 413',
  async (plan) => {
    await using service = await startExtraction({ plan, choices: { sizes: { megabyteBytes: 1_000 } } })
    const limit = PLANS[plan].maxFileMb * 1_000
    const file = (bytes: number) => {
      const content = new Uint8Array(bytes)
      content.set(Uint8Array.of(0xff, 0xd8, 0xff))
      return new File([content], 'a.jpg')
    }
    expect((await service.submit({ file: file(limit) })).status).toBe(200)
    const tooLarge = await service.submit({ file: file(limit + 1) })
    expect(tooLarge.status).toBe(413)
    expect(await tooLarge.json()).toEqual({
      detail: expect.stringContaining(`${PLANS[plan].maxFileMb} MB`),
    })
  },
)

it('a much larger body gets a 413 once it was read to its end', async () => {
  await using service = await startExtraction({ plan: UNLIMITED })
  let sent = 0
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (sent >= 200) controller.close()
      else controller.enqueue(new Uint8Array(100_000))
      sent++
    },
  })
  const request = new Request(`${service.emulator.extraction.baseUrl}/v1/process`, {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { 'x-api-key': service.apiKey, 'content-type': 'multipart/form-data; boundary=x' },
  } as RequestInit)
  const response = await service.emulator.extraction.fetch(request)
  expect(response.status).toBe(413)
  expect(sent).toBe(201)
})

it('the limit of a file counts a MB as a million bytes, or as chosen', async () => {
  await using decimal = await startExtraction({ plan: UNLIMITED })
  await using service = await startExtraction({
    plan: UNLIMITED,
    choices: { sizes: { megabyteBytes: 1_048_576 } },
  })
  const picture = pngFile('a.png')
  const padded = new File([picture, new Uint8Array(1_048_576 - picture.size)], 'a.png')
  expect((await service.submit({ file: padded })).status).toBe(200)
  expect((await decimal.submit({ file: padded })).status).toBe(413)
})

it('a JSON body larger than the chosen limit gets a 413', async () => {
  await using service = await startExtraction({ choices: { sizes: { jsonBytes: 100 } } })
  const response = await service.call('/v1/optimize', { json: { name: 'x'.repeat(200) } })
  expect(response.status).toBe(413)
  expect(await response.json()).toEqual({ detail: 'The body is larger than 100 bytes.' })
})

it('a document with too many pages gets a 429 with an object that has the limit', async () => {
  await using service = await startExtraction({ plan: { ...UNLIMITED, name: 'free', pagesPerDocument: 2 } })
  expect((await service.submit({ file: await pdfFile(['1'], ['2']) })).status).toBe(200)
  const response = await service.submit({ file: await pdfFile(['1'], ['2'], ['3']) })
  expect(response.status).toBe(429)
  expect(await response.json()).toEqual({
    detail: {
      error: 'page_count_exceeded',
      message: expect.any(String),
      page_count: 3,
      max_pages: 2,
      plan: 'free',
    },
  })
})

it('a document over the monthly quota gets a 429 with a message, until the next cycle', async () => {
  await using service = await startExtraction({ plan: { ...UNLIMITED, pagesPerMonth: 3 } })
  const file = await pdfFile(['1'], ['2'])
  expect((await service.submit({ file })).status).toBe(200)
  const response = await service.submit({ file })
  expect(response.status).toBe(429)
  expect(await response.json()).toEqual({ detail: 'The monthly page quota of 3 pages is exceeded.' })
  expect((await service.submit({ file: pngFile() })).status).toBe(200)
  await service.control.clock.advance(27 * 24 * 3_600_000)
  expect((await service.submit({ file })).status).toBe(200)
})

it('`errorResponse` can send the object for the quota, too, with any numbers', async () => {
  await using service = await startExtraction({
    plan: { ...UNLIMITED, pagesPerMonth: 4 },
    choices: {
      errorResponse: ({ message, facts: { documentPages = 0, limit } }) => {
        const pages = { page_count: documentPages * 10, max_pages: limit }
        return { body: { detail: { error: 'page_count_exceeded', message, ...pages, plan: 'Free plan' } } }
      },
    },
  })
  await service.submit({ file: await pdfFile(['1'], ['2'], ['3']) })
  const response = await service.submit({ file: await pdfFile(['1'], ['2']) })
  expect(await response.json()).toEqual({
    detail: {
      error: 'page_count_exceeded',
      message: 'The monthly page quota of 4 pages is exceeded.',
      page_count: 20,
      max_pages: 4,
      plan: 'Free plan',
    },
  })
})

it('a document over the quota fails its job if pages are counted on completion', async () => {
  await using service = await startExtraction({
    plan: { ...UNLIMITED, pagesPerMonth: 3 },
    choices: { quota: { counted: 'completed' } },
  })
  const file = await pdfFile(['1'], ['2'])
  await service.submit({ file })
  await service.submit({ file })
  await service.control.clock.advance(4_000)
  const { jobs, keys } = service.emulator.extraction.state
  expect(jobs.map((job) => job.status)).toEqual(['completed', 'failed'])
  expect(jobs[1]?.error).toContain('quota')
  expect(keys[0]?.pagesUsed).toBe(2)
})

it('the request rate of the free plan denies the eleventh call in a minute, until the window has moved on', async () => {
  await using service = await startExtraction({ plan: 'free' })
  for (let call = 0; call < 10; call++) {
    expect((await service.call('/v1/blueprints/')).status).toBe(200)
    await service.control.clock.advance(1_000)
  }
  const denied = await service.call('/v1/blueprints/')
  expect(denied.status).toBe(429)
  expect(await denied.json()).toEqual({ detail: 'The request rate of 10 requests a minute is exceeded.' })
  expect(denied.headers.has('retry-after')).toBe(false)
  await service.control.clock.advance(49_999)
  expect((await service.call('/v1/blueprints/')).status).toBe(429)
  await service.control.clock.advance(1)
  expect((await service.call('/v1/blueprints/')).status).toBe(200)
  expect((await service.call('/v1/blueprints/')).status).toBe(429)
})

it('the request rate counts each key separately, and no public operations', async () => {
  await using service = await startExtraction({
    plan: { ...UNLIMITED, requestsPerMinute: 1 },
    apiKeys: ['key-one', 'key-two'],
  })
  expect((await service.call('/v1/blueprints/')).status).toBe(200)
  expect((await service.call('/v1/blueprints/')).status).toBe(429)
  expect((await service.call('/v1/blueprints/', { key: 'key-two' })).status).toBe(200)
  for (let call = 0; call < 3; call++)
    expect((await service.call('/v1/pipelines', { key: '' })).status).toBe(200)
})

it('`rateScope` can count all keys together', async () => {
  await using service = await startExtraction({
    apiKeys: ['key-one', 'key-two'],
    choices: { rateScope: (account) => account && { name: 'one person', requestsPerMinute: 2 } },
  })
  const status = async (key: string) => (await service.call('/v1/blueprints/', { key })).status
  expect([await status('key-one'), await status('key-two')]).toEqual([200, 200])
  expect([await status('key-one'), await status('key-two')]).toEqual([429, 429])
  expect((await service.call('/v1/pipelines', { key: '' })).status).toBe(200)
  service.control.reset()
  expect(await status('key-two')).toBe(200)
})

it('`rateScope` can count by IP address, including public operations', async () => {
  await using service = await startExtraction({
    choices: {
      rateScope: (_, operation) =>
        operation === 'createDeviceCode' ? undefined : { name: 'address', requestsPerMinute: 2 },
    },
  })
  const post = (path: string, json: object) => service.call(path, { json, key: '' })
  expect((await service.call('/v1/blueprints/')).status).toBe(200)
  expect((await service.call('/v1/pipelines', { key: '' })).status).toBe(200)
  const denied = await service.call('/v1/pipelines', { key: '' })
  expect(denied.status).toBe(429)
  expect(await denied.json()).toEqual({ detail: 'The request rate of 2 requests a minute is exceeded.' })
  expect((await post('/v1/agent/device/token', { device_code: 'any' })).status).toBe(429)
  expect((await service.call('/v1/preview/any', { key: '' })).status).toBe(429)
  expect((await service.call('/v1/blueprints/')).status).toBe(429)
  expect((await post('/v1/agent/device/code', {})).status).toBe(200)
  expect(service.control.violations()).toEqual([])
})

it('the request rate has the chosen window, scope and Retry-After', async () => {
  await using service = await startExtraction({
    plan: { ...UNLIMITED, requestsPerMinute: 1 },
    choices: {
      rateScope: (account, operation) =>
        account && operation !== 'listBlueprints'
          ? { name: account.key, requestsPerMinute: 1, window: 'fixed' }
          : undefined,
      errorResponse: ({ facts: { waitMs = 0 } }) => ({
        headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
      }),
    },
  })
  await service.control.clock.advance(45_000)
  expect((await service.call('/v1/optimize', { json: {} })).status).toBe(200)
  expect((await service.call('/v1/blueprints/')).status).toBe(200)
  const denied = await service.call('/v1/optimize', { json: {} })
  expect(denied.status).toBe(429)
  expect(denied.headers.get('retry-after')).toBe('15')
  await service.control.clock.advance(15_000)
  expect((await service.call('/v1/optimize', { json: {} })).status).toBe(200)
})

const names = ['per-month', 'remaining', 'used'].map((name) => `x-emulator-pages-${name}`)
const read = (response: Response) =>
  [...names, 'x-emulator-quota-resets-at'].map((name) => response.headers.get(name))

it('the four quota headers are in every response: successes, errors, public operations, pages and unknown paths', async () => {
  await using service = await startExtraction({ plan: 'free' })
  await service.submit({ file: await pdfFile(['1'], ['2']) })
  const resetsAt = String(Date.UTC(2026, 1, 1) / 1_000)
  expect(read(await service.call('/v1/blueprints/'))).toEqual(['2000', '1998', '2', resetsAt])
  expect(read(await service.call('/v1/jobs/unknown'))).toEqual(['2000', '1998', '2', resetsAt])
  for (const path of ['/v1/pipelines', '/v1/blueprints/', '/nowhere', '/device'])
    expect(read(await service.call(path, { key: '' })), path).toEqual(['0', '0', '0', resetsAt])
})

it('the four quota headers have the chosen names', async () => {
  await using service = await startExtraction({
    choices: {
      quota: {
        headers: ({ plan, used }) => ({ 'x-used': String(used), 'x-plan': plan?.name ?? 'none' }),
      },
    },
  })
  const response = await service.call('/v1/pipelines', { key: '' })
  expect(response.headers.get('x-used')).toBe('0')
  expect(response.headers.get('x-plan')).toBe('none')
  expect(response.headers.has('x-emulator-pages-per-month')).toBe(false)
})

it('the four quota headers end the cycle at `quota.nextCycleAt`', async () => {
  await using service = await startExtraction({
    plan: 'free',
    choices: { quota: { nextCycleAt: (now) => now + 1_000 } },
  })
  await service.start()
  const start = service.emulator.extraction.state.now
  expect(read(await service.call('/v1/blueprints/')).slice(2)).toEqual(['1', String(start / 1_000 + 1)])
  await service.control.clock.advance(1_000)
  expect(read(await service.call('/v1/blueprints/')).slice(2)).toEqual(['0', String(start / 1_000 + 2)])
})

it('the four quota headers follow what the control interface sets', async () => {
  await using service = await startExtraction()
  service.control.setAccount(service.apiKey, { plan: 'free', pagesUsed: 1_999 })
  expect(read(await service.call('/v1/blueprints/')).slice(0, 3)).toEqual(['2000', '1', '1999'])
  expect((await service.submit({ file: await pdfFile(['1'], ['2']) })).status).toBe(429)
  const key = service.control.addKey({ plan: 'scale' })
  expect(read(await service.call('/v1/blueprints/', { key }))[0]).toBe('1000000')
  expect(() => service.control.setAccount('unknown', {})).toThrow('Unknown API key')
})
