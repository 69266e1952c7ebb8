import { expect, it } from 'vitest'

import { KIM, OLA, startStorage, type StorageResponse } from '../support/storage-auth.ts'

const PROGRAM = '?source=api&port=50000'

/** Returns the code in the URL of the redirect. */
function codeOf({ headers }: StorageResponse): string {
  return new URL(headers.get('location') ?? '').searchParams.get('token') ?? ''
}

it("the sign-in page redirects the browser to the program's callback, with a code that can be exchanged", async () => {
  await using storage = await startStorage()
  const response = await storage.page(PROGRAM, { email: KIM.email, password: KIM.password })
  expect(response.status).toBe(303)
  const location = new URL(response.headers.get('location') ?? '')
  expect(location.origin + location.pathname).toBe('http://localhost:50000/callback')
  expect([...location.searchParams.keys()]).toEqual(['token'])
  const { status, body } = await storage.exchange(codeOf(response))
  expect([status, body]).toMatchObject([200, { user: { email: KIM.email } }])
})

it('the sign-in page creates a new code each time', async () => {
  await using storage = await startStorage()
  const first = codeOf(await storage.page(PROGRAM, KIM))
  expect(codeOf(await storage.page(PROGRAM, KIM))).not.toBe(first)
})

it('the sign-in page has a language, a title, a heading and labeled fields', async () => {
  await using storage = await startStorage()
  const { status, headers, body } = await storage.page(PROGRAM)
  const text = String(body)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(text).toContain('<html lang="en">')
  expect(text).toContain('<title>Sign in</title>')
  expect(text).toContain('<main><h1>Sign in</h1>')
  for (const [, id] of text.matchAll(/<input id="(\w+)"/g)) expect(text).toContain(`<label for="${id}">`)
  expect([...text.matchAll(/<input /g)]).toHaveLength(2)
  expect(text).toContain('belongs to the Concord emulator, not to the service')
})

it('the sign-in page is not cached, and sends no referrer', async () => {
  await using storage = await startStorage()
  for (const response of [await storage.page(PROGRAM), await storage.page(PROGRAM, KIM)]) {
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  }
})

it('the sign-in page shows why a login was denied, and asks again', async () => {
  await using storage = await startStorage()
  const wrong = await storage.page(PROGRAM, { email: KIM.email, password: 'wrong' })
  expect(wrong.status).toBe(401)
  expect(wrong.headers.get('location')).toBeNull()
  expect(wrong.body).toContain('<p role="alert">Invalid email or password</p>')
  expect(wrong.body).toContain(`value="${KIM.email}"`)
  expect(wrong.body).not.toContain('wrong')
  const none = await storage.page(PROGRAM, { email: OLA.email, password: 'a' })
  expect(none.body).toContain('Password is not set for this user')
})

it('the sign-in page escapes the email address', async () => {
  await using storage = await startStorage()
  const { body } = await storage.page(PROGRAM, { email: '"><script>alert(1)</script>', password: 'a' })
  expect(body).not.toContain('<script>')
  expect(body).toContain('&quot;&gt;&lt;script&gt;')
})

it('the sign-in page counts towards the lock, and is subject to it', async () => {
  await using storage = await startStorage()
  for (let index = 0; index < 5; index++) await storage.page(PROGRAM, { email: KIM.email, password: 'wrong' })
  const locked = await storage.page(PROGRAM, KIM)
  expect(locked.status).toBe(401)
  expect(locked.body).toContain('Account is temporarily locked')
  expect((await storage.login()).body).toEqual({ message: expect.stringContaining('temporarily locked') })
})

it('the sign-in page offers the accounts without a password, which use external sign-in', async () => {
  await using storage = await startStorage()
  expect((await storage.page(PROGRAM)).body).toContain(`Continue as ${OLA.email}`)
  const response = await storage.page(PROGRAM, { external: OLA.email })
  const { body } = await storage.exchange(codeOf(response))
  expect(body).toMatchObject({ user: { email: OLA.email } })
  storage.control.lockAccount(OLA.email)
  expect((await storage.page(PROGRAM, { external: OLA.email })).body).toContain('temporarily locked')
})

it('the sign-in page requires the password of an account that has one', async () => {
  await using storage = await startStorage()
  const response = await storage.page(PROGRAM, { external: KIM.email })
  expect(response.status).toBe(401)
  expect(response.headers.get('location')).toBeNull()
})

it.each(['49152', '65535'])('the sign-in page accepts the port %s', async (port) => {
  await using storage = await startStorage()
  const response = await storage.page(`?source=api&port=${port}`, KIM)
  expect(new URL(response.headers.get('location') ?? '').port).toBe(port)
})

it.each([
  '?source=api&port=49151',
  '?source=api&port=65536',
  '?source=api&port=80',
  '?source=api&port=5e4',
  '?source=api&port=50000.5',
  '?source=api&port=50000@evil.example',
  '?source=api&port= 50000',
  '?source=api',
  '?source=web&port=50000',
  '?port=50000',
  '',
])('the sign-in page rejects the query %s, even for an account that can sign in', async (query) => {
  await using storage = await startStorage()
  for (const response of [await storage.page(query), await storage.page(query, KIM)]) {
    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
    expect(response.body).toContain('<p role="alert">')
  }
  expect(storage.state.exchangeCodes).toEqual([])
})
