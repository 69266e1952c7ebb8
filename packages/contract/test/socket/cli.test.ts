import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect, it, vi } from 'vitest'

import { run } from '../../src/cli/run.ts'
import { createSocketSuite, describeContract, mergeReports, verifySockets } from '../../src/index.ts'
import { feedFile, feedSubject } from '../fixture/feed/feed-client.ts'

vi.setConfig({ testTimeout: 60_000 })

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

function command(args: readonly string[], env: Record<string, string> = {}) {
  let out = ''
  let error = ''
  let stop = (): void => {}
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  const code = run(args, {
    version: '0.0.0',
    env,
    out: (text) => void (out += text),
    error: (text) => void (error += text),
    stopped: () => stopped,
  })
  const url = (): Promise<string> =>
    vi.waitFor(() => {
      const found = /listening on (\S+)/.exec(out)?.[1]
      if (!found) throw new Error(`it does not listen: ${out} ${error}`)
      return found
    })
  return { code, url, stop, read: () => ({ out, error }) }
}

it('mock, proxy and verify work with WebSockets on the command line, and show no secret', async () => {
  // An AsyncAPI file doesn't need --sockets.
  const mock = command(['mock', '--spec', feed, '--port', '0'])
  const proxy = command(['proxy', '--spec', feed, '--sockets', '--port', '0', '--upstream', await mock.url()])
  const verify = command(
    [
      'verify',
      '--spec',
      feed,
      '--base-url',
      await proxy.url(),
      '--api-key-env',
      'key=FEED_KEY',
      '--listen-ms',
      '60',
      '--allow',
      'subscribe',
      'desk/hello',
      'desk/order',
    ],
    { FEED_KEY: 'a-secret-key' },
  )
  expect(await verify.code).toBe(0)
  expect(verify.read().out).toMatch(
    /pass +prices {2}WS \/v1\/prices\n +pass: as documented: subscribed \(101\)/,
  )
  expect(verify.read().out).toMatch(/pass +desk .*\n +pass: as documented: other \(101\)/)
  expect(verify.read().out).toContain('2 of 2 channels responded with a success\npassed')
  await vi.waitFor(() => expect(proxy.read().out).toContain('closed by the client with 1000'))
  proxy.stop()
  // The verification includes handshakes without a credential and with another path.
  expect(await proxy.code).toBe(1)
  expect(proxy.read().out).toContain('3 violated the contract')
  mock.stop()
  expect(await mock.code).toBe(0)
  expect([mock, proxy, verify].map((one) => JSON.stringify(one.read())).join()).not.toContain('a-secret-key')
})

it('mock, proxy and check serve operations and channels of a service together, and record both without secrets', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'contract-both-'))
  try {
    const spec = join(folder, 'openapi.json')
    const har = join(folder, 'session.har')
    await writeFile(spec, JSON.stringify(listing))
    const both = ['--spec', spec, '--sockets', feed]
    const mock = command(['mock', ...both, '--port', '0'])
    const upstream = await mock.url()
    expect(mock.read().out).toContain(`mock of ${spec} and ${feed} is listening`)
    const proxy = command(['proxy', ...both, '--upstream', upstream, '--port', '0', '--har', har])
    const url = await proxy.url()
    expect((await fetch(`${url}/v1/symbols`, { headers: { 'x-list-key': 'a-list-key' } })).status).toBe(200)
    const credentials = { key: 'a-secret-key' }
    await verifySockets({ spec: feed, baseUrl: url, credentials, listenMs: 20, allow: ['subscribe'] })
    proxy.stop()
    await proxy.code
    expect(proxy.read().out).toMatch(/\d+ exchanges, handshakes, messages and closes, \d+ violated/)
    const recorded = await readFile(har, 'utf8')
    expect(recorded).not.toContain('a-list-key')
    expect(recorded).not.toContain('a-secret-key')

    const check = command(['check', har, ...both, '--json'])
    await check.code
    const { judged, ignored } = JSON.parse(check.read().out) as {
      judged: readonly { operation?: string; status: number; findings: readonly unknown[] }[]
      ignored: number
    }
    expect(judged.map((one) => [one.operation, one.status, one.findings.length]).slice(0, 2)).toEqual([
      ['listSymbols', 200, 0],
      ['prices', 101, 0],
    ])
    expect(ignored).toBe(0)
    mock.stop()
    await mock.code
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('verify exits with 1 if the service denies it, with 2 for an unknown message, and with 3 without a service', async () => {
  const mock = command(['mock', '--spec', feed, '--sockets', '--port', '0', '--json'])
  const line = await vi.waitFor(() => {
    const { listening } = JSON.parse(mock.read().out.split('\n')[0] ?? '') as { listening: string }
    return listening
  })
  const base = ['verify', '--sockets', '--spec', feed, '--listen-ms', '20']
  const without = command([...base, '--base-url', line])
  expect(await without.code).toBe(1)
  expect(without.read().out).toMatch(/not run +prices.*\n.*\n.*needs a credential \(key, or token\)/)
  const wrong = command([...base, '--base-url', line, '--allow', 'news'])
  expect(await wrong.code).toBe(2)
  expect(wrong.read().error).toMatch(/no message news. It has subscribe, ping, order, hello\./)
  mock.stop()
  await mock.code
  const gone = command([...base, '--base-url', line, '--api-key-env', 'key=K'], { K: 'k' })
  expect(await gone.code).toBe(3)
  expect(gone.read().error).toMatch(/could not be reached: connect ECONNREFUSED/)
})

it('coverage lists channels, and compares a report with them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'contract-sockets-'))
  try {
    const listed = command(['coverage', '--spec', types, '--sockets', feed])
    expect(await listed.code).toBe(0)
    expect(listed.read().out).toContain('rule | prices | - | - | keepAlive: request')
    const suite = await createSocketSuite({ spec: feed, subject: feedSubject() })
    const file = join(folder, 'coverage.json')
    await writeFile(file, JSON.stringify(mergeReports(suite.report())))
    await suite.close()
    const held = command(['coverage', '--spec', types, '--sockets', feed, '--report', file])
    expect(await held.code).toBe(1)
  } finally {
    await rm(folder, { recursive: true })
  }
})

