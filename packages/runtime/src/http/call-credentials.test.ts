import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { ConnectionError, OptionsError } from '../core/errors.ts'
import type { ClientEvent } from '../core/events.ts'
import { authorizedFetch } from '../session/authorized-fetch.ts'
import { connect } from '../socket/connect.ts'
import { radio, studio } from '../socket/test-support/radio.ts'
import { type Credential, secretCredential } from './credential.ts'
import { clientFor, keyFrom } from './test-support/clients.ts'
import { getItem, item, json, KEY, listItems, rejection } from './test-support/fixtures.ts'

it('R-10: a public operation is sent without the key', async () => {
  const client = clientFor((request) => json({ key: request.headers.get('x-api-key') }))
  expect(await client.send({ ...listItems, security: [] }, {})).toEqual({ key: null })
})

it('a client sends an optional credential if it has one', async () => {
  const operation = { ...listItems, securityOptional: true }
  const handler = (request: Request) => json({ key: request.headers.get('x-api-key') })
  expect(await clientFor(handler).send(operation, {})).toEqual({ key: KEY })
  const without = clientFor(handler, { credentials: {} })
  expect(await without.send(operation, {})).toEqual({ key: null })
  expect(await rejection(without.send(listItems, {}))).toMatchObject({
    code: 'invalid-options',
    option: 'credentials.key',
  })
})

it('an error of an asynchronous credential function reaches the caller unchanged', async () => {
  const own = new Error('vault is sealed')
  const client = clientFor(() => json(item), { credentials: { key: keyFrom(() => Promise.reject(own)) } })
  expect(await rejection(client.send(listItems, {}))).toBe(own)
})

it.each([
  ['never', 1],
  ['safe', 2],
] as const)(
  'R-20: a 401 is final for an operation of the class `%s` after %i requests',
  async (retry, expected) => {
    let calls = 0
    const key = keyFrom('token', () => true)
    const client = clientFor(() => json(++calls, { status: 401 }), { credentials: { key } })
    const error = await rejection(client.send({ ...listItems, retry: { class: retry } }, {}))
    expect(error).toMatchObject({ name: 'AuthenticationError', status: 401 })
    expect(calls).toBe(expected)
  },
)

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

it('R-40: adds credentials to the query and to the cookies of a call', async () => {
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

it('R-40: adds a cookie to the cookies of a call whose other headers have the value `cookie`', async () => {
  const client = clientFor(echo, { credentials: { cookie: inCookie('sesame') } })
  const operation = {
    ...getItem,
    security: ['cookie'],
    responses: { 200: { kind: 'json' } },
    parameters: [
      ...getItem.parameters,
      { name: 'x-source', in: 'header', required: false },
      { name: 'theme', in: 'cookie', required: false },
    ],
  } as const
  const input = { path: { item_id: '1' }, headers: { 'x-source': 'cookie' }, cookies: { theme: 'dark' } }
  expect(await client.send(operation, input)).toMatchObject({ cookie: 'theme=dark; sid=sesame' })
})

it('R-40: a function that returns null instead of a secret is an error of the option', async () => {
  const client = clientFor(echo, { credentials: { query: inQuery((() => null) as never) } })
  const call = client.send({ ...listItems, security: ['query'] }, {})
  expect(await rejection(call)).toMatchObject({ code: 'invalid-options' })
})

it('R-40: sends credentials in the query and in cookies of the handshake of a socket', async () => {
  const { client, requests } = studio(undefined, {
    credentials: { key: inQuery(() => 'k&y'), sid: inCookie('sesame') },
  })
  const connection = await connect(client, { ...radio, security: [['key', 'sid']] }, { query: { band: 'x' } })
  await connection.close()
  expect(requests[0]?.url).toMatch(/\?band=x&api%20key=k%26y$/)
  expect(requests[0]?.headers).toEqual(['cookie', 'sid=sesame'])
})

it('R-40: an authorized fetch adds a credential to the query', async () => {
  const base = 'http://service.test'
  const options = { base, addresses: [base], credentialHeaders: [] }
  const fetch = authorizedFetch(clientFor(echo), { ...options, credential: inQuery('abcd') })
  expect(await (await fetch('/files?page=1')).json()).toMatchObject({ query: '?page=1&api%20key=abcd' })
})

it('R-11: a credential in the query never appears in errors, events, drift reports or the client', async () => {
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

it('R-11, R-40: rejects credentials that their place cannot hold, without quoting them', async () => {
  for (const [value, place] of [
    ['semi;colon', { in: 'cookie', name: 'sid' }],
    ['com,ma', { in: 'cookie', name: 'sid' }],
    [';begin', { in: 'cookie', name: 'sid' }],
    ['end;', { in: 'cookie', name: 'sid' }],
    ['broken\uD800', { in: 'query', name: 'key' }],
    ['schlüssel-ключ', { in: 'header', name: 'x-key' }],
  ] as const) {
    const make = () => secretCredential(value, place, 'apiKey')
    expect(make).toThrow(OptionsError)
    expect(make).toThrow(new RegExp(`not allowed in the (cookie|query parameter|header) \`${place.name}`))
    expect(make).not.toThrow(new RegExp(value.slice(0, 3)))
    const client = clientFor(() => json(item), { credentials: { key: { ...place, value: () => value } } })
    const error = await rejection(client.send(listItems, {}))
    expect(error).toMatchObject({ option: 'credentials' })
    expect(String(error)).not.toContain(value)
  }
  for (const name of ['a=b', '=a', 'a=']) {
    const unnamed = { in: 'cookie', name, value: 'x' } as const
    expect(() => clientFor(() => json(item), { credentials: { key: unnamed } })).toThrow(/name of the cookie/)
  }
  const nameless = { in: 'query', name: '', value: 'x' } as const
  expect(() => clientFor(() => json(item), { credentials: { key: nameless } })).toThrow(OptionsError)
  const client = clientFor(() => json(item), { credentials: { key: inQuery(() => 7 as never) } })
  expect(String(await rejection(client.send(listItems, {})))).toContain('must be a string')
  const nowhere = { in: 'body', name: 'a', value: 'x' } as unknown as Credential
  expect(() => clientFor(() => json(item), { credentials: { key: nowhere } })).toThrow(
    /how to send the credential/,
  )
})

it('uses the first security requirement that the client can meet', async () => {
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

it('R-43: renews several credentials after a 401, and sends the call once more', async () => {
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
