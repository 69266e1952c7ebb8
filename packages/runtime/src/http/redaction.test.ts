import * as fc from 'fast-check'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { OperationDescriptor } from '../core/descriptors.ts'
import type { ClientEvent } from '../core/events.ts'
import { createScrub } from '../core/redact.ts'
import { scriptedTransport, type ScriptStep } from '../testing/transports.ts'
import { collectSecrets } from './secrets.ts'
import { clientFor, keyFrom, reporting } from './test-support/clients.ts'
import {
  createItem,
  exchangeCode,
  getItem,
  json,
  KEY,
  rejection,
  textFields,
} from './test-support/fixtures.ts'
import type { Transport } from './transport.ts'

/** Every representation of a value that a person or a log may see. */
function shown(value: unknown): string {
  const texts = [
    inspect(value, {
      depth: 12,
      showHidden: true,
      getters: false,
      maxStringLength: null,
      maxArrayLength: null,
    }),
    safely(() => JSON.stringify(value)),
    safely(() => String(value)),
  ]
  for (
    let error: unknown = value, depth = 0;
    error instanceof Error && depth < 6;
    error = error.cause, depth++
  ) {
    texts.push(String(error.stack), error.message, inspect(error.cause, { depth: 12, showHidden: true }))
  }
  return texts.join('\n')
}

function safely(text: () => string | undefined): string {
  try {
    return text() ?? ''
  } catch {
    return ''
  }
}

const secretText = fc
  .string({
    unit: fc.constantFrom(...'abcdefghijkmnpqrstuvwxyz23456789-_/+="%& '),
    minLength: 12,
    maxLength: 40,
  })
  .map((text) => `zq${text.trim()}qz`)

/** Every way in which a call can end, with the secret in every place where a service or a network could put it. */
function endings(secret: string): Record<string, ScriptStep | Transport> {
  const headers = { 'set-cookie': secret.replaceAll(/[^\w-]/g, 'x'), 'content-type': 'application/json' }
  return {
    success: json({ id: 'a', status: 'done', token: secret }),
    'wrong shape': json({ id: 1, token: secret, deep: { token: secret } }),
    'error that quotes the secret': json(
      { detail: `bad value ${secret}`, token: secret },
      { status: 400, headers },
    ),
    'error in text': new Response(`refused: ${secret}`, { status: 401 }),
    'server error': json({ token: secret }, { status: 500 }),
    'rate limit': json({ token: secret }, { status: 429 }),
    'html with a 200': new Response(`<p>${secret}</p>`, { headers: { 'content-type': 'text/html' } }),
    'broken json': new Response(`{"token":"${secret}`, { headers: { 'content-type': 'application/json' } }),
    redirect: new Response(null, {
      status: 302,
      headers: { location: `https://x.test/?s=${encodeURIComponent(secret)}` },
    }),
    refused: 'refused',
    lost: 'lost',
    truncated: 'truncated',
    'transport that quotes the secret': {
      async send() {
        const inner = Object.assign(new Error(`write failed: ${secret}`), {
          headers: { key: secret },
          data: secret,
        })
        throw Object.assign(new TypeError(`failed with ${secret}`, { cause: inner }), { request: { secret } })
      },
    },
    'transport that throws something else': {
      send: () => Promise.reject({ secret } as unknown as Error),
    },
  }
}

const withSecrets = { secrets: ['token', 'code', 'item_id'] }
const operations: readonly OperationDescriptor<never>[] = [
  { ...getItem, ...withSecrets } as OperationDescriptor as OperationDescriptor<never>,
  { ...createItem, ...withSecrets } as OperationDescriptor as OperationDescriptor<never>,
  exchangeCode as OperationDescriptor as OperationDescriptor<never>,
]

