import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { expect, it, vi } from 'vitest'

import { createSocketSuite, describeContract, mergeReports, verifySockets } from '../../src/index.ts'
import { command, finished } from '../fixture/command.ts'
import { feedFile, feedSubject } from '../fixture/feed/feed-client.ts'
import { temporaryFile, temporaryPath } from '../fixture/local.ts'

const feed = fileURLToPath(feedFile)
const types = fileURLToPath(new URL('./types.yaml', feedFile))

/** The operations beside the channels of the feed, with a key of their own. */
const listing = {
  openapi: '3.1.0',
  info: { title: 'Symbols', version: '1.0.0' },
  security: [{ list: [] }],
  paths: {
    '/v1/symbols': {
      get: {
        operationId: 'listSymbols',
        responses: {
          200: {
            description: 'All symbols.',
            content: { 'application/json': { schema: { type: 'array', items: { type: 'string' } } } },
          },
        },
      },
    },
  },
  components: { securitySchemes: { list: { type: 'apiKey', in: 'header', name: 'X-List-Key' } } },
}

it('mock, proxy and verify work with WebSockets on the command line, and show no secret', async () => {
  // An AsyncAPI file doesn't need --sockets.
  const mock = command(`mock --spec ${feed} --port 0`)
  const proxy = command(`proxy --spec ${feed} --sockets --port 0 --upstream ${await mock.url()}`)
  const words = `--api-key-env key=FEED_KEY --listen-ms 500 --allow subscribe desk/hello desk/order`
  const line = `verify --spec ${feed} --base-url ${await proxy.url()} ${words}`
  const verify = await finished(line, { FEED_KEY: 'a-secret-key' })
  expect(verify.code).toBe(0)
  expect(verify.out).toMatch(/pass +prices {2}WS \/v1\/prices\n +pass: as documented: subscribed \(101\)/)
  expect(verify.out).toMatch(/pass +desk .*\n +pass: as documented: other \(101\)/)
  expect(verify.out).toContain('2 of 2 channels sent a documented message\npassed')
  await vi.waitFor(() => expect(proxy.printed.out).toContain('closed by the client with 1000'))
  // The verification includes handshakes without a credential and with another path.
  expect(await proxy.stop()).toBe(1)
  expect(proxy.printed.out).toContain('3 violated the contract')
  expect(await mock.stop()).toBe(0)
  expect(JSON.stringify([mock.printed, proxy.printed, verify])).not.toContain('a-secret-key')
})

it('mock, proxy and check serve operations and channels of a service together, and record both without secrets', async () => {
  const spec = temporaryFile('openapi.json', listing)
  const har = temporaryPath('session.har')
  const both = `--spec ${spec} --sockets ${feed}`
  const mock = command(`mock ${both} --port 0`)
  const proxy = command(`proxy ${both} --upstream ${await mock.url()} --port 0 --har ${har}`)
  expect(mock.printed.out).toContain(`mock of ${spec} and ${feed} is listening`)
  const url = await proxy.url()
  expect((await fetch(`${url}/v1/symbols`, { headers: { 'x-list-key': 'a-list-key' } })).status).toBe(200)
  const credentials = { key: 'a-secret-key' }
  await verifySockets({ spec: feed, baseUrl: url, credentials, listenMs: 20, allow: ['subscribe'] })
  await proxy.stop()
  expect(proxy.printed.out).toMatch(/\d+ events \(exchanges, handshakes, messages and closes\); \d+ violated/)
  const recorded = await readFile(har, 'utf8')
  expect(recorded).not.toContain('a-list-key')
  expect(recorded).not.toContain('a-secret-key')

  const check = await finished(`check ${har} ${both} --json`)
  const { judged, ignored } = JSON.parse(check.out) as {
    judged: readonly { operation?: string; status: number; findings: readonly unknown[] }[]
    ignored: number
  }
  expect(judged.map((one) => [one.operation, one.status, one.findings.length]).slice(0, 2)).toEqual([
    ['listSymbols', 200, 0],
    ['prices', 101, 0],
  ])
  expect(ignored).toBe(0)
  await mock.stop()
})

it('verify exits with 1 if the service denies it, with 2 for an unknown message, and with 3 without a service', async () => {
  const mock = command(`mock --spec ${feed} --sockets --port 0 --json`)
  const line = `verify --sockets --spec ${feed} --listen-ms 20 --base-url ${await mock.url()}`
  const without = await finished(line)
  expect(without.code).toBe(1)
  expect(without.out).toMatch(/not run +prices.*\n.*\n.*needs a credential \(key, or token\)/)
  const wrong = await finished(`${line} --allow news`)
  expect(wrong.code).toBe(2)
  expect(wrong.error).toMatch(/no client message `news`. Valid names: subscribe, ping, order, hello\./)
  await mock.stop()
  const gone = await finished(`${line} --api-key-env key=K`, { K: 'k' })
  expect(gone.code).toBe(3)
  expect(gone.error).toMatch(/could not be reached: connect ECONNREFUSED/)
})

