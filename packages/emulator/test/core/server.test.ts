import { Agent, createServer, request as httpRequest } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'

import type { ExtractionOptions } from '../../src/index.ts'
import { makePdf, startExtraction, toForm, type TestJob } from '../support/extraction.ts'

/** Sends bytes over a separate socket, and collects the response until the socket ends. */
function overSocket(url: string, text: string): Promise<{ received: string; error?: string }> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let received = ''
    let error: string | undefined
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (data) => (received += data.toString('latin1')))
    socket.on('error', (reason: NodeJS.ErrnoException) => (error = reason.code))
    socket.on('close', () => resolve(error === undefined ? { received } : { received, error }))
  })
}

async function startServed(options: ExtractionOptions = {}) {
  const service = await startExtraction(options)
  const served = await service.emulator.serve({ services: ['extraction'] })
  return Object.assign(service, { served, url: served.extraction.baseUrl })
}

const get = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nhost: x.test\r\nconnection: close\r\n${more}\r\n`

it('a served emulator behaves over HTTP as in process, with links at the URL that the caller used', async () => {
  await using service = await startServed({ choices: { sizes: { textUrlAboveBytes: 1 } } })
  const { url, apiKey } = service
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const headers = { 'x-api-key': apiKey }
  const file = new File([await makePdf(['Hello'])], 'a.pdf')
  const submitted = await fetch(`${url}/v1/process`, { method: 'POST', headers, body: toForm({ file }) })
  const { id } = (await submitted.json()) as TestJob
  await service.control.clock.advance(4_000)
  const job = (await (await fetch(`${url}/v1/jobs/${id}`, { headers })).json()) as TestJob
  expect(job.status).toBe('completed')
  expect(job.preview_url?.startsWith(`${url}/preview/`)).toBe(true)
  expect(await (await fetch(job.result?.text_url ?? '')).text()).toBe('Hello')
})

it('a served emulator keeps a connection usable after an early response', async () => {
  await using service = await startServed()
  const { port } = new URL(service.url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (headers: Record<string, string>, body: Buffer) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(
        {
          port,
          agent,
          method: 'POST',
          path: '/v1/process',
          headers: { 'content-type': 'multipart/form-data; boundary=x', ...headers },
        },
        (response) => response.resume().on('end', () => resolve(response.statusCode)),
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const large = Buffer.alloc(5_000_000)
  expect(await send({}, large)).toBe(401)
  expect(await send({ 'x-api-key': 'wrong' }, large)).toBe(401)
  expect(await send({ 'x-api-key': service.apiKey }, large)).toBe(400)
  agent.destroy()
})

it('a served emulator responds with 413 to a body above the limit once it was sent', async () => {
  await using service = await startServed({
    choices: { sizes: { megabyteBytes: 1_000, formRoomBytes: 1_000 } },
  })
  const file = new File([new Uint8Array(2_000_000)], 'a.pdf')
  const response = await fetch(`${service.url}/v1/process`, {
    method: 'POST',
    headers: { 'x-api-key': service.apiKey },
    body: toForm({ file }),
  })
  expect(response.status).toBe(413)
})

it('a served emulator breaks TCP connections before, after and in the middle of a response', async () => {
  await using service = await startServed()
  const { url } = service
  const whole = (await overSocket(url, get('/v1/pipelines'))).received
  for (const when of ['before', 'after'] as const) {
    service.control.faults.add({ kind: 'reset', when })
    expect(await overSocket(url, get('/v1/pipelines'))).toEqual({ received: '', error: 'ECONNRESET' })
  }
  service.control.faults.add({ kind: 'reset', when: 'mid-body' })
  const { received } = await overSocket(url, get('/v1/pipelines'))
  const body = (text: string) => text.split('\r\n\r\n')[1] ?? ''
  expect(body(received)).toBe(body(whole).slice(0, Math.ceil(body(whole).length / 2)))
  expect(received).toContain(`content-length: ${body(whole).length}`)
  service.control.faults.add({ kind: 'reset', when: 'mid-body' })
  await expect(fetch(`${url}/v1/pipelines`).then((response) => response.text())).rejects.toThrow()
})

it('a served emulator delivers webhooks to a receiver behind a socket', async () => {
  const got: string[] = []
  const receiver = createServer((request, response) => {
    request.on('data', (data: Buffer) => got.push(data.toString()))
    request.on('end', () =>
      response.writeHead(got.length === 1 ? 307 : 204, { location: '/elsewhere' }).end(),
    )
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  await using service = await startExtraction({ allowHttpWebhooks: true })
  const file = new File([await makePdf(['Hello'])], 'a.pdf')
  const job = await service.process({ file, webhook_url: `http://127.0.0.1:${port}/hook` })
  await service.control.clock.advance(1_000)
  receiver.closeAllConnections()
  receiver.close()
  expect(got.map((body) => (JSON.parse(body) as { job_id: string }).job_id)).toEqual([job.id, job.id])
  expect(service.emulator.extraction.state.jobs[0]).toMatchObject({
    webhookDelivered: true,
    webhookAttempts: [
      { status: 307, outcome: 'rejected' },
      { status: 204, outcome: 'delivered' },
    ],
  })
})