it('R-11: secrets are never visible in the output of a client other than the data itself', async () => {
  await fc.assert(
    fc.asyncProperty(secretText, secretText, async (secret, theirs) => {
      const key = secret.replaceAll(/[^\w-]/g, '-')
      // A transport may quote values of its own that we can't know, but we know the values that we sent.
      const responses = Object.entries(endings(theirs)).filter(([name]) => !name.startsWith('transport'))
      for (const [name, ending] of [...Object.entries(endings(secret)), ...responses]) {
        for (const operation of operations) {
          const events: ClientEvent[] = []
          const reports: unknown[] = []
          const transport =
            typeof ending === 'object' && 'send' in ending ? ending : scriptedTransport(ending)
          const client = clientFor(transport, {
            credentials: { key: keyFrom(key) },
            headers: { 'x-own': key },
            retry: { maxAttempts: 2, baseMs: 0 },
            explain: (body) => JSON.stringify(body),
            onDrift: (report) => reports.push(report),
            observe: (event) => events.push(event),
          })
          const input = { path: { item_id: secret }, body: { token: secret, code: secret } }
          const outcome = await client.exchange(operation, input as never).catch((error: unknown) => error)
          for (const thing of [client, outcome, events, reports]) {
            const text = shown(thing)
            for (const hidden of [secret, theirs, key, encodeURIComponent(secret)]) {
              if (text.includes(hidden)) throw new Error(`${name}, ${operation.id}: shown in ${text}`)
            }
          }
        }
      }
    }),
    { numRuns: 25 },
  )
})

it('R-11: does not quote secrets from an invalid input', async () => {
  const quoting = textFields('code')
  const schema = (): typeof quoting => ({
    '~standard': {
      ...quoting['~standard'],
      validate: (value) => ({
        issues: [{ message: `bad: ${JSON.stringify(value)}`, path: ['body', 'code'] }],
      }),
    },
  })
  const sending = clientFor(() => json({})).send(
    { ...exchangeCode, check: { schema } },
    { body: { code: 'very-secret' } },
  )
  const error = await rejection(sending)
  expect(error).toMatchObject({ code: 'invalid-request', issues: [{ path: '/body/code' }] })
  expect(shown(error)).not.toContain('very-secret')
})

it('returns the data of a response unchanged, secrets included', async () => {
  const client = clientFor(() => json({ id: 'a', status: 'x', token: 'very-secret' }))
  const exchange = await client.exchange(exchangeCode, { body: { code: 'c' } })
  expect(exchange.data).toMatchObject({ token: 'very-secret' })
  expect(exchange.text()).toContain('very-secret')
})

it('R-11: a scrub finds a secret in every encoding', () => {
  fc.assert(
    fc.property(secretText, fc.string(), fc.string(), (secret, before, after) => {
      const scrub = createScrub([secret])
      for (const written of [secret, encodeURIComponent(secret), JSON.stringify(secret)]) {
        expect(scrub(`${before}${written}${after}`)).not.toContain(written.replaceAll('"', ''))
      }
    }),
  )
})

const nested = (depth: number, inner: object): object =>
  depth === 0 ? inner : { in: nested(depth - 1, inner) }

it.each([
  ['a string', { token: 'secret-1' }],
  ['a number', { a: null, token: 12_345_678 }],
  ['a bigint', { token: 12_345_678n }],
  ['a value below the name', { token: { values: ['other', null, ['secret-1']] } }],
  ['a number below the name', { token: [12_345_678] }],
  ['a value in a list', [{ token: 'secret-1' }]],
  ['a value eight levels deep', nested(8, { token: 'secret-1' })],
  ['a value eight levels below the name', { token: nested(8, { a: 'secret-1' }) }],
])('R-11: removes a secret from strings that is %s', (_, value) => {
  expect(collectSecrets(['token'], [], value)('x secret-1 12345678')).toContain('[redacted]')
})

it('R-11: searches for secrets only to a limited depth', () => {
  const endless: Record<string, unknown> = {}
  endless['again'] = endless
  for (const value of [endless, { token: endless }, nested(10, { token: 'secret-1' })]) {
    expect(collectSecrets(['token'], [], value)('x secret-1')).toBe('x secret-1')
  }
})

it('R-11: removes every credential of the client that was read so far', async () => {
  const openEnums = [{ path: ['status'], values: ['done'] }]
  // The string is truncated in the middle of the last credential, but only after the credentials are removed.
  const filler = 'x'.repeat(56)
  const { client, drift } = reporting(() => json({ status: `other-key-1 ${filler} ${KEY}` }), {
    credentials: {
      key: keyFrom(() => KEY),
      other: { in: 'header', name: 'X-Other', value: 'other-key-1' },
      unread: { in: 'header', name: 'X-Unread', value: () => 'never read' },
    },
  })
  const operation = { ...getItem, responses: { 200: { kind: 'json', openEnums } } } as const
  await client.send(operation, { path: { item_id: 'a' } })
  expect(drift[0]?.issues[0]?.reason).toContain(`"[redacted] ${filler} [redacted]"`)
})
