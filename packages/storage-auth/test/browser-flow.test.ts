import { EventEmitter } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { EmulatorOptions, Fault } from '@concord/emulator'
import { systemClock } from '@concord/runtime/internal'
import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import { expect, onTestFinished, it, vi } from 'vitest'

import { signInWithBrowser } from '../src/sign-in-with-browser.ts'
import {
  AuthorizationError,
  type BrowserSignInOptions,
  memoryStore,
  StorageAuth,
  type StorageAuthOptions,
  type User,
} from '../src/index.ts'
import { navigate, offline, rejection, temporaryFolder, TOKENS } from './support.ts'

/** A client and an emulator that use the clock of this machine. */
async function setUp(own: Partial<StorageAuthOptions> = {}, emulated: EmulatorOptions = {}) {
  const options = { clock: systemClock, random: Math.random, ...own }
  const { emulator, storage } = await offline(options, { clock: systemClock, ...emulated })
  const { control, email: known } = emulator.storageAuth
  return { emulator, storage, control, code: (email = known) => control.issueCode(email) }
}

/** Starts a sign-in, and returns the port in the URL of the page. */
async function begin(storage: StorageAuth, own: BrowserSignInOptions = {}) {
  const { promise: pageUrl, resolve } = Promise.withResolvers<string>()
  const signingIn = storage.signInWithBrowser({ openBrowser: false, onAddress: resolve, ...own })
  signingIn.catch(() => undefined)
  const ended = signingIn.then(() => Promise.reject(new Error('The sign-in ended before its page was shown')))
  const url = await Promise.race([pageUrl, ended])
  return { signingIn, url, port: portOf(url) }
}

it('R-45: the URL is that of the page, with only source and port as parameters', async () => {
  const { storage, emulator, code } = await setUp()
  const { signingIn, url, port } = await begin(storage, { webUrl: 'http://web.test/prefix//' })
  expect(url).toBe(`http://web.test/prefix/auth/signin?source=api&port=${port}`)
  expect(Number(port)).toBeGreaterThanOrEqual(49_152)
  expect(Number(port)).toBeLessThanOrEqual(65_535)
  const response = await navigate(port, `token=${code()}`)
  expect(response.status).toBe(200)
  expect(response.body).toContain(`You are signed in as ${emulator.storageAuth.email}`)
  expect((await signingIn).user?.email).toBe(emulator.storageAuth.email)
  expect((await storage.resume())?.kind).toBe('tokens')
})

it("R-45: the port comes from the client's random source", async () => {
  // Another process may use any of these ports.
  const draws: number[] = []
  const random = () => {
    const draw = (draws.length * 0.381_966) % 1
    draws.push(draw)
    return draw
  }
  const { storage } = await setUp({ random })
  const { port, signingIn } = await begin(storage)
  expect(draws.map((draw) => String(49_152 + Math.floor(draw * 16_384)))).toContain(port)
  await storage.close()
  await expect(signingIn).rejects.toThrow()
})

it('R-45: after a rejected code, a used code or a used-up rate, the sign-in keeps waiting', async () => {
  const { storage, control, code } = await setUp({
    tokenRequestsPerMinute: Infinity,
    retry: { maxAttempts: 1 },
  })
  const { signingIn, port } = await begin(storage)
  const used = code()
  const other = await setUp()
  await expect(other.storage.exchangeCode(used)).rejects.toThrow()
  control.faults.add({ kind: 'status', status: 429, operation: 'exchangeCode' })
  const tooMany = await navigate(port, `token=${code()}`)
  expect(tooMany.status).toBe(400)
  expect(tooMany.body).toContain('Too many sign-ins')
  for (const status of [400, 499]) {
    control.faults.add({ kind: 'status', status, operation: 'exchangeCode' })
    expect((await navigate(port, 'token=strange')).body).toContain('The sign-in did not work')
  }
  expect((await navigate(port, 'token=forged')).body).toContain('A code is valid for one minute')
  expect((await navigate(port, 'code=forged')).status).toBe(400)
  expect((await navigate(port, `token=${code()}`)).status).toBe(200)
  await signingIn
})

it('R-46: a code that would have to wait longer than its 60 seconds is given up, and the next one can be in time', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const { storage, emulator, code, control } = await setUp({ clock }, { clock })
  for (let count = 0; count < 10; count++) await storage.signIn(emulator.storageAuth)
  const { signingIn, port } = await begin(storage)
  expect((await navigate(port, `token=${code()}`)).status).toBe(400)
  expect(control.counters().exchanges.granted).toBe(0)
  await clock.advance(61_000)
  expect((await navigate(port, `token=${code()}`)).status).toBe(200)
  expect((await signingIn).kind).toBe('tokens')
})

