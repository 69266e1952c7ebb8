import { describe, expect, it } from 'vitest'
import { clientFor, createItem, json, listItems, rejection } from './test-support/fixtures.ts'

const item = { id: 'a', status: 'done' }

describe('parts that the contract leaves open', () => {
  it('R-07: sends extra query parameters, headers and body fields', async () => {
    let seen: Request | undefined
    const client = clientFor((request) => {
      seen = request.clone()
      return json(item)
    })
    await client.send(
      createItem,
      { body: { name: 'x' } },
      { extra: { query: { v: 2 }, headers: { 'X-Flag': 'on' }, body: { pipeline: 'fast' } } },
    )
    expect(seen?.url).toBe('http://service.test/v1/items?v=2')
    expect(seen?.headers.get('x-flag')).toBe('on')
    expect(await seen?.json()).toEqual({ name: 'x', pipeline: 'fast' })
  })

  it('R-07: a media type from the caller replaces that of a JSON body', async () => {
    let seen: string | null | undefined
    const client = clientFor((request) => {
      seen = request.headers.get('content-type')
      return json(item)
    })
    const headers = { 'Content-Type': 'application/vnd.example+json' }
    await client.send(createItem, { body: { name: 'x' } }, { extra: { headers } })
    expect(seen).toBe('application/vnd.example+json')
    await client.send(createItem, { body: { name: 'x' } })
    expect(seen).toBe('application/json')
  })

  it('R-07: an extra header cannot contain another header or affect the connection', async () => {
    const client = clientFor(() => json(item))
    for (const headers of [{ 'x-a': 'b\r\nx-evil: 1' }, { 'bad name': 'x' }, { 'Content-Length': '3' }]) {
      const error = await rejection(client.send(listItems, {}, { extra: { headers } }))
      expect(error).toMatchObject({ code: 'invalid-request' })
    }
  })

  it('R-07: extra parts require a form, and extra fields require JSON', async () => {
    const client = clientFor(() => json(item))
    expect(
      await rejection(client.send(createItem, { body: {} }, { extra: { parts: { a: 1 } } })),
    ).toMatchObject({
      code: 'invalid-request',
    })
  })
})
