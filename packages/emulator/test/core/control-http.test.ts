import { expect, it } from 'vitest'

import { pdfFile, startExtraction } from '../support/extraction.ts'

const start = () => startExtraction({}, { control: true })

it('the control interface over HTTP is off by default', async () => {
  await using service = await startExtraction()
  expect((await service.call('/_control/state')).status).toBe(404)
  expect((await service.call('/_control/reset', { json: {} })).status).toBe(404)
})

it('the control interface over HTTP behaves like the one in process', async () => {
  await using service = await start()
  const command = async (name: string, json: object = {}) => {
    const response = await service.call(`/_control/${name}`, {
      method: 'POST',
      key: '',
      json,
    })
    expect(response.status, name).toBe(200)
    return response.json()
  }
  const submit = () => service.start()
  const status = async (id: string) => (await service.job(id)).status

  await command('script-jobs', { outcome: 'manual', times: 3 })
  const [one, two, three, four] = [await submit(), await submit(), await submit(), await submit()]
  await command('advance-job', { job_id: one })
  await command('complete-job', { job_id: two })
  await command('fail-job', { job_id: three, error: 'poor scan' })
  expect(await command('advance', { ms: 4_000 })).toEqual({ now: Date.UTC(2026, 0, 5, 9, 0, 4) })
  expect(await Promise.all([one, two, three, four].map(status))).toEqual([
    'processing',
    'completed',
    'failed',
    'completed',
  ])

  const code = await service.json('/v1/agent/device/code', { json: {} })
  const other = await service.json('/v1/agent/device/code', { json: {} })
  await command('approve-device', { user_code: code['user_code'] as string })
  await command('deny-device', { user_code: other['user_code'] as string })
  expect(service.emulator.extraction.state.devices.map(({ state }) => state)).toEqual(['approved', 'denied'])

  const run = await service.json('/v1/optimize', { json: {} })
  await command('advance-optimization', { job_id: run['job_id'] as string })
  await command('end-optimization', { job_id: run['job_id'] as string, status: 'cancelled' })
  expect(service.emulator.extraction.state.optimizations[0]?.status).toBe('cancelled')

  const { id } = (await command('add-fault', { kind: 'status', status: 503, times: 'always' })) as {
    id: number
  }
  expect((await service.call('/v1/pipelines')).status).toBe(503)
  expect(await command('faults')).toMatchObject([{ id, happened: 1 }])
  await command('clear-faults', { id })
  expect((await service.call('/v1/pipelines')).status).toBe(200)

  expect(await command('add-blueprint', { name: 'Receipts' })).toEqual({ id: expect.any(String) })
  expect(await command('add-key', { key: 'my-key', plan: 'free' })).toEqual({ key: 'my-key' })
  await command('set-account', { key: 'my-key', pagesUsed: 5 })
  expect(await command('state')).toEqual(service.emulator.extraction.state)
  expect(await command('requests')).toEqual(service.control.requests())
  expect(await command('violations')).toEqual([])
  expect(await command('now')).toEqual({ now: service.control.clock.now() })
  await command('reset')
  expect(service.emulator.extraction.state).toMatchObject({ jobs: [], devices: [], optimizations: [] })
})

it('the control interface over HTTP can be read with GET', async () => {
  await using service = await start()
  const state = await service.call('/_control/state', { key: '' })
  expect([state.status, await state.json()]).toEqual([200, service.emulator.extraction.state])
  expect((await service.call('/_control/reset')).status).toBe(405)
})

it.each([
  ['unknown', {}, 404, 'Unknown command `unknown`. Valid commands: state,'],
  ['advance', {}, 400, "required property 'ms'"],
  ['advance', { ms: 'soon' }, 400, 'must be number'],
  ['advance', { ms: -1 }, 400, 'can only advance'],
  [
    'advance',
    { ms: 1, more: true },
    400,
    'Unknown argument `more` of the command `advance`. Valid arguments: ms.',
  ],
  ['advance', { mss: 1 }, 400, 'Unknown argument `mss` of the command `advance`. Did you mean `ms`?'],
  ['clear-faults', { id: 7 }, 400, 'Unknown fault 7.'],
  ['add-fault', { kind: 'explode' }, 400, '`kind` must be one of'],
  ['approve-device', { user_code: 'unknown' }, 400, 'Unknown user code unknown'],
  ['end-optimization', { job_id: 'x', status: 'running' }, 400, 'allowed values'],
  ['add-key', { plan: 'enterprise' }, 400, 'Unknown plan `enterprise`'],
  ['advance', [], 400, 'must be object'],
])('the control command %s with %j gets the status %d', async (name, json, status, reason) => {
  await using service = await start()
  const response = await service.call(`/_control/${name}`, { json })
  expect(response.status).toBe(status)
  expect(((await response.json()) as { detail: string }).detail).toContain(reason)
})

