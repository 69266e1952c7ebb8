import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'

import { expect, onTestFinished, it } from 'vitest'

import { AuthorizationError, OptionsError } from '../../core/errors.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'
import {
  type CodeOutcome,
  type LoopbackOptions,
  type LoopbackSignIn,
  startLoopbackSignIn,
} from './loopback-server.ts'

const accepted = (value: string): CodeOutcome<string> => ({ kind: 'accepted', value })

/** The headers of a browser that navigates to the callback from another site. */
const NAVIGATION = {
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'cross-site',
  accept: 'text/html',
}

const GOOD = '/callback?token=good'

async function ask(
  port: number,
  path: string,
  own: { method?: string; host?: string; address?: string; headers?: Record<string, string> } = {},
) {
  const { method = 'GET', host = `localhost:${port}`, address = '127.0.0.1', headers = NAVIGATION } = own
  const to = { host: address, port, path, method, headers: { ...headers, host }, agent: false }
  const [response] = (await once(request(to).end(), 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** Starts a sign-in that accepts the code `good`; the response to a code waits for what `until` returns. */
async function start(
  own: Partial<LoopbackOptions<string>> = {},
  until: (code: string) => Promise<void> | undefined = () => undefined,
) {
  const codes: string[] = []
  const signIn: LoopbackSignIn<string> = await startLoopbackSignIn<string>({
    parameter: 'token',
    limitMs: 300_000,
    async accept(code) {
      codes.push(code)
      await until(code)
      return code === 'good' ? accepted('signed in') : { kind: 'rejected' }
    },
    ...own,
  })
  onTestFinished(() => signIn.close())
  return { signIn, codes, port: signIn.port }
}

const isClosed = (port: number, host = '127.0.0.1'): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host)
    socket.on('connect', () => (socket.destroy(), resolve(false)))
    socket.on('error', () => resolve(true))
  })

/** Whether this machine has ::1. */
const hasIpv6 = await new Promise<boolean>((resolve) => {
  const server = createServer()
  server.on('error', () => resolve(false))
  server.listen(0, '::1', () => server.close(() => resolve(true)))
})

it('R-45: the page is plain and accessible, is not cached, and contains no data of the request', async () => {
  const { port } = await start()
  for (const path of ['/callback?token=%3Cscript%3Ebad', '/else?token=good', GOOD]) {
    const { headers, body } = await ask(port, path)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    )
    expect(body).toMatch(/^<!doctype html>\n<html lang="en">[\s\S]*<title>[^<]+<\/title>[\s\S]*<main>\n<h1>/)
    expect(body).not.toMatch(/good|bad|<script/)
  }
})

it('R-45: the text of a page is escaped', async () => {
  const { port } = await start({
    accept: async () => ({
      kind: 'accepted',
      value: 'signed in',
      page: { title: '<b>Kim & co</b>', text: '"><script>alert(1)</script>' },
    }),
  })
  const { body } = await ask(port, GOOD)
  expect(body).toContain('<h1>&#60;b&#62;Kim &#38; co&#60;/b&#62;</h1>')
  expect(body).not.toContain('<script>')
})

/** Added to the title of a test that must be skipped. */
const missing = hasIpv6 ? '' : ' [this machine has no ::1]'

it.runIf(hasIpv6)(`R-45: the server has localhost on IPv4 and on IPv6${missing}`, async () => {
  const { port, signIn } = await start()
  expect((await ask(port, '/callback', { address: '127.0.0.1' })).status).toBe(400)
  expect((await ask(port, '/callback', { address: '::1' })).status).toBe(400)
  expect((await ask(port, GOOD, { address: '::1' })).status).toBe(200)
  await signIn.result
  expect(await isClosed(port, '::1')).toBe(true)
})

