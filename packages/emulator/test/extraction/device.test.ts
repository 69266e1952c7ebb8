import { expect, it } from 'vitest'

import {
  defaultExtractionChoices,
  type DeviceAuthorization,
  type ExtractionChoices,
  type Plan,
  type PlanName,
  type PollState,
} from '../../src/index.ts'
import { startExtraction, type TestService } from '../support/extraction.ts'

interface Code {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

/** Sets the plan for keys of the device flow. */
const viaDevice =
  (planOf: (plan: Plan) => Plan | PlanName): ExtractionChoices['accountOf'] =>
  (key) => ({
    ...defaultExtractionChoices.accountOf(key),
    ...(key.fromDeviceFlow ? { plan: planOf(key.plan) } : {}),
  })

const without = (error: string) => ({ error, api_key: null, key_prefix: null })
const ask = (service: TestService, json: object = { agent_name: 'Invoice reader' }) =>
  service.json<Code>('/v1/agent/device/code', { json, key: '' })
const poll = (service: TestService, device_code: string) =>
  service.call('/v1/agent/device/token', { json: { device_code }, key: '' })
const pollBody = async (service: TestService, code: Code) => (await poll(service, code.device_code)).json()
const decide = (service: TestService, code: Code, decision: string) =>
  service.call('/device', {
    method: 'POST',
    key: '',
    body: new URLSearchParams({ user_code: code.user_code, decision }),
  })

it('a device code has the documented fields and defaults', async () => {
  await using service = await startExtraction()
  const code = await ask(service)
  expect(code).toEqual({
    device_code: expect.any(String),
    user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
    verification_uri: 'http://extraction.emulator.invalid/device',
    verification_uri_complete: `http://extraction.emulator.invalid/device?user_code=${code.user_code}`,
    expires_in: 900,
    interval: 5,
  })
})

it('a device code has a different lifetime and interval if they are set', async () => {
  await using service = await startExtraction({ pollIntervalSeconds: 7, deviceCodeLifetimeSeconds: 60 })
  expect(await ask(service, {})).toMatchObject({ interval: 7, expires_in: 60 })
  await expect(startExtraction({ pollIntervalSeconds: 0 })).rejects.toThrow('`pollIntervalSeconds` must be')
})

it('a device code has a unique user code', async () => {
  await using service = await startExtraction({ choices: { device: { userCodeAlphabet: 'A' } } })
  expect((await ask(service)).user_code).toBe('AAAA-AAAA')
  await expect(ask(service)).rejects.toThrow('too few characters for another user code')
})

it('a device code is requested with an object, or without a body', async () => {
  await using service = await startExtraction()
  const send = (json: unknown) => service.call('/v1/agent/device/code', { json, key: '' })
  expect((await send({ agent_name: 5 })).status).toBe(400)
  expect((await send([])).status).toBe(400)
  expect((await service.call('/v1/agent/device/code', { method: 'POST', key: '' })).status).toBe(200)
})

it('polling returns three fields in every state, and the key exactly once', async () => {
  let authorization: DeviceAuthorization | undefined
  await using service = await startExtraction({
    choices: {
      successResponse: ({ operation, value }) =>
        void (operation === 'createDeviceCode' && (authorization = value)),
    },
  })
  const code = await ask(service)
  expect(await pollBody(service, code)).toEqual(without('authorization_pending'))
  service.control.approveDevice(code.user_code)
  const responses = await Promise.all([poll(service, code.device_code), poll(service, code.device_code)])
  const bodies = (await Promise.all(responses.map((response) => response.json()))) as {
    api_key: string | null
  }[]
  const keys = bodies.flatMap(({ api_key }) => api_key ?? [])
  expect(keys).toHaveLength(1)
  expect(bodies[0]).toEqual({ error: null, api_key: keys[0], key_prefix: keys[0]?.slice(0, 8) })
  expect(bodies[1]).toEqual(without('expired_token'))
  expect(await pollBody(service, code)).toEqual(without('expired_token'))
  expect((await service.call('/v1/blueprints/', { key: keys[0] ?? '' })).status).toBe(200)
  expect(JSON.stringify(service.emulator.extraction.state)).not.toContain(keys[0])
  expect(authorization).toMatchObject({ delivered: true })
  expect(authorization).not.toHaveProperty('apiKey')
})

it('polling returns access_denied after a denial', async () => {
  await using service = await startExtraction()
  const code = await ask(service)
  service.control.denyDevice(code.user_code)
  expect(await pollBody(service, code)).toEqual(without('access_denied'))
  const again = await poll(service, code.device_code)
  expect([again.status, await again.json()]).toEqual([200, without('access_denied')])
  expect(() => service.control.approveDevice(code.user_code)).toThrow('is not pending; its state is denied')
})

it('polling returns expired_token when the lifetime is over, approved or not', async () => {
  await using service = await startExtraction()
  const [pending, approved] = [await ask(service), await ask(service)]
  await service.control.clock.advance(899_999)
  expect(await pollBody(service, pending)).toEqual(without('authorization_pending'))
  service.control.approveDevice(approved.user_code)
  await service.control.clock.advance(1)
  expect(await pollBody(service, pending)).toEqual(without('expired_token'))
  expect(await pollBody(service, approved)).toEqual(without('expired_token'))
  expect(() => service.control.approveDevice(pending.user_code)).toThrow(
    'is not pending; its state is expired',
  )
})

it('polling gets expired_token for an unknown code, and a 400 without a code', async () => {
  await using service = await startExtraction()
  const unknown = await poll(service, 'unknown')
  expect([unknown.status, await unknown.json()]).toEqual([200, without('expired_token')])
  const missing = await service.call('/v1/agent/device/token', { json: {}, key: '' })
  expect(missing.status).toBe(400)
})

it('polling gets the statuses and errors that are chosen', async () => {
  const responses: Partial<Record<PollState, { status?: number; error?: string }>> = {
    pending: { status: 400 },
    approved: { error: 'none' },
    denied: { status: 403 },
    'after-denial': { status: 404, error: 'invalid_grant' },
    expired: { status: 410 },
    delivered: { status: 409, error: 'already_used' },
    unknown: { status: 404, error: 'invalid_grant' },
  }
  await using service = await startExtraction({
    choices: { respondToPoll: (state) => responses[state] ?? {} },
  })
  const [code, denied, expired] = [await ask(service), await ask(service), await ask(service)]
  expect((await poll(service, code.device_code)).status).toBe(400)
  service.control.approveDevice(code.user_code)
  service.control.denyDevice(denied.user_code)
  const told = await poll(service, denied.device_code)
  expect([told.status, await told.json()]).toEqual([403, without('access_denied')])
  const toldAgain = await poll(service, denied.device_code)
  expect([toldAgain.status, await toldAgain.json()]).toEqual([404, without('invalid_grant')])
  expect(await pollBody(service, code)).toMatchObject({ error: 'none', api_key: expect.any(String) })
  const again = await poll(service, code.device_code)
  expect([again.status, await again.json()]).toEqual([409, without('already_used')])
  const unknown = await poll(service, 'unknown')
  expect([unknown.status, await unknown.json()]).toEqual([404, without('invalid_grant')])
  await service.control.clock.advance(900_000)
  expect((await poll(service, expired.device_code)).status).toBe(410)
})

it('a poll that is too fast is counted and logged, and gets the usual response', async () => {
  const lines: string[] = []
  await using service = await startExtraction(
    {},
    { log: (level, message) => lines.push(`${level} ${message}`) },
  )
  const code = await ask(service)
  const device = () => service.emulator.extraction.state.devices[0]
  await pollBody(service, code)
  await service.control.clock.advance(5_000)
  await pollBody(service, code)
  expect(device()).toMatchObject({ polls: 2, tooFastPolls: 0 })
  await service.control.clock.advance(4_900)
  expect(await pollBody(service, code)).toEqual(without('authorization_pending'))
  expect(device()).toMatchObject({ polls: 3, tooFastPolls: 1 })
  expect(lines).toContainEqual(expect.stringMatching(/^warn .*100 ms too early/))
})

it.each([
  [50, {}],
  [0, { device: { pollToleranceMs: 0 } }],
  [300, { device: { pollToleranceMs: 300 } }],
])('a poll that is %i ms early is not too fast, but 1 ms more is', async (toleranceMs, choices) => {
  await using service = await startExtraction({ choices })
  const code = await ask(service)
  const tooFast = () => service.emulator.extraction.state.devices[0]?.['tooFastPolls']
  await pollBody(service, code)
  await service.control.clock.advance(5_000 - toleranceMs)
  await pollBody(service, code)
  expect(tooFast()).toBe(0)
  await service.control.clock.advance(5_000 - toleranceMs - 1)
  await pollBody(service, code)
  expect(tooFast()).toBe(1)
})

it('polling gets a key with the chosen plan', async () => {
  for (const [choices, expected] of [
    [{}, 'scale'],
    [{ accountOf: viaDevice(() => 'free') }, 'free'],
    [{ accountOf: viaDevice((plan) => ({ ...plan, name: `${plan.name} trial` })) }, 'scale trial'],
  ] as const) {
    await using service = await startExtraction({ plan: 'scale', choices })
    service.control.approveDevice((await ask(service)).user_code)
    expect(service.emulator.extraction.state.keys.map(({ plan }) => plan)).toEqual(['scale', expected])
  }
})

it('an approval leaves the request undecided if a choice fails to create the key', async () => {
  await using service = await startExtraction({
    choices: { accountOf: viaDevice(() => 'enterprise' as 'free') },
  })
  const code = await ask(service)
  expect(() => service.control.approveDevice(code.user_code)).toThrow('Unknown plan `enterprise`')
  expect(await pollBody(service, code)).toEqual(without('authorization_pending'))
})

it('a poll that is too fast gets the chosen error', async () => {
  await using service = await startExtraction({
    choices: { respondToPoll: (state) => (state === 'too-fast' ? { error: 'slow_down' } : {}) },
  })
  const code = await ask(service)
  expect(await pollBody(service, code)).toEqual(without('authorization_pending'))
  expect(await pollBody(service, code)).toEqual(without('slow_down'))
  await service.control.clock.advance(5_000)
  expect(await pollBody(service, code)).toEqual(without('authorization_pending'))
})

it('the page for approval asks for the code, shows the agent, and approves', async () => {
  await using service = await startExtraction()
  const code = await ask(service)
  const empty = await service.call(code.verification_uri, { key: '' })
  expect(empty.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await empty.text()).toContain('name="user_code"')
  const page = await (await service.call(code.verification_uri_complete, { key: '' })).text()
  expect(page).toContain('Invoice reader')
  expect(page).toContain(code.user_code)
  expect(page).not.toContain(code.device_code)
  const done = await (await decide(service, code, 'approve')).text()
  expect(done).toContain('will receive an API key')
  const { api_key } = (await pollBody(service, code)) as { api_key: string }
  const after = await (await service.call(code.verification_uri_complete, { key: '' })).text()
  expect(after).toContain('has received its API key')
  expect(after + done).not.toContain(api_key)
})

it.each([
  ['denies', ['deny'], 'was denied an API key', 'access_denied'],
  ['rejects a second decision', ['deny', 'approve'], 'was denied an API key', 'access_denied'],
  ['changes nothing for an unknown decision', ['perhaps'], 'Approve', 'authorization_pending'],
])('the page for approval %s', async (_, decisions, shown, error) => {
  await using service = await startExtraction()
  const code = await ask(service)
  let page = ''
  for (const decision of decisions) page = await (await decide(service, code, decision)).text()
  expect(page).toContain(shown)
  expect(await pollBody(service, code)).toEqual(without(error))
})

it('the page for approval accepts the code in any case and with spaces, and reports an unknown code', async () => {
  await using service = await startExtraction()
  const code = await ask(service)
  const typed = encodeURIComponent(` ${code.user_code.toLowerCase().replace('-', ' ')} `)
  expect(await (await service.call(`/device?user_code=${typed}`, { key: '' })).text()).toContain(
    'Invoice reader',
  )
  const unknown = await service.call('/device?user_code=AAAA-AAAA', { key: '' })
  expect([unknown.status, await unknown.text()]).toEqual([
    404,
    expect.stringContaining('This code does not exist.'),
  ])
  expect((await decide(service, { ...code, user_code: 'x' }, 'approve')).status).toBe(404)
})

it('the page for approval reports an expired code', async () => {
  await using service = await startExtraction()
  const code = await ask(service)
  await service.control.clock.advance(900_000)
  expect(await (await decide(service, code, 'approve')).text()).toContain('has expired')
})

it('the page for approval accepts the code in the chosen spellings', async () => {
  await using service = await startExtraction({
    choices: { device: { userCodeAlphabet: 'Aab', readUserCode: (typed) => typed } },
  })
  const code = await ask(service)
  const status = async (typed: string) =>
    (await service.call(`/device?user_code=${encodeURIComponent(typed)}`, { key: '' })).status
  expect(await status(code.user_code)).toBe(200)
  expect(await status(` ${code.user_code}`)).toBe(404)
  expect(await status(code.user_code.replace('-', ''))).toBe(404)
  service.control.approveDevice(code.user_code)
  expect(await pollBody(service, code)).toMatchObject({ api_key: expect.any(String) })
})

it('the page for approval shows a generic label for an agent without a name, and escapes markup in a name', async () => {
  await using service = await startExtraction()
  const nameless = await ask(service, {})
  const evil = await ask(service, { agent_name: `<script>alert("1")</script>'&` })
  expect(await (await service.call(nameless.verification_uri_complete)).text()).toContain(
    '<b>Unknown agent</b>',
  )
  const page = await (await service.call(evil.verification_uri_complete)).text()
  expect(page).not.toContain('<script')
  expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;')
  const done = await (await decide(service, evil, 'approve')).text()
  expect(done).not.toContain('<script')
})