it.each<[string, Fault]>([
  ['lost', { kind: 'reset', when: 'after' }],
  ...[302, 404, 405, 500, 503].map((status): [string, Fault] => [`${status}`, { kind: 'status', status }]),
])('R-45: a response to a code that is %s ends the sign-in with that reason', async (_what, fault) => {
  const { storage, control, code } = await setUp()
  control.faults.add({ ...fault, operation: 'exchangeCode' })
  const { signingIn, port } = await begin(storage)
  expect((await navigate(port, `token=${code()}`)).status).toBe(502)
  await expect(signingIn).rejects.toMatchObject({ operation: 'exchangeCode' })
})

it('R-45: the page leaves out who signed in if the service does not say', async () => {
  for (const user of [undefined, { id: 'kim' }]) {
    const transport = memoryTransport(() => Response.json({ ...TOKENS, user }))
    const { storage } = await setUp({ transport, onDrift: () => undefined })
    const { signingIn, port } = await begin(storage)
    expect((await navigate(port, 'token=a-code')).body).toMatch(/You are signed in</)
    await signingIn
  }
})

it('R-45: the system opens a browser only if it may, and the end of its command says whether it worked', async () => {
  const opened: string[] = []
  const opener = { exitCode: null as number | null, end: ['exit', 0] as [string, unknown] }
  vi.doMock('open', () => ({
    default: async (address: string) => {
      opened.push(address)
      const { exitCode, end } = opener
      const child = Object.assign(new EventEmitter(), { exitCode })
      if (exitCode === null) queueMicrotask(() => setImmediate(() => child.emit(...end)))
      return child
    },
  }))
  onTestFinished(() => void vi.doUnmock('open'))
  const { openBrowser } = (await import('../src/node/browser-host.ts')).browserHost!
  await openBrowser('http://web.test/')
  opener.exitCode = 0
  await openBrowser('http://web.test/')
  opener.exitCode = 3
  await expect(openBrowser('http://web.test/')).rejects.toThrow('Could not open a browser.')
  opener.exitCode = null
  opener.end = ['exit', 3]
  await expect(openBrowser('http://web.test/')).rejects.toThrow('Could not open a browser.')
  opener.end = ['error', new Error('ENOENT')]
  await expect(openBrowser('http://web.test/')).rejects.toThrow('ENOENT')
  expect(opened).toHaveLength(5)
  const { storage, code } = await setUp()
  const { signingIn, port } = await begin(storage)
  await navigate(port, `token=${code()}`)
  await signingIn
  expect(opened).toHaveLength(5)
})

it('R-45: an account that the program does not accept is not stored, and the sign-in continues', async () => {
  const store = memoryStore()
  const { storage, code, emulator } = await setUp({ store })
  const asked: (User | undefined)[] = []
  const { signingIn, port } = await begin(storage, {
    confirm: (user) => {
      asked.push(user)
      return user?.email === emulator.storageAuth.email
    },
  })
  const rejected = await navigate(port, `token=${code('ola@mail.example')}`)
  expect(rejected.body).toContain('Not this account')
  expect(await store.read()).toBeUndefined()
  expect((await navigate(port, `token=${code()}`)).status).toBe(200)
  expect((await signingIn).user?.email).toBe(emulator.storageAuth.email)
  expect(asked.map((user) => user?.email)).toEqual(['ola@mail.example', emulator.storageAuth.email])
})

it('R-45: without a callback, the sign-in ends at its deadline', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const { storage } = await setUp({ clock })
  const { signingIn } = await begin(storage, { deadline: '2m' })
  await clock.advance(120_000)
  await expect(signingIn).rejects.toBeInstanceOf(AuthorizationError)
  await expect(signingIn).rejects.toMatchObject({ code: 'authorization-expired' })
  expect(clock.timers).toBe(0)
})