const info = { title: 'Orders', version: '1.0.0' }
const order = { payload: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } }
const orders = { $ref: '#/channels/orders' }
const operations = { orders: { action: 'send', channel: orders } }
const topic = { address: 'orders.created', messages: { order } }

/** Runs a function with each document in a file. */
async function withFile(document: object, run: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-documents-'))
  try {
    const file = join(folder, 'events.json')
    await writeFile(file, JSON.stringify(document))
    await run(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}

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
    'only other channels (orders uses kafka)',
  ],
  [
    'only topics of Kafka, in AsyncAPI 2',
    {
      asyncapi: '2.6.0',
      info,
      servers: { broker: { url: 'broker.example:9092', protocol: 'kafka' } },
      channels: { orders: { subscribe: { message: order } } },
    },
    'only other channels (orders uses kafka)',
  ],
  [
    'only webhooks',
    { asyncapi: '3.0.0', info, channels: { orders: { messages: { order } } }, operations },
    'only other channels (orders has no address)',
  ],
  ['no channels', { asyncapi: '3.0.0', info }, 'no channels at all'],
])('a document with %s is rejected by every command and by describeContract', (_, document, reason) =>
  withFile(document, async (file) => {
    const sentence = `has no WebSocket channel, so nothing can be tested: it has ${reason}. Pass an AsyncAPI document`
    const har = `${file}.har`
    await writeFile(har, JSON.stringify({ log: { version: '1.2', entries: [] } }))
    for (const words of [
      ['verify', '--spec', file, '--base-url', 'http://127.0.0.1:9'],
      ['mock', '--spec', file, '--port', '0'],
      ['mock', '--spec', types, '--sockets', file, '--port', '0'],
      ['proxy', '--spec', file, '--port', '0', '--upstream', 'http://127.0.0.1:9'],
      ['check', har, '--spec', file],
      ['coverage', '--spec', file],
    ]) {
      const ran = command(words)
      expect(await ran.code, words[0]).toBe(2)
      expect(ran.read().error, words[0]).toContain(sentence)
    }
    expect(() => describeContract({ describe: vi.fn(), it: vi.fn(), sockets: file })).toThrow(sentence)
  }),
)

it('an AsyncAPI 2 document of WebSockets works without OpenAPI, on the command line and in describeContract', () =>
  withFile(
    {
      asyncapi: '2.6.0',
      info: { title: 'Chat', version: '1.0.0' },
      servers: { main: { url: 'wss://chat.example', protocol: 'wss' } },
      channels: {
        '/rooms': {
          publish: {
            message: { name: 'say', payload: { type: 'object', properties: { text: { type: 'string' } } } },
          },
          subscribe: { message: { name: 'said', ...order } },
        },
      },
    },
    async (file) => {
      const listed = command(['coverage', '--spec', file])
      expect(await listed.code).toBe(0)
      expect(listed.read().out).toMatch(/\/rooms[^]*\d rows/)
      const mock = command(['mock', '--spec', file, '--port', '0'])
      const words = ['verify', '--spec', file, '--base-url', await mock.url(), '--allow', 'say']
      const verify = command([...words, '--listen-ms', '60'])
      expect(await verify.code).toBe(0)
      expect(verify.read().out).toContain('1 of 1 channels responded with a success\npassed')
      mock.stop()
      await mock.code
      const tests = new Map<string, () => void>()
      describeContract({
        describe: (_, define) => define(),
        it: (name, run) => tests.set(name, run),
        sockets: file,
      })
      expect(tests.get('enough responses were found')).toThrow(
        /0 of 1 operations.*Without a response: \/rooms\./,
      )
    },
  ))

it('describeContract names the option for an AsyncAPI document that was passed as an OpenAPI document', () => {
  expect(() => describeContract({ describe: vi.fn(), it: vi.fn(), spec: feed })).toThrow(
    'is an AsyncAPI document; an OpenAPI document is needed. Pass its WebSocket channels as `sockets`',
  )
})
