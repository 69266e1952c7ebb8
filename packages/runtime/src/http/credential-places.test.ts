import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ConnectionError, OptionsError } from '../core/errors.ts'
import type { ClientEvent } from '../core/events.ts'
import { authorizedFetch } from '../session/authorized-fetch.ts'
import { connect } from '../socket/connect.ts'
import { radio, studio } from '../socket/test-support/radio.ts'
import { basicCredential, type Credential, secretCredential } from './credential.ts'
import { clientFor, getItem, json, listItems, rejection } from './test-support/fixtures.ts'

const item = { id: 'a', status: 'done' }
const inQuery = (value: Credential['value']): Credential => ({ in: 'query', name: 'api key', value })
const inCookie = (value: Credential['value']): Credential => ({ in: 'cookie', name: 'sid', value })
const inHeader = (value: Credential['value']): Credential => ({ in: 'header', name: 'X-Key', value })

/** Responds with the credentials that the server sees. */
const echo = (request: Request) => {
  const url = new URL(request.url)
  return json({
    query: url.search,
    cookie: request.headers.get('cookie'),
    key: request.headers.get('x-key'),
    authorization: request.headers.get('authorization'),
  })
}

describe('credentials in the query and in cookies', () => {
  it('R-40: are added to the query and to the cookies of a call', async () => {
    const client = clientFor(echo, {
      credentials: { query: inQuery('a&b=c;d'), cookie: inCookie(() => 'sesame==') },
    })
    const operation = {
      ...getItem,
      responses: { 200: { kind: 'json' } },
      parameters: [...getItem.parameters, { name: 'theme', in: 'cookie', required: false }],
    } as const
    const input = { path: { item_id: '1' }, query: { page: 2 }, cookies: { theme: 'dark' } }
    const send = (security: readonly (string | readonly string[])[]) =>
      client.send({ ...operation, security }, input)
    expect(await send(['query'])).toMatchObject({
      query: '?page=2&api%20key=a%26b%3Dc%3Bd',
      cookie: 'theme=dark',
    })
    expect(await send(['cookie'])).toMatchObject({ query: '?page=2', cookie: 'theme=dark; sid=sesame==' })
    expect(await client.send({ ...listItems, security: ['query'] }, {})).toMatchObject({
      query: '?api%20key=a%26b%3Dc%3Bd',
      cookie: null,
    })
  })

  it('R-40: are sent at the handshake of a socket', async () => {
    const { client, requests } = studio(undefined, {
      credentials: { key: inQuery(() => 'k&y'), sid: inCookie('sesame') },
    })
    const connection = await connect(
      client,
      { ...radio, security: [['key', 'sid']] },
      { query: { band: 'x' } },
    )
    await connection.close()
    expect(requests[0]?.url).toMatch(/\?band=x&api%20key=k%26y$/)
    expect(requests[0]?.headers).toEqual(['cookie', 'sid=sesame'])
  })

  it('R-40: are added by an authorized fetch', async () => {
    const base = 'http://service.test'
    const options = { base, addresses: [base], credentialHeaders: [] }
    const fetch = authorizedFetch(clientFor(echo), { ...options, credential: inQuery('abcd') })
    expect(await (await fetch('/files?page=1')).json()).toMatchObject({ query: '?page=1&api%20key=abcd' })
  })

  it('R-11: never appear in errors, events, drift reports or the client', async () => {
    const secret = 'hidden/secret+value'
    const encoded = encodeURIComponent(secret)
    const events: ClientEvent[] = []
    for (const credential of [inQuery(secret), inQuery(() => secret)]) {
      for (const ending of [
        () => Promise.reject(new TypeError(`error sending request for url (http://x.test/?k=${encoded})`)),
        () => json({ detail: `unknown key ${secret}` }, { status: 403 }),
        () => new Response(`<a href="/?k=${encoded}">`, { headers: { 'content-type': 'text/html' } }),
        () => new Response(null, { status: 302, headers: { location: `http://other.test/?k=${encoded}` } }),
      ]) {
        const client = clientFor(ending, {
          credentials: { key: credential },
          retry: { maxAttempts: 1 },
          observe: (event) => events.push(event),
          explain: (body) => JSON.stringify(body),
        })
        const error = await rejection(client.send(listItems, {}))
        const shown = [client, error, events].map((thing) => inspect(thing, { depth: 9, showHidden: true }))
        expect(shown.join()).not.toMatch(/hidden(?:\/|%2F)secret/)
      }
    }
    const cause = new Error(`cannot open wss://service.test/?api%20key=${encoded}`)
    const { client } = studio(undefined, {
      credentials: { key: inQuery(secret) },
      socketFactory: () => {
        throw new ConnectionError('no connection', { phase: 'connect', sent: 'no' }, { cause })
      },
    })
    const failed = await rejection(connect(client, radio))
    expect(inspect(failed, { depth: 9, showHidden: true })).not.toContain('hidden')
  })

  it('R-40: are rejected if their place cannot hold them, without quoting them', async () => {
    for (const [value, place] of [
      ['semi;colon', { in: 'cookie', name: 'sid' }],
      ['com,ma', { in: 'cookie', name: 'sid' }],
      [';begin', { in: 'cookie', name: 'sid' }],
      ['end;', { in: 'cookie', name: 'sid' }],
      ['broken\uD800', { in: 'query', name: 'key' }],
    ] as const) {
      const make = () => secretCredential(value, place, 'apiKey')
      expect(make).toThrow(OptionsError)
      expect(make).toThrow(new RegExp(`not allowed in the (cookie|query parameter) ${place.name}`))
      expect(make).not.toThrow(new RegExp(value.slice(0, 3)))
      const client = clientFor(() => json(item), { credentials: { key: { ...place, value: () => value } } })
      expect(await rejection(client.send(listItems, {}))).toMatchObject({ option: 'credentials' })
    }
    for (const name of ['a=b', '=a', 'a=']) {
      const unnamed = { in: 'cookie', name, value: 'x' } as const
      expect(() => clientFor(() => json(item), { credentials: { key: unnamed } })).toThrow(/name of a cookie/)
    }
    const nameless = { in: 'query', name: '', value: 'x' } as const
    expect(() => clientFor(() => json(item), { credentials: { key: nameless } })).toThrow(OptionsError)
    const client = clientFor(() => json(item), { credentials: { key: inQuery(() => 7 as never) } })
    expect(String(await rejection(client.send(listItems, {})))).toContain('must be a string')
    const nowhere = { in: 'body', name: 'a', value: 'x' } as unknown as Credential
    expect(() => clientFor(() => json(item), { credentials: { key: nowhere } })).toThrow(/how it is sent/)
  })
})