it('coverage lists channels, and compares a report with them', async () => {
  const listed = await finished(`coverage --spec ${types} --sockets ${feed}`)
  expect(listed.code).toBe(0)
  expect(listed.out).toContain('rule | prices | - | - | keepAlive: request')
  const suite = await createSocketSuite({ spec: feed, subject: feedSubject() })
  const file = temporaryFile('coverage.json', mergeReports(suite.report()))
  await suite.close()
  expect((await finished(`coverage --spec ${types} --sockets ${feed} --report ${file}`)).code).toBe(1)
})

const info = { title: 'Orders', version: '1.0.0' }
const order = { payload: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } }
const orders = { $ref: '#/channels/orders' }
const operations = { orders: { action: 'send', channel: orders } }
const topic = { address: 'orders.created', messages: { order } }

it.each([
  [
    'only topics of Kafka',
    {
      asyncapi: '3.0.0',
      info,
      servers: { broker: { host: 'broker.example:9092', protocol: 'kafka' } },
      channels: { orders: topic },
      operations,
    },
    'only other channels (`orders` uses kafka)',
  ],
  [
    'only topics of Kafka, in AsyncAPI 2',
    {
      asyncapi: '2.6.0',
      info,
      servers: { broker: { url: 'broker.example:9092', protocol: 'kafka' } },
      channels: { orders: { subscribe: { message: order } } },
    },
    'only other channels (`orders` uses kafka)',
  ],
  [
    'only webhooks',
    { asyncapi: '3.0.0', info, channels: { orders: { messages: { order } } }, operations },
    'only other channels (`orders` has no address)',
  ],
  ['no channels', { asyncapi: '3.0.0', info }, 'no channels at all'],
])('a document with %s is rejected by every command and by describeContract', async (_, document, reason) => {
  const file = temporaryFile('events.json', document)
  const har = temporaryFile('events.har', { log: { version: '1.2', entries: [] } })
  const sentence = `has no WebSocket channel, so nothing can be tested. The document has ${reason}. Pass an AsyncAPI document`
  for (const line of [
    `verify --spec ${file} --base-url http://127.0.0.1:9`,
    `mock --spec ${file} --port 0`,
    `mock --spec ${types} --sockets ${file} --port 0`,
    `proxy --spec ${file} --port 0 --upstream http://127.0.0.1:9`,
    `check ${har} --spec ${file}`,
    `coverage --spec ${file}`,
  ])
    expect(await finished(line)).toMatchObject({ code: 2, error: expect.stringContaining(sentence) })
  expect(() => describeContract({ describe: vi.fn(), it: vi.fn(), sockets: file })).toThrow(sentence)
})

it('an AsyncAPI 2 document of WebSockets works without OpenAPI, on the command line and in describeContract', async () => {
  const say = { name: 'say', payload: { type: 'object', properties: { text: { type: 'string' } } } }
  const file = temporaryFile('events.json', {
    asyncapi: '2.6.0',
    info: { title: 'Chat', version: '1.0.0' },
    servers: { main: { url: 'wss://chat.example', protocol: 'wss' } },
    channels: {
      '/rooms': { publish: { message: say }, subscribe: { message: { name: 'said', ...order } } },
    },
  })
  const listed = await finished(`coverage --spec ${file}`)
  expect(listed.code).toBe(0)
  expect(listed.out).toMatch(/\/rooms[^]*\d rows/)
  const mock = command(`mock --spec ${file} --port 0`)
  const verify = await finished(
    `verify --spec ${file} --base-url ${await mock.url()} --allow say --listen-ms 500`,
  )
  expect(verify.code).toBe(0)
  expect(verify.out).toContain('1 of 1 channels sent a documented message\npassed')
  await mock.stop()
  const tests = new Map<string, () => void>()
  describeContract({
    describe: (_, define) => define(),
    it: (name, run) => tests.set(name, run),
    sockets: file,
  })
  expect(tests.get('enough responses were found')).toThrow(
    /0 of 1 operations.*No response was found for: \/rooms\./,
  )
})

it('describeContract names the option for an AsyncAPI document that was passed as an OpenAPI document', () => {
  expect(() => describeContract({ describe: vi.fn(), it: vi.fn(), spec: feed })).toThrow(
    'is an AsyncAPI document; an OpenAPI document is needed. Pass the AsyncAPI document as `sockets`',
  )
})
