import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

import { expect, it } from 'vitest'

import { json } from '../../http/test-support/fixtures.ts'
import { memoryTransport } from '../../testing/transports.ts'
import { memoryTokenStore } from '../token-store.ts'
import { signInWithBrowser } from './browser-sign-in.ts'

const flow = {
  authorizationUrl: 'https://id.test/authorize',
  tokenUrl: 'https://id.test/token',
  scopes: { read: 'Reads.' },
} as const

/** Comes back from the server with this query, as a browser does; resolves with the page. */
async function comeBack(url: string, query: (state: string) => Record<string, string>) {
  const asked = new URL(url).searchParams
  const back = new URL(asked.get('redirect_uri') ?? '')
  back.search = String(new URLSearchParams(query(asked.get('state') ?? '')))
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const [response] = (await once(get(back, { headers }), 'response')) as [IncomingMessage]
  return { status: response.statusCode, text: await text(response) }
}

/** A sign-in, with the forms that the token endpoint received. */
function signIn(open: (url: string) => void | Promise<void>, status = 200) {
  const forms: Record<string, string>[] = []
  const transport = memoryTransport(async (request) => {
    forms.push(Object.fromEntries(new URLSearchParams(await request.text())))
    return status === 200
      ? json({ access_token: 'access-token', refresh_token: 'refresh-token', expires_in: 3600 })
      : json({ error: 'invalid_grant' }, { status })
  })
  const store = memoryTokenStore()
  const options = { clientId: 'app', transport, store, scopes: ['read'], path: '/back', open } as const
  return { forms, store, session: signInWithBrowser(flow, options) }
}

it('a sign-in with a browser on this machine is one call, which waits for the browser to come back and stores the session', async () => {
  const pages: { status: number | undefined; text: string }[] = []
  const { forms, store, session } = signIn(async (url) => {
    expect(url).toMatch(/^https:\/\/id\.test\/authorize\?.*scope=read/)
    // A page of someone else who doesn't know the state.
    for (let count = 0; count < 6; count++)
      pages.push(await comeBack(url, () => ({ code: 'stolen', state: `other-${count}` })))
    pages.push(await comeBack(url, (state) => ({ code: 'the-code', state })))
  })
  expect(await (await session).accessToken()).toBe('access-token')
  expect(pages.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400, 200])
  expect(pages[0]?.text).toContain('a sign-in that the program did not start')
  expect(forms).toMatchObject([{ grant_type: 'authorization_code', code: 'the-code' }])
  expect(forms[0]?.['redirect_uri']).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/back$/)
  expect((await store.read())?.accessToken).toBe('access-token')
  // The session goes on after the sign-in has ended.
  await (await session).refresh()
  expect(forms[1]).toMatchObject({ grant_type: 'refresh_token' })
})

it('a sign-in with a browser on this machine ends if the user denies it, if the server rejects the code, and if no browser can be opened', async () => {
  const denied = signIn(async (url) => {
    await comeBack(url, (state) => ({ error: 'access_denied', state }))
  })
  await expect(denied.session).rejects.toMatchObject({ code: 'authorization-denied' })
  const rejected = signIn(async (url) => {
    await comeBack(url, (state) => ({ code: 'old', state }))
  }, 400)
  await expect(rejected.session).rejects.toMatchObject({ status: 400 })
  const closed = signIn(() => Promise.reject(new Error('no browser')))
  await expect(closed.session).rejects.toThrow('no browser')
  expect([...denied.forms, ...closed.forms]).toEqual([])
})

it.each([
  ['nothing to open the URL with', { open: undefined }, '`open` is missing'],
  ['a URL as what opens it', { open: 'https://me.test' }, '`open` must be a function'],
  ['a relative path', { path: 'back' }, '`path` must begin with `/`'],
  ['a limit with a unit', { limitMs: '5m' }, '`limitMs` must be a finite number above 0'],
  ['no store', { store: undefined }, '`store` is missing'],
  ['a misspelled option', { scope: [] }, 'Did you mean `scopes`? Valid options: '],
  ['an unknown option', { browser: 'x' }, '`scopes`, `parameters`, `open`, `path`, `limitMs`'],
])('a browser sign-in with %s is rejected before the server starts', async (_, wrong, message) => {
  const options = { clientId: 'app', store: memoryTokenStore(), open() {}, ...wrong }
  const signingIn = signInWithBrowser(flow, options as never)
  await expect(signingIn).rejects.toMatchObject({ code: 'invalid-options' })
  await expect(signingIn).rejects.toThrow(message)
})

it('a flow without tokenUrl is rejected before the browser opens', async () => {
  const opened: string[] = []
  const options = { clientId: 'app', store: memoryTokenStore(), open: (url: string) => void opened.push(url) }
  const { authorizationUrl, scopes } = flow
  const refreshUrl = 'https://id.test/refresh'
  const signingIn = signInWithBrowser({ authorizationUrl, refreshUrl, scopes }, options)
  await expect(signingIn).rejects.toMatchObject({ option: 'tokenUrl' })
  expect(opened).toEqual([])
})