describe('several credentials', () => {
  it('the first requirement that the client can meet is used', async () => {
    const operation = { ...listItems, security: [['a', 'b'], 'c'] }
    const all = { a: inHeader('aaaa'), b: inQuery('bbbb'), c: inCookie('cccc') }
    const { a, c } = all
    expect(await clientFor(echo, { credentials: all }).send(operation, {})).toMatchObject({
      key: 'aaaa',
      query: '?api%20key=bbbb',
      cookie: null,
    })
    expect(await clientFor(echo, { credentials: { a, c } }).send(operation, {})).toMatchObject({
      key: null,
      query: '',
      cookie: 'sid=cccc',
    })
    const lacking = await rejection(clientFor(echo, { credentials: { a } }).send(operation, {}))
    expect(lacking).toMatchObject({ code: 'invalid-options', option: 'credentials.b' })
    expect(lacking).toMatchObject({
      message: expect.stringContaining('`credentials.a` and `credentials.b`, or `credentials.c`'),
    })
    const optional = { ...operation, securityOptional: true }
    expect(await clientFor(echo, { credentials: { a } }).send(optional, {})).toMatchObject({ key: null })
  })

  it('R-43: all of them can be renewed after a 401, and the call is sent once more', async () => {
    const current = { a: 'old-a', b: 'old-b' }
    const rejected: string[] = []
    const renewing = (name: 'a' | 'b', place: Credential): Credential => ({
      ...place,
      value: () => current[name],
      rejected: (value) => {
        rejected.push(value)
        current[name] = `new-${name}`
        return name === 'b'
      },
    })
    let calls = 0
    const client = clientFor((request) => (++calls === 1 ? json({}, { status: 401 }) : echo(request)), {
      credentials: {
        a: renewing('a', inHeader('')),
        b: renewing('b', inQuery('')),
        c: inCookie(async () => 'fixed'),
      },
    })
    const operation = { ...listItems, security: [['a', 'b', 'c']] }
    expect(await client.send(operation, {})).toMatchObject({
      key: 'new-a',
      query: '?api%20key=new-b',
      cookie: 'sid=fixed',
    })
    expect([rejected, calls]).toEqual([['old-a', 'old-b'], 2])
  })
})