it.each([
  [
    'a form',
    { body: 'ms=5', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    'application/x-www-form-urlencoded',
  ],
  ['JSON without a content type', { body: new TextEncoder().encode('{"ms":5}') }, 'no content type'],
  ['no body, which a page of any site could send', {}, 'no content type'],
])(
  'a control command sent as %s gets a 415 that asks for JSON and names the arguments',
  async (_, sent, reason) => {
    await using service = await start()
    const response = await service.call('/_control/advance', { method: 'POST', key: '', ...sent })
    const { detail } = (await response.json()) as { detail: string }
    expect([response.status, detail]).toEqual([415, expect.stringContaining(reason)])
    expect(detail).toContain('"content-type: application/json"')
    expect(detail).toContain('Arguments: ms.')
  },
)

it.each<[origin: string, headers: Record<string, string>, reason: string]>([
  ['http://localhost', { 'sec-fetch-site': 'cross-site' }, 'pages of other sites'],
  ['http://localhost', { origin: 'https://attacker.example.com' }, 'pages of other sites'],
  ['http://localhost', { origin: 'null' }, 'pages of other sites'],
  ['http://192.168.0.7', { origin: 'http://203.0.113.9' }, 'pages of other sites'],
  ['http://192.168.0.7', { origin: 'http://[2001:db8::9]' }, 'pages of other sites'],
  ['http://rebound.example.com', {}, 'denies requests to the public host name rebound.example.com'],
  ['http://rebound.example.com.:80', {}, 'denies requests to the public host name'],
])(
  'the control interface denies a web page of another site at %s with %j',
  async (origin, headers, reason) => {
    await using service = await start()
    const response = await service.call(`${origin}/_control/reset`, { json: {}, headers })
    const { detail } = (await response.json()) as { detail: string }
    expect([response.status, detail]).toEqual([403, expect.stringContaining(reason)])
  },
)

it.each(['127.0.0.1:80', '[::1]:80', 'localhost', 'emulator:8080', 'concord.internal'])(
  "the control interface accepts requests for the host %s, which can't be a public name",
  async (host) => {
    await using service = await start()
    const headers = { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' }
    expect((await service.call(`http://${host}/_control/now`, { json: {}, headers })).status).toBe(200)
  },
)

it.each([
  ['192.168.0.7', 'http://10.1.2.3:5173'],
  ['192.168.0.7', 'http://[::1]:5173'],
  ['192.168.0.7', 'http://[fd00::5]'],
  ['203.0.113.9:8080', 'http://203.0.113.9:5173'],
])('the control interface at %s accepts a page at %s', async (host, origin) => {
  await using service = await start()
  const response = await service.call(`http://${host}/_control/now`, { json: {}, headers: { origin } })
  expect(response.status).toBe(200)
})

it('reset clears everything except the initial keys and blueprints, and stops pending work', async () => {
  await using service = await startExtraction({
    apiKeys: ['one', 'two'],
    blueprints: [{ name: 'Invoices' }],
  })
  const file = await pdfFile(['Hello'])
  const id = await service.start({ file })
  const key = service.control.addKey()
  service.control.faults.add({ kind: 'status', status: 500, times: 'always', skip: 100 })
  service.control.scriptJobs({ outcome: 'fail', error: 'x' })
  service.control.reset()
  await service.control.clock.advance(60_000)
  expect((await service.call(`/v1/jobs/${id}`)).status).toBe(404)
  expect((await service.call('/v1/blueprints/', { key })).status).toBe(401)
  expect((await service.call('/v1/blueprints/', { key: 'two' })).status).toBe(200)
  expect(service.control.faults.list()).toEqual([])
  expect(service.emulator.extraction.state).toMatchObject({ jobs: [], blueprints: [{ name: 'Invoices' }] })
  expect((await service.process({ file })).status).toBe('completed')
})
