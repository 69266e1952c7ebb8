import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'

import { createEmulator } from '@concord/emulator'
import { memoryTransport } from '@concord/runtime/testing'
import { expect, it, vi } from 'vitest'

import { ConcordError, envStore, StorageAuth } from '../src/index.ts'
import { fileStore } from '../src/node.ts'
import { navigate, rejection, temporaryFolder, WHO_AM_I } from './support.ts'

/** Returns everything that a value shows of itself, including hidden properties. */
function shown(value: unknown): string {
  const parts = [inspect(value, { depth: 12, showHidden: true, getters: false }), String(value)]
  try {
    parts.push(JSON.stringify(value) ?? '')
  } catch {
    // Some values have no JSON.
  }
  if (value instanceof Error) parts.push(value.stack ?? '', shown(value.cause ?? ''))
  return parts.join('\n')
}

it('R-11: no secret appears in a log, an error, an inspection, an event, a process title, a URL, or a file other than the store', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'session.json')
  const logged: string[] = []
  const emulator = await createEmulator({
    storageAuth: { tokenRequestsPerMinute: Infinity },
    log: (_level, message) => logged.push(message),
  })
  const { storageAuth } = emulator
  const { control, email, password } = storageAuth
  const secrets = new Set<string>([password])
  const collect = (text: string): void => {
    for (const [, secret] of text.matchAll(/"(?:access_token|refresh_token|code|key|password)":"([^"]+)"/g))
      secrets.add(secret!)
  }
  const output: string[] = []
  const seen: unknown[] = []
  const write = (chunk: unknown): boolean => (output.push(String(chunk)), true)
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(write as never),
    vi.spyOn(process.stderr, 'write').mockImplementation(write as never),
    vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void output.push(shown(warning))),
    ...(['log', 'info', 'warn', 'error', 'debug', 'trace'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...words) => void output.push(...words.map(shown))),
    ),
  ]
  const title = process.title
  const failed = async (work: Promise<unknown>): Promise<void> => {
    const failure = await rejection(work)
    expect(ConcordError.is(failure), String(failure)).toBe(true)
    seen.push(failure)
  }
  const { authUrl, dataUrl, webUrl } = storageAuth
  const common = {
    authUrl,
    dataUrl,
    webUrl,
    apiKey: 'f'.repeat(64),
    tokenRequestsPerMinute: Infinity,
    retry: { maxAttempts: 1 },
    observe: (event: unknown) => void seen.push(event),
    transport: memoryTransport(async (sent) => {
      collect(await sent.clone().text())
      const response = await storageAuth.fetch(sent)
      collect(await response.clone().text())
      return response
    }),
  }
  secrets.add(common.apiKey)
  const storage = new StorageAuth({ ...common, store: fileStore(path) })
  try {
    // Calls that succeed.
    const session = await storage.signIn({ email, password })
    await session.apiKeys.create({ name: 'ci' }, { save: () => undefined })
    await session.apiKeys.list()
    await session.refresh()
    control.expireAccessTokens()
    await session.fetch(WHO_AM_I)
    seen.push(
      storage,
      session,
      session.tokens,
      session.apiKeys,
      session.fetch,
      storage.withApiKey(),
      storage.api,
    )
    seen.push(fileStore(path), envStore({ env: { STORAGE_ACCESS_TOKEN: [...secrets][1] } }))
    const signedIn = await storage.signInWithBrowser({
      openBrowser(address) {
        seen.push(address)
        const port = new URL(address).searchParams.get('port') ?? ''
        const code = control.issueCode(email)
        secrets.add(code)
        void navigate(port, `token=${code}`).then(({ body }) => seen.push(body))
      },
    })
    seen.push(signedIn)
    // Calls that fail, with the secret in the response if possible.
    await failed(storage.signIn({ email, password: `${password}-wrong` }))
    await failed(storage.exchangeCode('0a1b'.repeat(11)))
    const echo = (
      status: number,
      operation: string,
      contentType = 'application/json',
      words = 'you sent',
    ) => {
      // A short string is treated as a secret only in the call that sent it.
      const echoed = [...secrets].filter((secret) => secret !== password || operation === 'createToken')
      const body = JSON.stringify({ message: `${words} ${echoed.join(' ')}` })
      control.faults.add({ kind: 'body', status, operation, body, contentType })
    }
    for (const [status, type] of [
      [400, 'application/json'],
      [401, 'application/json'],
      [429, 'application/json'],
      [500, 'text/html'],
      [200, 'text/html'],
      [200, 'application/json'],
    ] as const) {
      echo(status, 'createToken', type)
      await failed(storage.signIn({ email, password }))
      echo(status, 'exchangeCode', type)
      await failed(storage.exchangeCode([...secrets].at(-1)!))
    }
    echo(401, 'createToken', 'application/json', 'Account is temporarily locked,')
    await failed(storage.signIn({ email, password }))
    echo(500, 'createApiKey')
    await failed(signedIn.apiKeys.create({ name: 'ci' }, { save: () => undefined }))
    echo(200, 'createApiKey')
    await failed(signedIn.apiKeys.create({ name: 'ci' }, { save: () => undefined }))
    const unsaved = signedIn.apiKeys.create(
      { name: 'ci' },
      {
        save(key) {
          throw new Error(`could not save ${key}`, { cause: new Error(key) })
        },
      },
    )
    await failed(unsaved)
    await failed(signedIn.fetch(`http://evil.test/?${[...secrets][1]}`))
    control.faults.add({ kind: 'reset', when: 'after', operation: 'refreshToken' })
    control.expireAccessTokens()
    await failed(signedIn.accessToken().then(() => signedIn.refresh()))
    await failed(signedIn.refresh())
    await failed(signedIn.refresh())
    // The emulator shows no secret either, even when the contract rejects a request.
    const odd = [...secrets][1]!
    const post = (path: string, body: unknown) =>
      storageAuth.fetch(
        new Request(`${authUrl}${path}?q=${odd}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${odd}`, 'x-api-key': odd },
          body: JSON.stringify(body),
        }),
      )
    await post('/auth/token/refresh', { refresh_token: [odd] })
    await post('/auth/token', { email: { [odd]: odd }, password: 5, extra: odd })
    await post('/auth/token/exchange', odd)
    expect(logged.length).toBeGreaterThan(0)
    seen.push(logged, control.requests(), control.violations(), control.counters(), storageAuth.state)
  } finally {
    for (const spy of spies) spy.mockRestore()
    await storage.close()
    await emulator.close()
  }

  expect(secrets.size).toBeGreaterThan(8)
  // Checks that a secret would be found if it were shown.
  expect(shown(new Error([...secrets][0]))).toContain([...secrets][0])
  const places: [string, string][] = [
    ['the title of the process', title + process.title],
    ['the output', output.join('\n')],
    ...seen.map((each, index): [string, string] => [`event or error ${index}`, shown(each)]),
  ]
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name)
    places.push(['the name of a file', file])
    if (entry.isFile() && file !== path) places.push([file, await readFile(file, 'utf8')])
  }
  for (const [place, text] of places) {
    for (const secret of secrets)
      expect(text.includes(secret), `${place} shows a secret:\n${text}`).toBe(false)
  }
})