describe('Basic credentials', () => {
  it('RFC 7617: are encoded in UTF-8', async () => {
    // The examples of RFC 7617, sections 2 and 2.1.
    expect(basicCredential({ username: 'Aladdin', password: 'open sesame' }).value).toBe(
      'QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
    )
    expect(basicCredential({ username: 'test', password: '123\u00A3' }).value).toBe('dGVzdDoxMjPCow==')
    const credential = basicCredential({ username: 'key', password: '' })
    const client = clientFor(echo, { credentials: { key: credential } })
    expect(await client.send(listItems, {})).toMatchObject({ authorization: 'Basic a2V5Og==' })
  })

  it('RFC 7617: reject a colon in the user name, and control characters in either', () => {
    for (const [username, password, option] of [
      ['a:b', 'secret', 'basic.username'],
      ['a\n', 'secret', 'basic.username'],
      ['a', 'sec\u0000ret', 'basic.password'],
      ['a', 'sec\u0085ret', 'basic.password'],
      ['a', undefined, 'basic.password'],
      [undefined, 'secret', 'basic.username'],
    ] as const) {
      const make = () => basicCredential({ username, password } as never)
      expect(make).toThrow(expect.objectContaining({ code: 'invalid-options', option }))
      expect(make).not.toThrow(/sec/)
    }
    expect(() => basicCredential(undefined)).toThrow(/`basic.username` is missing/)
    expect(basicCredential({ username: 'a', password: 'b:c' }).value).toBe(btoa('a:b:c'))
  })

  it('R-43: read the password for every request, and renew it after a 401', async () => {
    let password = 'old p\u00E4ss'
    const rejected: string[] = []
    const seen: string[] = []
    const credential = basicCredential({
      username: 'u',
      password: {
        get: async () => password,
        rejected: (value) => {
          rejected.push(value)
          password = 'new pass'
          return true
        },
      },
    })
    const client = clientFor(
      (request) => {
        seen.push(request.headers.get('authorization') ?? '')
        return seen.length === 1 ? json({}, { status: 401 }) : json(item)
      },
      { credentials: { key: credential } },
    )
    await client.send(listItems, {})
    expect(rejected).toEqual(['old p\u00E4ss'])
    expect(atob(seen[1]?.slice(6) ?? '')).toBe('u:new pass')
  })

  it('R-43: a source that cannot be renewed makes a 401 final', async () => {
    const store = { get: () => 'abcd', rejected: () => undefined as never }
    for (const credential of [
      basicCredential({ username: 'u', password: () => 'abcd' }),
      basicCredential({ username: 'u', password: { get: () => 'abcd' } }),
      secretCredential(store, { name: 'X-Key' }, 'apiKey'),
    ]) {
      let calls = 0
      const client = clientFor(() => json(++calls, { status: 401 }), { credentials: { key: credential } })
      expect(await rejection(client.send(listItems, {}))).toMatchObject({ name: 'AuthenticationError' })
      expect(calls).toBe(1)
    }
  })

  it('R-11: neither the password nor its encoding is shown', async () => {
    const made = basicCredential({ username: 'user', password: 'hidden-password' })
    // A caller can also write one by hand.
    const { value } = made as { value: string }
    for (const credential of [
      made,
      { in: 'header', name: 'authorization', prefix: 'Basic ', value } as const,
    ]) {
      const client = clientFor(() => json({ detail: `hidden-password and ${value}` }, { status: 403 }), {
        credentials: { key: credential },
        explain: (body) => JSON.stringify(body),
      })
      const error = await rejection(client.send(listItems, {}))
      expect((error as Error).message).toContain('[redacted] and [redacted]')
      expect(inspect(client, { depth: 9, showHidden: true })).not.toMatch(/hidden|dXNlcj/)
    }
    expect(inspect(made, { depth: 9, showHidden: true })).not.toMatch(/hidden|dXNlcj/)
    const shown = '{"in":"header","name":"authorization","prefix":"Basic ","value":"[redacted]"}'
    expect([JSON.stringify(made), inspect(made)]).toEqual([shown, `Credential ${shown}`])
  })
})