it('R-45: only this machine gets a response', async () => {
  const { port } = await start()
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
    .map(({ address }) => address)
  // All of 127.0.0.0/8 is this machine, and a server on every interface would respond there too.
  if (process.platform === 'linux') others.push('127.0.0.2')
  expect(others).not.toEqual([])
  for (const address of others) expect(await isClosed(port, address), address).toBe(true)
})

/** The draw for a port. */
const drawOf = (port: number): number => (port + 0.5 - 49_152) / 16_384

// Another program may have a port of its own there: then the one beside it is drawn, until one is free.
it.each([
  ['the lowest draw', 0, (tries: number) => 49_152 + tries],
  ['the highest draw', 0.999_999_999, (tries: number) => 65_535 - tries],
])('R-45: the port comes from the random source: %s', async (_, first, portAt) => {
  let tries = 0
  const { port } = await start({ random: () => (tries++ === 0 ? first : drawOf(portAt(tries - 1))) })
  expect(port).toBe(portAt(tries - 1))
})

/** Takes a port of the range, the first that is free from some place on. */
async function take(host: string): Promise<number> {
  for (let port = 49_152 + ((process.pid * 7) % 16_000); ; port++) {
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.on('error', () => resolve(false))
      server.listen(port, host, () => resolve(true))
    })
    if (!isFree) continue
    onTestFinished(() => void server.close())
    return port
  }
}

it.each(['127.0.0.1', ...(hasIpv6 ? ['::1'] : [])])(
  'R-45: a port that is taken on %s is not used on either address, and another one is tried',
  async (host) => {
    const taken = await take(host)
    let tries = 0
    const { port } = await start({ random: () => drawOf(taken + Math.max(0, tries++ - 1)) })
    expect(tries).toBeGreaterThan(2)
    expect(port).toBe(taken + tries - 2)
    await expect(start({ random: () => drawOf(taken) })).rejects.toThrow(OptionsError)
  },
)

const fetched = (mode: string, dest: string) => ({
  headers: { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest },
})

const forged: [string, string, Parameters<typeof ask>[2], number][] = [
  ['another path', '/other?token=good', {}, 404],
  ['a longer path', '/callback/?token=good', {}, 404],
  ['a path in capitals', '/Callback?token=good', {}, 404],
  ['POST', GOOD, { method: 'POST' }, 405],
  ['HEAD', GOOD, { method: 'HEAD' }, 405],
  ['OPTIONS', GOOD, { method: 'OPTIONS' }, 405],
  ['a name that was made to point here', GOOD, { host: 'evil.example' }, 421],
  ['another port in Host', GOOD, { host: 'localhost:1' }, 421],
  ['no port in Host', GOOD, { host: 'localhost' }, 421],
  ['no code', '/callback', {}, 400],
  ['an empty code', '/callback?token=', {}, 400],
  ['two codes', `${GOOD}&token=other`, {}, 400],
  ['a code without end', `/callback?token=${'a'.repeat(4097)}`, {}, 400],
  ['an error in place of a code', '/callback?error=denied', {}, 400],
  ["a script's fetch", GOOD, fetched('cors', 'empty'), 403],
  ["a script's blind fetch", GOOD, fetched('no-cors', 'empty'), 403],
  ['a picture', GOOD, fetched('no-cors', 'image'), 403],
  ['a frame', GOOD, fetched('navigate', 'iframe'), 403],
  ["an older browser's script", GOOD, { headers: { origin: 'https://evil.example' } }, 403],
  ['a prefetch', GOOD, { headers: { ...NAVIGATION, 'sec-purpose': 'prefetch' } }, 403],
  ['an older prefetch', GOOD, { headers: { purpose: 'prefetch' } }, 403],
]

it.each(forged)('R-45: %s is rejected and changes nothing', async (_what, path, own, status) => {
  const { signIn, codes, port } = await start()
  expect((await ask(port, path, own)).status).toBe(status)
  expect(codes).toEqual([])
  expect((await ask(port, GOOD)).status).toBe(200)
  expect(await signIn.result).toBe('signed in')
})

