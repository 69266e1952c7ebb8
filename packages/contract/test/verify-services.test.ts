/** The four services of this repository, served by the emulator. */
import { createEmulator, type ServedEmulator } from '@concord/emulator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { loadSpec, verify, verifyText, type VerifyOptions, type VerifyReport } from '../src/index.ts'

type Emulator = Awaited<ReturnType<typeof createEmulator>>
let emulator: Emulator
let served: ServedEmulator
beforeAll(async () => {
  emulator = await createEmulator({ seed: 'verify' })
  served = await emulator.serve()
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  await emulator[Symbol.asyncDispose]()
})

async function post(
  url: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  expect(response.status).toBeLessThan(300)
  return (await response.json()) as Record<string, unknown>
}

/** Calls every operation of a service, and then only those that read, in strict mode, which counts the others. */
async function both(
  service: string,
  options: Omit<VerifyOptions, 'spec'>,
): Promise<{ readonly everything: VerifyReport; readonly reading: VerifyReport }> {
  const spec = await loadSpec(service)
  const allow = spec.operations.map(({ id }) => id)
  const everything = await verify({ spec, allow, ...options })
  return { everything, reading: await verify({ spec, strict: true, ...options }) }
}

const failures = ({ operations }: VerifyReport): string[] =>
  operations.flatMap(({ operation, checks }) =>
    checks
      .filter(({ state }) => state === 'fail')
      .map(({ title, reasons }) => `${operation} ${title}: ${reasons.join()}`),
  )

/** @param least the least number of operations that succeed. An operation that is added may succeed, too. */
function expectHonest({ everything, reading }: Awaited<ReturnType<typeof both>>, least: number): void {
  expect(failures(everything)).toEqual([])
  expect(everything.coverage.operations).toBeGreaterThanOrEqual(least)
  expect(everything.passed, verifyText(everything)).toBe(true)
  expect(failures(reading)).toEqual([])
  expect(reading.passed).toBe(false)
  expect(reading.shortcomings).toEqual([expect.stringMatching(/checks showed nothing or were not run/)])
}

describe('verify finds that the emulator conforms to the contract of', () => {
  it('extraction', async () => {
    const { baseUrl, apiKey } = served.extraction
    const file = new File(['%PDF-1.4'], 'invoice.pdf', { type: 'application/pdf' })
    const form = new FormData()
    form.append('file', file)
    form.append('schema', JSON.stringify({ type: 'object', properties: { total: { type: 'number' } } }))
    const headers = { 'x-api-key': apiKey }
    const processed = await fetch(`${baseUrl}/v1/process`, { method: 'POST', headers, body: form })
    const { id } = (await processed.json()) as { id: string }
    const params = { 'getJob.job_id': id }
    const reports = await both('extraction', { baseUrl, credentials: { apiKey }, files: { file }, params })
    expectHonest(reports, 7)
  })

  it('media, whose version header has only one possible value', async () => {
    const { baseUrl, apiSecret } = served.media
    const headers = { authorization: `Bearer ${apiSecret}`, 'x-service-version': '2024-11-06' }
    const created = async (path: string, body: unknown): Promise<string> =>
      String((await post(`${baseUrl}/v1/${path}`, headers, body))['id'])
    const image = { model: 'gen4_image', promptText: 'a quay', ratio: '1920:1080' }
    const guide = { name: 'a guide', content: 'words' }
    const params = {
      'getTask.id': await created('text_to_image', image),
      'deleteTask.id': await created('text_to_image', image),
      'getDocument.id': await created('documents', guide),
      'deleteDocument.id': await created('documents', guide),
    }
    const reports = await both('media', { baseUrl, credentials: { apiSecret }, params })
    expectHonest(reports, 18)
  })

  it('storage-auth, with a token from a sign-in', async () => {
    const { authUrl, dataUrl, email, password } = served.storageAuth
    const { access_token: accessToken } = await post(`${authUrl}/auth/token`, {}, { email, password })
    const reports = await both('storage-auth', {
      baseUrl: authUrl,
      servers: { '{data_url}': dataUrl },
      credentials: { accessToken: String(accessToken) },
    })
    expectHonest(reports, 2)
  })

  it('speech', async () => {
    const { apiUrl, agentUrl, apiKey } = served.speech
    const reports = await both('speech', {
      baseUrl: apiUrl,
      servers: { '{agent_url}': agentUrl },
      credentials: { apiKey },
    })
    expectHonest(reports, 4)
  })
})
