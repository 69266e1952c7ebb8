import { readFile } from 'node:fs/promises'
import { get } from 'node:http'

import { expect, it } from 'vitest'
import { WebSocket } from 'ws'

import { command, finished } from './fixture/command.ts'
import { temporaryFile, temporaryPath } from './fixture/local.ts'
import { standIn, type Asked, type StandInResponse } from './fixture/stand-in.ts'

// A different credential for each place, with characters that each place encodes differently.
const secrets = {
  header: 'header-key/7+q"x',
  query: 'query-key/8+r&x',
  cookie: 'cookie-key-9s-x',
  bearer: 'bearer-token.10t',
  password: 'basic-password/11',
}
const basic = `kim:${secrets.password}`
const encoded = Buffer.from(basic).toString('base64')
/** The forms in which a service may repeat them. */
const shapes = Object.values(secrets).flatMap((one) => [
  one,
  encodeURIComponent(one),
  JSON.stringify(one).slice(1, -1),
  Buffer.from(one).toString('base64'),
])

const securitySchemes = {
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api_key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  bearer: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://id.example/t', scopes: {} } } },
  basic: { type: 'http', scheme: 'basic' },
}
const openapi = {
  openapi: '3.1.0',
  info: { title: 'Locks', version: '1' },
  servers: [{ url: 'https://locks.example' }],
  paths: Object.fromEntries(
    Object.keys(securitySchemes).map((scheme) => [
      `/${scheme}`,
      {
        get: {
          operationId: `get-${scheme}`,
          security: [{ [scheme]: [] }],
          responses: {
            200: {
              description: 'A lock.',
              content: {
                'application/json': {
                  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
                },
              },
            },
          },
        },
      },
    ]),
  ),
  components: { securitySchemes },
}
const asyncapi = {
  asyncapi: '3.0.0',
  info: { title: 'Locks, live', version: '1' },
  servers: {
    main: {
      host: 'locks.example',
      protocol: 'wss',
      security: ['header', 'query', 'cookie'].map((name) => ({
        $ref: `#/components/securitySchemes/${name}`,
      })),
    },
  },
  channels: { live: { address: '/live', messages: { turned: { payload: { type: 'object' } } } } },
  operations: { tell: { action: 'send', channel: { $ref: '#/channels/live' } } },
  components: {
    securitySchemes: Object.fromEntries(
      (['header', 'query', 'cookie'] as const).map((name) => [
        name,
        { ...securitySchemes[name], type: 'httpApiKey' },
      ]),
    ),
  },
}

/** A service that violates the contract, and repeats everything it receives wherever it can. */
function echo({ url, headers }: Asked): StandInResponse {
  const heard = decodeURIComponent(
    [url, headers['x-key'], headers['cookie'], headers['authorization']].join(' '),
  )
  const plain = encodeURIComponent(heard)
  return {
    status: 200,
    headers: {
      'content-type': 'application/json',
      location: `/elsewhere?note=${plain}`,
      link: `<https://locks.example/next?key=${plain}>; rel="next"`,
      'x-heard': Buffer.from(heard).toString('latin1'),
    },
    body: JSON.stringify({ id: `no number: ${heard}`, [heard]: heard, password: secrets.password }),
  }
}

const address = (base: string): string => `${base}/query?api_key=${encodeURIComponent(secrets.query)}`
const requests = (base: string): [string, Record<string, string>][] => [
  [`${base}/header`, { 'x-key': secrets.header }],
  [address(base), {}],
  [`${base}/cookie`, { cookie: `theme=dark; sid=${secrets.cookie}` }],
  [`${base}/bearer`, { authorization: `Bearer ${secrets.bearer}` }],
  [`${base}/basic`, { authorization: `Basic ${encoded}` }],
  // A client that also writes its key into the path, where nothing marks it as secret.
  [`${base}/header/${encodeURIComponent(secrets.header)}`, { 'x-key': secrets.header }],
  [`${base}/header?key=${encodeURIComponent(secrets.header)}`, { 'x-key': secrets.header }],
]

/** Sends a request whose cookies `fetch` would leave out. */
const send = (url: string, headers: Record<string, string>): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, { headers }, (response) => response.resume().on('end', resolve)).on('error', reject)
  })

function expectNone(what: string, text: string): void {
  expect(text.length, `${what} is empty`).toBeGreaterThan(40)
  expect(
    [...shapes, encoded].filter((one) => text.includes(one)),
    what,
  ).toEqual([])
}

/** Everything that a command has printed so far. */
const textOf = ({ printed }: ReturnType<typeof command>): string => printed.out + printed.error