it.each([
  [
    'an address in full',
    'GET http://localhost/callback?token=good HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n',
    /^HTTP\/1.1 400/,
  ],
  ['no Host', 'GET /callback?token=good HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400/],
  [
    'a second Host',
    'GET /callback?token=good HTTP/1.1\r\nHost: localhost:PORT\r\nHost: evil.test\r\n\r\n',
    /^HTTP\/1.1 400/,
  ],
  ['bytes that are not HTTP', 'hello\r\n\r\n', /^$/],
  [
    'an upgrade',
    'GET /callback?token=good HTTP/1.1\r\nHost: evil:PORT\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    /^(HTTP\/1.1 421|$)/,
  ],
])('R-45: %s changes nothing', async (_what, text, expected) => {
  const { signIn, codes, port } = await start()
  const reply = await new Promise<string>((resolve) => {
    let got = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text.replaceAll('PORT', String(port))))
    socket.on('data', (data) => (got += data))
    socket.on('close', () => resolve(got))
    socket.on('error', () => undefined)
  })
  expect(reply).toMatch(expected)
  expect(codes).toEqual([])
  await ask(port, GOOD)
  await signIn.result
})

it('R-45: unknown parameters and a browser without Fetch Metadata are accepted', async () => {
  const { signIn, codes, port } = await start()
  await ask(port, '/callback?utm=1&token=go%6Fd&state=x', { headers: {} })
  expect(await signIn.result).toBe('signed in')
  expect(codes).toEqual(['good'])
})

it('R-45: a navigation to the callback sends the code; one that the service rejects does not end the sign-in', async () => {
  const { signIn, codes, port } = await start()
  const reply = await ask(port, '/callback?token=forged')
  expect(reply.status).toBe(400)
  expect(reply.body).toContain('The sign-in did not work')
  // How long a code is valid differs between services.
  expect(reply.body).not.toContain('minute')
  const confirmation = await ask(port, GOOD)
  expect(confirmation.status).toBe(200)
  expect(confirmation.body).toContain('<h1>You are signed in</h1>')
  expect(await signIn.result).toBe('signed in')
  expect(codes).toEqual(['forged', 'good'])
  expect(await isClosed(port)).toBe(true)
})

it('R-45: a code is sent to the service once, however often the browser repeats it', async () => {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  const { signIn, port, codes } = await start({}, (code) => (code === 'good' ? released : undefined))
  await ask(port, '/callback?token=forged')
  expect((await ask(port, '/callback?token=forged')).status).toBe(400)
  const both = [ask(port, GOOD), ask(port, GOOD)]
  await expect.poll(() => codes).toEqual(['forged', 'good'])
  resolve()
  await signIn.result
  const statuses = (await Promise.allSettled(both)).map((each) =>
    each.status === 'fulfilled' ? each.value.status : 0,
  )
  expect(statuses).toContain(200)
  expect(codes).toEqual(['forged', 'good'])
})

it('R-45: codes are tried one after the other, with a limited queue, and none after one was accepted', async () => {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  const { signIn, port, codes } = await start({}, (code) => (code === 'first' ? released : undefined))
  const queued = []
  for (const code of ['first', 'good', 'third', 'fourth']) {
    queued.push(ask(port, `/callback?token=${code}`).catch(() => undefined))
    // In this order, although each comes over a connection of its own.
    await ask(port, '/')
  }
  expect((await ask(port, '/callback?token=fifth')).status).toBe(503)
  expect(codes).toEqual(['first'])
  resolve()
  expect(await signIn.result).toBe('signed in')
  await Promise.all(queued)
  expect(codes).toEqual(['first', 'good'])
})