it('a served emulator closes immediately despite a hanging request and keep-alive connections', async () => {
  const service = await startServed()
  await (await fetch(`${service.url}/v1/pipelines`)).text()
  service.control.faults.add({ kind: 'stall', when: 'before' })
  service.control.faults.add({ kind: 'stall', when: 'mid-body' })
  const hanging = [1, 2].map(() => fetch(`${service.url}/v1/pipelines`).then((response) => response.text()))
  const ends = hanging.map((request) => expect(request).rejects.toThrow())
  while (service.control.requests().length < 3) await new Promise((resolve) => setImmediate(resolve))
  await service.emulator.close()
  await Promise.all(ends)
  await expect(fetch(`${service.url}/v1/pipelines`)).rejects.toThrow()
  await expect(service.emulator.serve()).rejects.toThrow('already closed')
})

it('a served emulator closes immediately despite an unfinished upload', async () => {
  const service = await startServed()
  const head = `POST /v1/process HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.apiKey}\r\ncontent-length: 100\r\n\r\n`
  const ended = overSocket(service.url, `${head}half`)
  while (service.control.requests().length === 0) await new Promise((resolve) => setImmediate(resolve))
  await service.served.close()
  expect((await ended).received).toBe('')
  await service.emulator.close()
})

it("serve() names the port that it can't use", async () => {
  await using service = await startServed()
  const port = Number(new URL(service.url).port)
  await expect(service.emulator.serve({ ports: { extraction: port } })).rejects.toThrow(
    `can't listen on 127.0.0.1:${port}: another program is listening there`,
  )
})

it('a served emulator uses the Host header in links if it is valid', async () => {
  await using service = await startServed()
  const ask = (host: string) => {
    const body = '{}'
    const head = `POST /v1/agent/device/code HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncontent-type: application/json`
    return overSocket(service.url, `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  }
  expect((await ask('proxy.test:8443')).received).toContain(
    '"verification_uri":"http://proxy.test:8443/device"',
  )
  expect((await ask('[::1]:80')).received).toContain('"verification_uri":"http://[::1]/device"')
  for (const host of ['evil.test/path', 'a b', '"><script>'])
    expect((await ask(host)).received).toContain(`"verification_uri":"${service.url}/device"`)
})

it.each([
  '*',
  'http://other.test/v1/pipelines',
  '/%',
  '/\u0001',
  '//',
  '/v1/../v1/pipelines',
  '/v1/jobs/%00',
])('a served emulator responds to the odd target %j without failing', async (target) => {
  await using service = await startServed()
  const { received } = await overSocket(service.url, get(target))
  expect(received).toMatch(/^HTTP\/1\.1 (200|400|401|404) /)
})

it.each([
  ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
  ['::', /^http:\/\/\[::1\]:\d+$/],
])(
  'prints a base URL that a client on this machine can reach when it listens on every address: %s',
  async (host, address) => {
    await using service = await startExtraction()
    await using served = await service.emulator.serve({ host, services: ['extraction'] })
    expect(served.extraction.baseUrl).toMatch(address)
    expect((await fetch(`${served.extraction.baseUrl}/v1/pipelines`)).status).toBe(200)
  },
)
