/** Verification of WebSockets: of the service in the contract, and of servers that don't implement it. */
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'

import { createEmulator } from '@concord/emulator'
import { loadSocketSpec, type SocketSpec } from '@concord/spec-model'
import { describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'

import { serveSocketMock, verifySockets, verifyText, type VerifyReport } from '../../src/index.ts'
import { channelSpecOf } from '../fixture/documents.ts'
import { feedFile } from '../fixture/feed/feed-client.ts'
import { listen, listenForSockets } from '../fixture/local.ts'

const feed = await loadSocketSpec(feedFile.href)
const secret = 'a-key-that-nobody-may-see'
const credentials = { key: secret }

/** A server that treats all connections alike, whatever their path and credential. */
async function everywhere(welcome: (socket: WebSocket) => void): Promise<string> {
  const { server, url } = await listenForSockets()
  server.on('connection', welcome)
  return url
}

/** An HTTP server that never opens a WebSocket. */
function never(reply: RequestListener): Promise<string> {
  const server = createServer(reply)
  server.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 404 Denied\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
  })
  return listen(server)
}

const all = ['subscribe', 'hello', 'order']
const ask = (baseUrl: string, spec: SocketSpec = feed, allow = all): Promise<VerifyReport> =>
  verifySockets({
    spec,
    baseUrl,
    credentials: spec === feed ? credentials : {},
    allow,
    listenMs: 60,
  })
const states = ({ operations }: VerifyReport): string[] =>
  operations.flatMap(({ operation, checks }) =>
    checks.map(({ title, state }) => `${operation} ${title}: ${state}`),
  )

const example = (words: string): object => ({ payload: {}, examples: [{ payload: { words } }] })
const anything = { sends: { said: example('hello') }, receives: { heard: example('welcome') } }
/** A contract whose messages may be anything, so that its schemas accept the messages of any server. */
const open = channelSpecOf({ address: '/any' }, anything)

describe('verify of WebSockets', () => {
  it('passes for a service that conforms to the contract, and shows no secret', async () => {
    await using mock = await serveSocketMock({ spec: feed })
    const report = await ask(mock.url)
    expect(states(report)).toEqual([
      'prices as documented: subscribed, update: pass',
      'prices without a credential: pass',
      'desk as documented: other: pass',
      'desk without a credential: pass',
    ])
    expect(report).toMatchObject({
      passed: true,
      what: 'channels',
      coverage: { operations: 2, percent: 100 },
    })
    expect(verifyText(report) + JSON.stringify(report)).not.toContain(secret)
  })

  it("sends nothing that wasn't allowed; a service that stays silent then shows nothing", async () => {
    const heard: string[] = []
    await using mock = await serveSocketMock({
      spec: feed,
      onEvent: (one) => heard.push(one.kind === 'frame' ? `${one.direction} ${one.message}` : one.kind),
    })
    const report = await ask(mock.url, feed, ['prices/subscribe'])
    expect(heard.filter((one) => one.startsWith('sent'))).toEqual(['sent subscribe'])
    expect(report.operations[1]).toMatchObject({ operation: 'desk', state: 'nothing-shown' })
    expect(report.operations[1]?.checks[1]).toMatchObject({
      state: 'nothing-shown',
      status: 401,
      reasons: [
        'the check with a credential did not pass, so this denial proves nothing: any server can deny a handshake',
      ],
    })
    expect(report.operations[1]?.checks[0]).toMatchObject({
      state: 'nothing-shown',
      status: 101,
      reasons: ["the service sent nothing; add --allow 'hello' or 'order' to send a documented example"],
    })
    const strict = await verifySockets({
      spec: feed,
      baseUrl: mock.url,
      credentials,
      listenMs: 20,
      strict: true,
    })
    expect(strict.passed).toBe(false)
  })

  it('finds that the emulator of speech conforms to the contract', async () => {
    await using emulator = await createEmulator({ seed: 'verify' })
    await using served = await emulator.serve()
    const { apiUrl, agentUrl, apiKey } = served.speech
    const spec = await loadSocketSpec('speech')
    const report = await verifySockets({
      spec,
      baseUrl: apiUrl,
      servers: { '{agent_url}': agentUrl },
      credentials: { apiKey },
      allow: spec.channels.flatMap(({ sends }) => sends.map(({ key }) => key)),
      listenMs: 150,
    })
    const failed = report.operations.flatMap(({ checks }) => checks.filter(({ state }) => state === 'fail'))
    expect(failed).toEqual([])
    expect(report.passed, verifyText(report)).toBe(true)
    const reading = await verifySockets({ spec, baseUrl: apiUrl, credentials: { apiKey }, listenMs: 50 })
    expect(
      reading.operations.flatMap(({ checks }) => checks.filter(({ state }) => state === 'fail')),
    ).toEqual([])
  })
})

describe('servers that ignore the AsyncAPI contract', () => {
  const servers: [what: string, url: () => Promise<string>][] = [
    ['opens every connection and stays silent', () => everywhere(() => undefined)],
    [
      'echoes every message',
      () => everywhere((socket) => socket.on('message', (data, binary) => socket.send(data, { binary }))),
    ],
    ['sends an empty object', () => everywhere((socket) => socket.send('{}'))],
    ['sends what is not JSON', () => everywhere((socket) => socket.send('hello'))],
    ['closes every connection at once', () => everywhere((socket) => socket.close(1011))],
    [
      'never stops sending',
      () =>
        everywhere((socket) => {
          const more = (): void => {
            if (socket.readyState === socket.OPEN) socket.send('{"more":1}', () => setImmediate(more))
          }
          more()
        }),
    ],
    [
      'responds to every handshake with 404',
      () => never((_request, response) => response.writeHead(404).end()),
    ],
  ]
  it.each(servers)('no channel passes with a server that %s', async (_what, url) => {
    const address = await url()
    for (const spec of [feed, open]) {
      const report = await ask(address, spec, spec === feed ? all : ['said'])
      expect(states(report).filter((one) => one.endsWith(': pass'))).toEqual([])
      expect(report.passed).toBe(false)
      expect(verifyText(report)).toMatch(/failed: none of the channels sent a documented message$/)
    }
  })

  it('no channel passes with a server that never responds to a handshake', async () => {
    const baseUrl = await listen(createTcpServer(() => undefined))
    const failing = verifySockets({ spec: feed, baseUrl, credentials, timeoutMs: 50 })
    await expect(failing).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('timed out'),
    })
  })
})

it('a minimum coverage above 100 is rejected', async () => {
  const failing = verifySockets({ spec: feed, baseUrl: 'ws://127.0.0.1:9', minCoverage: 101 })
  await expect(failing).rejects.toThrow(/Pass a percentage from 0 to 100/)
})

it('a key may be sent in the query', async () => {
  const security = [{ type: 'httpApiKey', in: 'query', name: 'api_key' }]
  const keyed = channelSpecOf({ address: '/any' }, anything, {
    servers: { only: { host: 'one.example', protocol: 'wss', security } },
  })
  await using mock = await serveSocketMock({ spec: keyed })
  const report = await verifySockets({
    spec: keyed,
    baseUrl: mock.url,
    credentials: { httpApiKey: secret },
    allow: ['only/said'],
    listenMs: 20,
  })
  expect(states(report)).toEqual(['only as documented: heard: pass', 'only without a credential: pass'])
})