it.each(['the signal of the call', 'the signal of the client', 'closing the client'])(
  'R-03, R-45: %s ends a browser sign-in and its server',
  async (what) => {
    const controller = new AbortController()
    const { signal } = controller
    const { storage } = await setUp(what === 'the signal of the client' ? { signal } : {})
    const { signingIn, port } = await begin(storage, what === 'the signal of the call' ? { signal } : {})
    const reason = new Error('enough')
    if (what === 'closing the client') await storage.close()
    else controller.abort(reason)
    const failure = await rejection(signingIn)
    if (what === 'closing the client') expect(String(failure)).toContain('This client is closed')
    else expect(failure).toBe(reason)
    await expect(navigate(port, 'token=x')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  },
)

const portOf = (url: string): string => new URL(url).searchParams.get('port') ?? ''

it.each([
  ['returns', () => undefined],
  ['never settles', () => new Promise<never>(() => undefined)],
])("R-45: the caller's function that %s opens the browser", async (_what, end) => {
  const { storage, code } = await setUp()
  const openBrowser = (url: string) => {
    void navigate(portOf(url), `token=${code()}`)
    return end()
  }
  expect((await storage.signInWithBrowser({ openBrowser })).kind).toBe('tokens')
})

it("R-45: an error of the caller's function that opens the browser ends the sign-in", async () => {
  const { storage } = await setUp()
  const failure = new Error('no display')
  let port = ''
  const openBrowser = (url: string) => {
    port = portOf(url)
    return Promise.reject(failure)
  }
  await expect(storage.signInWithBrowser({ openBrowser })).rejects.toBe(failure)
  await expect(navigate(port, 'token=x')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

it('R-45: an unusable store is reported before the page is opened', async () => {
  const failure = new Error('the disk is gone')
  const { storage } = await setUp({
    store: { read: () => Promise.reject(failure), exclusive: () => Promise.reject(failure) },
  })
  const addresses: string[] = []
  const signingIn = storage.signInWithBrowser({
    openBrowser: false,
    onAddress: (address) => addresses.push(address),
  })
  await expect(signingIn).rejects.toBe(failure)
  expect(addresses).toEqual([])
})

/** Sets a command in place of the user's browser: `xdg-open` runs the command in `BROWSER`. */
async function browserCommand(script: string): Promise<string> {
  const folder = await temporaryFolder()
  const file = join(folder, 'browser')
  await writeFile(file, `#!/bin/sh\n${script.replaceAll('$OUT', join(folder, 'out'))}\n`, { mode: 0o700 })
  // So that neither a desktop nor a browser of this machine is found.
  vi.stubEnv('BROWSER', file)
  vi.stubEnv('DISPLAY', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  return join(folder, 'out')
}

/** Keeps what is written to standard error, until the test has finished. */
function standardError() {
  const shown = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  onTestFinished(() => shown.mockRestore())
  return shown
}

const onLinux = it.runIf(process.platform === 'linux')

onLinux('R-45: the browser is opened with the URL, in a separate process', async () => {
  const { storage, code } = await setUp()
  const out = await browserCommand('printf %s "$1" > $OUT.part && mv $OUT.part $OUT')
  const shown = standardError()
  const signingIn = storage.signInWithBrowser()
  const opened = () => readFile(out, 'utf8').catch(() => '')
  await expect.poll(opened).toMatch(/\/auth\/signin\?source=api&port=\d{5}$/)
  await navigate(portOf(await opened()), `token=${code()}`)
  await signingIn
  expect(String(shown.mock.calls)).not.toContain('/auth/signin')
})

onLinux('R-45: if no browser can be opened, the URL is shown once, and the sign-in waits', async () => {
  const { storage, code } = await setUp()
  await browserCommand('exit 1')
  const shown = standardError()
  const signingIn = storage.signInWithBrowser()
  const text = () => shown.mock.calls.map(([chunk]) => String(chunk)).join('')
  await expect
    .poll(text, { timeout: 20_000 })
    .toMatch(/open this URL.*\n.*\/auth\/signin\?source=api&port=\d{5}\n/)
  await navigate(/port=(\d{5})/.exec(text())?.[1] ?? '', `token=${code()}`)
  expect((await signingIn).kind).toBe('tokens')
  // A URL that was passed to the caller's function is not written to standard error too.
  shown.mockClear()
  const { signingIn: second, port } = await begin(storage, { openBrowser: true })
  await navigate(port, `token=${code()}`)
  await second
  expect(text()).not.toContain('/auth/signin')
})

it.each<[string, object, string]>([
  ['no webUrl', { webUrl: undefined }, 'webUrl'],
  ['neither openBrowser nor onAddress', { openBrowser: false }, 'onAddress'],
  ['a deadline of 0', { deadline: 0 }, 'deadline'],
  ['an unknown option', { timeout: '1m' }, 'timeout'],
  ['a signal of the wrong type', { signal: new AbortController() }, 'signal'],
  ['a confirm of the wrong type', { confirm: 'kim' }, 'confirm'],
  ['an openBrowser of the wrong type', { openBrowser: 'firefox' }, 'openBrowser'],
  ['an onAddress of the wrong type', { onAddress: 'log' }, 'onAddress'],
])('R-45: a browser sign-in does not start with %s', async (_what, own, option) => {
  await using storage = new StorageAuth({ authUrl: 'http://a', dataUrl: 'http://b' })
  const failure = await rejection(storage.signInWithBrowser({ webUrl: 'http://web.test', ...own }))
  expect(failure).toMatchObject({ code: 'invalid-options', option })
})

it('R-45: a host without a local server says so', async () => {
  const { browserHost } = await import('../src/no-browser.ts')
  const failure = signInWithBrowser({
    host: browserHost,
    webUrl: 'http://web.test',
    options: {},
    ended: new AbortController().signal,
    clock: virtualClock(),
    random: Math.random,
    exchange: () => Promise.reject(new Error('not reached')),
    begin: () => Promise.reject(new Error('not reached')),
  })
  await expect(failure).rejects.toThrow(/needs a local server, which this JavaScript environment cannot run/)
})
