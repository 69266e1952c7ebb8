import * as fc from 'fast-check'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { safeCause } from '../core/api-errors.ts'
import type { ClientEvent } from '../core/events.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { createScrub } from '../core/redact.ts'
import { scriptedTransport, type ScriptStep } from '../testing/transports.ts'
import { createClient } from './client.ts'
import { createItem, exchangeCode, getItem, json, rejection, textFields } from './test-support/fixtures.ts'
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

describe('secrets', () => {
  it('R-11: are never visible in the output of a client other than the data itself', async () => {
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
            const client = createClient({
              servers: { api: 'http://service.test' },
              credentials: { key: { in: 'header', name: 'X-API-Key', value: key } },
              headers: { 'x-own': key },
              transport,
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

  it('R-11: are not quoted from an invalid input', async () => {
    const quoting = textFields('code')
    const schema = (): typeof quoting => ({
      '~standard': {
        ...quoting['~standard'],
        validate: (value) => ({
          issues: [{ message: `bad: ${JSON.stringify(value)}`, path: ['body', 'code'] }],
        }),
      },
    })
    const client = createClient({
      servers: { api: 'http://service.test' },
      transport: scriptedTransport('lost'),
    })
    const error = await rejection(
      client.send({ ...exchangeCode, check: { schema } }, { body: { code: 'very-secret' } }),
    )
    expect(error).toMatchObject({ code: 'invalid-request', issues: [{ path: '/body/code' }] })
    expect(shown(error)).not.toContain('very-secret')
  })

  it('R-11: are not quoted from a credential that cannot be sent', () => {
    const make = (value: string): unknown => {
      try {
        return createClient({
          servers: { api: 'http://service.test' },
          credentials: { key: { in: 'header', name: 'X-API-Key', value } },
        })
      } catch (error) {
        return error
      }
    }
    expect(shown(make('very-secret\n'))).not.toContain('very-secret')
    expect(shown(make('sehr-geheim-ключ'))).not.toContain('geheim')
  })

  it('the data itself is returned unchanged', async () => {
    const client = createClient({
      servers: { api: 'http://service.test' },
      transport: scriptedTransport(json({ id: 'a', status: 'x', token: 'very-secret' })),
    })
    const exchange = await client.exchange(exchangeCode, { body: { code: 'c' } })
    expect(exchange.data).toMatchObject({ token: 'very-secret' })
    expect(exchange.text()).toContain('very-secret')
  })
})

describe('scrubbing', () => {
  it('R-11: finds a secret in every encoding', () => {
    fc.assert(
      fc.property(secretText, fc.string(), fc.string(), (secret, before, after) => {
        const scrub = createScrub([secret])
        for (const written of [secret, encodeURIComponent(secret), JSON.stringify(secret)]) {
          expect(scrub(`${before}${written}${after}`)).not.toContain(written.replaceAll('"', ''))
        }
      }),
    )
  })

  it('keeps only properties without contents from a foreign error', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), {
      code: 'ECONNREFUSED',
      port: 80,
      data: 'x',
    })
    const safe = safeCause(cause) as Error & Record<string, unknown>
    expect(safe).toMatchObject({ message: 'connect ECONNREFUSED', code: 'ECONNREFUSED', port: 80 })
    expect(safe['data']).toBeUndefined()
  })
})
