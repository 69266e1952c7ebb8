import { expect, it } from 'vitest'

import { type DeviceUpdate, type ExtractionOptions, SubmissionUncertainError } from '../src/index.ts'
import { invoice, rejection, responding } from './support.ts'

const json = (body: unknown, status = 200): Response => Response.json(body, { status })

/** Returns a client whose service returns these responses in order. A function can throw, which loses the response. */
function scripted(responses: readonly (() => Response)[], options: Partial<ExtractionOptions> = {}) {
  let count = 0
  return responding(() => responses[Math.min(++count, responses.length) - 1]!(), options)
}

const reset = (): never => {
  throw new Error('reset')
}

const drifted = { id: 'a-1', status: 'processing' }

it('R-05: an accepted submission becomes a handle although its response differs from the contract, which is reported', async () => {
  const { extraction, drift } = scripted([() => json(drifted)], { validate: 'enforce' })
  expect((await extraction.submit({ file: invoice })).id).toBe('a-1')
  expect(drift).toMatchObject([{ operation: 'processDocument', status: 200 }])
})

it('R-05: work whose response was cut short becomes a handle without what was not read', async () => {
  const headers = { 'content-type': 'application/json' }
  const { extraction } = scripted([
    () => new Response('{"id":"job-7","status":"queued","created_at":', { headers }),
    () => new Response('{"job_id":"run-7","status":"pending","created_at":', { status: 201, headers }),
  ])
  const job = await extraction.submit({ file: invoice })
  expect([job.id, job.status]).toEqual(['job-7', undefined])
  const run = await extraction.optimize({
    training_documents: ['a', 'b'],
    ground_truth_data: [{ total: 1 }, { total: 2 }],
  })
  expect([run.id, run.status, run.extra]).toEqual(['run-7', undefined, {}])
})

it.each([
  ['HTML', () => new Response('<p>', { headers: { 'content-type': 'text/html' } })],
  ['nothing', () => new Response(null)],
  ['no id', () => json({ status: 'queued' })],
  ['a server error', () => json({ detail: 'broken' }, 500)],
  ['a lost connection', reset],
])(
  'R-21: a submission is uncertain after %s, is sent once, and the remedy can be followed',
  async (_what, response) => {
    const { extraction, requests } = scripted([response])
    const error = await rejection(extraction.submit({ file: invoice }))
    expect(SubmissionUncertainError.is(error)).toBe(true)
    expect(error).toMatchObject({ code: 'submission-uncertain', possibleDuplicates: 1 })
    expect(String(error)).toContain('No documented operation shows whether the request was accepted')
    expect(requests).toHaveLength(1)
  },
)

const code = {
  device_code: 'device-code-1',
  user_code: 'ABCD',
  verification_uri: 'https://web.example/device',
  verification_uri_complete: 'https://web.example/device?code=ABCD',
  expires_in: 100,
  interval: 5,
}
const pending = { api_key: null, error: 'authorization_pending', key_prefix: null }
const granted = { api_key: 'sk_live_12345678', error: null, key_prefix: 'sk_live' }

async function authorize(responses: readonly (() => Response)[]) {
  const updates: DeviceUpdate[] = []
  const retries: unknown[] = []
  let saved: string | undefined
  const scene = scripted([() => json(code), ...responses], {
    timeoutMs: 1_000,
    observe: (event) => event.type === 'retry' && retries.push(event),
  })
  const error = await scene.extraction
    .authorizeDevice({
      onPrompt: () => undefined,
      save: (key) => void (saved = key),
      onUpdate: (update) => updates.push(update),
    })
    .catch((caught: unknown) => caught)
  return { ...scene, updates, retries, error, saved }
}

it.each([
  ['a reset', reset],
  ['a server error', () => json({ detail: 'broken' }, 500)],
  ['a server error without a body', () => json(null, 500)],
  ['a page of a proxy', () => new Response('<p>', { headers: { 'content-type': 'text/html' } })],
  ['a rate limit', () => json({ detail: 'slow down' }, 429)],
])('R-44: a device authorization survives %s to a poll, and still gets the key', async (_what, response) => {
  const { saved, updates, retries } = await authorize([response, () => json(pending), () => json(granted)])
  expect(saved).toBe('sk_live_12345678')
  expect(updates).toMatchObject([{ polls: 1 }, { polls: 2, keyMayBeLost: false }])
  expect(retries).toMatchObject([{ operation: 'pollDeviceToken', attempt: 1, delayMs: 10_000 }])
})

it('R-44: a device authorization extracts the key from a response with another media type or an error status', async () => {
  const text = () => new Response(JSON.stringify(granted), { headers: { 'content-type': 'text/plain' } })
  expect((await authorize([text])).saved).toBe('sk_live_12345678')
  expect((await authorize([() => json(granted, 500)])).saved).toBe('sk_live_12345678')
})