it.each([[''], [' --json']])(
  'mock, proxy, its recording, replay and check never show a credential, not even one in a query or cookie%s',
  async (json) => {
    await using service = await standIn(echo)
    const [spec, har] = [temporaryFile('openapi.json', openapi), temporaryPath('session.har')]
    const mock = command(`mock --spec ${spec} --port 0${json}`)
    const proxy = command(`proxy --spec ${spec} --port 0 --upstream ${service.url} --har ${har}${json}`)
    const withoutService = command(`proxy --spec ${spec} --port 0 --upstream http://127.0.0.1:1${json}`)
    for (const one of [mock, proxy, withoutService]) {
      for (const [url, headers] of requests(await one.url())) await send(url, headers)
      await one.stop()
    }
    const replay = command(`replay ${har} --port 0${json}`)
    for (const [url, headers] of requests(await replay.url())) await send(url, headers)
    await replay.stop()
    // A documented request has the credential that its operation requires, although its value is removed.
    const { out } = await finished(`check ${har} --spec ${spec}`)
    expect(out).toContain('BROKEN #5 GET /basic 200 (get-basic)')
    expect(out).not.toContain('got no credential')
    const report = temporaryPath('check.xml')
    const check = command(`check ${har} --spec ${spec} --junit ${report}${json}`)
    expect(await check.code).toBe(1)
    expect(service.asked.map(({ headers }) => headers.cookie)).toContain(`theme=dark; sid=${secrets.cookie}`)
    expectNone('the mock', textOf(mock))
    expectNone('the proxy', textOf(proxy))
    expectNone('the proxy without a service', textOf(withoutService))
    expectNone('the recording', await readFile(har, 'utf8'))
    expectNone('check', textOf(check))
    expectNone('the report of check', await readFile(report, 'utf8'))
    // A replay doesn't know what is secret, so it never shows a query, a header or a cookie.
    expect(textOf(replay)).not.toContain(encodeURIComponent(secrets.query))
    expect(textOf(replay)).not.toContain(secrets.cookie)
  },
)

it('verify sends each credential in its place, and no report shows one', async () => {
  await using service = await standIn(echo)
  const names = { ...secrets, basic }
  const env = Object.fromEntries(Object.entries(names).map(([name, one]) => [name.toUpperCase(), one]))
  const keys = Object.keys(securitySchemes).map((name) => `--api-key-env ${name}=${name.toUpperCase()}`)
  const spec = temporaryFile('openapi.json', openapi)
  const [junit, html] = [temporaryPath('verify.xml'), temporaryPath('verify.html')]
  const line = `verify --spec ${spec} --base-url ${service.url} ${keys.join(' ')}`
  const text = command(`${line} --junit ${junit} --html ${html}`, env)
  const json = command(`${line} --json`, env)
  expect(await Promise.all([text.code, json.code])).toEqual([1, 1])
  const sent = service.asked.map(({ url, headers }) => ({ url, ...headers }))
  expect(sent).toContainEqual(expect.objectContaining({ url: '/header', 'x-key': secrets.header }))
  expect(sent).toContainEqual(expect.objectContaining({ url: address('') }))
  expect(sent).toContainEqual(expect.objectContaining({ url: '/cookie', cookie: `sid=${secrets.cookie}` }))
  expect(sent).toContainEqual(expect.objectContaining({ authorization: `Bearer ${secrets.bearer}` }))
  expect(sent).toContainEqual(expect.objectContaining({ authorization: `Basic ${encoded}` }))
  expectNone('the text', textOf(text))
  expectNone('the JSON', textOf(json))
  for (const report of [junit, html]) expectNone(report, await readFile(report, 'utf8'))
})

it('mock, proxy, recording and verify of WebSockets never show a credential of a handshake, not even one in a query or cookie', async () => {
  const [spec, har] = [temporaryFile('asyncapi.json', asyncapi), temporaryPath('sockets.har')]
  const mock = command(`mock --spec ${spec} --port 0`)
  const proxy = command(`proxy --spec ${spec} --port 0 --upstream ${await mock.url()} --har ${har}`)
  const base = (await proxy.url()).replace(/^http/, 'ws')
  const handshakes: [string, Record<string, string>][] = [
    [`${base}/live`, { 'x-key': secrets.header }],
    [`${base}/live?api_key=${encodeURIComponent(secrets.query)}`, {}],
    [`${base}/live`, { cookie: `sid=${secrets.cookie}` }],
    [`${base}/live/${secrets.cookie}`, { cookie: `sid=${secrets.cookie}` }],
  ]
  for (const [url, headers] of handshakes) {
    const socket = new WebSocket(url, { headers })
    await new Promise<void>((resolve) => {
      socket.once('open', () => socket.close(1000))
      socket.once('close', () => resolve())
      socket.on('error', () => resolve())
    })
  }
  const env = { HEADER: secrets.header, QUERY: secrets.query, COOKIE: secrets.cookie }
  const line = `verify --spec ${spec} --base-url ${await proxy.url()} --listen-ms 30`
  for (const name of ['header', 'query', 'cookie']) {
    const verify = command(`${line} --api-key-env ${name}=${name.toUpperCase()}`, env)
    await verify.code
    expectNone(`verify with ${name}`, textOf(verify))
    expect(textOf(verify)).toContain('(101)')
  }
  await proxy.stop()
  await mock.stop()
  expectNone('the mock', textOf(mock))
  expectNone('the proxy', textOf(proxy))
  expectNone('the recording', await readFile(har, 'utf8'))
})

it('no output has the query, user or password of the URL that a contract is read from', async () => {
  await using pages = await standIn(() => ({ json: openapi }))
  const mock = command(`mock --spec ${pages.url}/openapi.json?key=page-query --port 0`)
  await mock.url()
  await mock.stop()
  expect(textOf(mock)).toContain(`mock of ${pages.url}/openapi.json is listening`)
  const withUser = pages.url.replace('//', '//kim:page-password@')
  const rejected = await finished(`mock --spec ${withUser}/openapi.json?key=page-query`)
  expect(rejected.code).toBe(2)
  expect(rejected.error).toContain(
    'contains a user name or a password (omitted here). Download the document, and use its path instead.',
  )
  expect(textOf(mock) + rejected.error).not.toMatch(/page-(?:password|query)/)
})
