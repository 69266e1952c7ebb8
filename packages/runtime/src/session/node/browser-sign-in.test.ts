import { get } from 'node:http'

import { describe, expect, it } from 'vitest'

import { json } from '../../http/test-support/fixtures.ts'
import { memoryTransport } from '../../testing/transports.ts'
import { memoryTokenStore } from '../token-store.ts'
import { signInWithBrowser } from './browser-sign-in.ts'

const flow = {
  authorizationUrl: 'https://id.test/authorize',
  tokenUrl: 'https://id.test/token',
  scopes: { read: 'Reads.' },
} as const

/** Comes back from the server with this query, as a browser does; resolves with the status of the page. */
function comeBack(
  url: string,
  query: (state: string) => Record<string, string>,
): Promise<number | undefined> {
  const asked = new URL(url).searchParams
  const back = new URL(asked.get('redirect_uri') ?? '')
  back.search = String(new URLSearchParams(query(asked.get('state') ?? '')))
  return new Promise((resolve, reject) => {
    get(back, { headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    }).on('error', reject)
  })
}

/** A sign-in, with the forms that the token endpoint received. */
function signIn(open: (url: string) => void | Promise<void>, status = 200) {
  const forms: Record<string, string>[] = []
  const transport = memoryTransport(async (request) => {
    forms.push(Object.fromEntries(new URLSearchParams(await request.text())))
    return status === 200
      ? json({ access_token: 'access-token', token_type: 'bearer', expires_in: 3600 })
      : json({ error: 'invalid_grant' }, { status })
  })
  const store = memoryTokenStore()
  const options = { clientId: 'app', transport, store, scopes: ['read'], path: '/back', open } as const
  return { forms, store, session: signInWithBrowser(flow, options) }
}

describe('a sign-in with a browser on this machine', () => {
  it('is one call, which waits for the browser to come back and stores the session', async () => {
    const pages: (number | undefined)[] = []
    const { forms, store, session } = signIn(async (url) => {
      expect(url).toMatch(/^https:\/\/id\.test\/authorize\?.*scope=read/)
      // A page of someone else who doesn't know the state.
      pages.push(await comeBack(url, () => ({ code: 'stolen', state: 'other' })))
      pages.push(await comeBack(url, (state) => ({ code: 'the-code', state })))
    })
    expect(await (await session).accessToken()).toBe('access-token')
    expect(pages).toEqual([400, 200])
    expect(forms).toMatchObject([{ grant_type: 'authorization_code', code: 'the-code' }])
    expect(forms[0]?.['redirect_uri']).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/back$/)
    expect((await store.read())?.accessToken).toBe('access-token')
  })

  it('ends if the user denies it, if the server rejects the code, and if no browser can be opened', async () => {
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
})