it('R-45: an error of the exchange ends the sign-in, and the page says so', async () => {
  const failure = new Error('no network')
  const { signIn, port } = await start({ accept: () => Promise.reject(failure) })
  const reply = await ask(port, GOOD)
  expect(reply.status).toBe(502)
  expect(reply.body).not.toContain('no network')
  await expect(signIn.result).rejects.toBe(failure)
  expect(await isClosed(port)).toBe(true)
})

it('R-45: the time limit ends the sign-in and closes the server', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const { signIn, port } = await start({ clock, limitMs: 300_000 })
  await clock.advance(299_999)
  expect(await isClosed(port)).toBe(false)
  await clock.advance(1)
  await expect(signIn.result).rejects.toMatchObject({ code: 'authorization-expired' })
  await expect(signIn.result).rejects.toThrow(/within 300 s/)
  expect(await isClosed(port)).toBe(true)
})

it('R-45: an abort ends the sign-in at once, also in an exchange, with its own reason', async () => {
  const controller = new AbortController()
  let told: unknown
  const { signIn, port } = await start({
    signal: controller.signal,
    accept: (_code, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          told = signal.reason
          reject(signal.reason as Error)
        })
        controller.abort(reason)
      }),
  })
  const reason = new Error('enough')
  await ask(port, GOOD).catch(() => undefined)
  await expect(signIn.result).rejects.toBe(reason)
  expect(told).toBe(reason)
  expect(await isClosed(port)).toBe(true)
  await expect(start({ signal: controller.signal })).rejects.toBe(reason)
})

it('R-45: an abort while the port is chosen ends the sign-in too', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const { signIn, port } = await start({
    signal: controller.signal,
    random() {
      controller.abort(reason)
      return Math.random()
    },
  })
  await expect(signIn.result).rejects.toBe(reason)
  expect(await isClosed(port)).toBe(true)
})

/** Opens a connection that never completes its request. */
async function connectSilently(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.on('connect', resolve))
  await new Promise<void>((resolve) => socket.write('GET /callback HTTP/1.1\r\nHost: ', () => resolve()))
}

it('R-45: a connection with an incomplete request does not keep the server open', async () => {
  const { signIn, port } = await start()
  await connectSilently(port)
  await ask(port, GOOD)
  expect(await signIn.result).toBe('signed in')
})

it('R-45: idle connections do not keep the browser out', async () => {
  const { signIn, port } = await start()
  for (let count = 0; count < 100; count++) await connectSilently(port)
  expect((await ask(port, GOOD)).status).toBe(200)
  expect(await signIn.result).toBe('signed in')
})

it('R-45: forged codes cannot use up the rate of the service: five rejected ones a minute are tried', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const { signIn, port, codes } = await start({ clock })
  for (let count = 0; count < 5; count++)
    expect((await ask(port, `/callback?token=forged-${count}`)).status).toBe(400)
  const turnedAway = await ask(port, GOOD)
  expect(turnedAway.status).toBe(503)
  expect(turnedAway.headers['retry-after']).toBe('60')
  expect(turnedAway.body).toContain('Wait a minute')
  expect(codes).toHaveLength(5)
  await clock.advance(60_000)
  expect((await ask(port, GOOD)).status).toBe(200)
  expect(await signIn.result).toBe('signed in')
})

it('R-45: codes that are not from this sign-in can come as often as they like, and do not keep the right one out', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const { signIn, port } = await start({
    clock,
    accept: async (code) => (code === 'good' ? accepted('signed in') : { kind: 'foreign' }),
  })
  for (let count = 0; count < 20; count++)
    expect((await ask(port, `/callback?token=foreign-${count}`)).status).toBe(400)
  expect((await ask(port, GOOD)).status).toBe(200)
  expect(await signIn.result).toBe('signed in')
})

it('R-45: closing early rejects the result, and leaves no timer', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const { signIn, port } = await start({ clock })
  await signIn.close()
  await expect(signIn.result).rejects.toBeInstanceOf(AuthorizationError)
  expect(await isClosed(port)).toBe(true)
  expect(clock.timers).toBe(0)
})
