import { describe, expect, it } from 'vitest'
import {
  clientFor,
  createItem,
  exchangeCode,
  json,
  KEY,
  listItems,
  rejection,
} from './test-support/fixtures.ts'

const item = { id: 'a', status: 'done' }

describe('credentials', () => {
  it('R-10: a redirect is not followed, and the error shows only the origin of its target', async () => {
    const seen: string[] = []
    const client = clientFor((request) => {
      seen.push(request.url)
      return new Response(null, {
        status: 307,
        headers: { location: 'https://elsewhere.test/x?signature=abc123' },
      })
    })
    const error = await rejection(client.send(listItems, {}))
    expect(seen).toEqual(['http://service.test/v1/items/'])
    expect(error).toMatchObject({ code: 'http', status: 307 })
    expect(String(error)).toContain('https://elsewhere.test')
    expect(String(error)).not.toContain('abc123')
  })

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
    expect(await rejection(without.send(listItems, {}))).toMatchObject({ option: 'credentials.key' })
  })

  it('an error of the credential function reaches the caller unchanged', async () => {
    const own = new Error('vault is sealed')
    for (const value of [
      () => Promise.reject(own),
      () => {
        throw own
      },
    ]) {
      const client = clientFor(() => json(item), {
        credentials: { key: { in: 'header', name: 'X-API-Key', value } },
      })
      expect(await rejection(client.send(listItems, {}))).toBe(own)
    }
  })

  it('a rejected credential is refreshed once, and the call is sent once more', async () => {
    let current = 'old-token'
    const rejected: string[] = []
    const seen: unknown[] = []
    const client = clientFor(
      (request) => {
        seen.push(request.headers.get('x-api-key'))
        return current === 'new-token' ? json(item) : json({}, { status: 401 })
      },
      {
        credentials: {
          key: {
            in: 'header',
            name: 'X-API-Key',
            value: () => current,
            rejected: async (value) => {
              rejected.push(value)
              current = 'new-token'
              return true
            },
          },
        },
      },
    )
    expect(await client.send(createItem, { body: {} })).toEqual(item)
    expect(seen).toEqual(['old-token', 'new-token'])
    expect(rejected).toEqual(['old-token'])
  })

  it('R-20: a single-use input is not sent again with a fresh credential', async () => {
    let calls = 0
    const client = clientFor(() => json(++calls, { status: 401 }), {
      credentials: { key: { in: 'header', name: 'X-API-Key', value: () => 'token', rejected: () => true } },
    })
    const operation = { ...exchangeCode, security: ['key'] }
    expect(await rejection(client.send(operation, { body: { code: 'c' } }))).toMatchObject({ status: 401 })
    expect(calls).toBe(1)
  })

  it('a credential that is rejected again is an error', async () => {
    let calls = 0
    const client = clientFor(() => json(++calls, { status: 401 }), {
      credentials: { key: { in: 'header', name: 'X-API-Key', value: () => 'token', rejected: () => true } },
    })
    expect(await rejection(client.send(listItems, {}))).toMatchObject({ name: 'AuthenticationError' })
    expect(calls).toBe(2)
  })
})
