import { describe, expect, it } from 'vitest'
import { KEY } from '../http/test-support/fixtures.ts'
import { connect } from './connect.ts'
import { bytes, radio, studio } from './test-support/radio.ts'

describe('a connection', () => {
  it('is opened on the base URL with its prefix, as wss, with query and credential', async () => {
    const { client, peer, ...rest } = await opened({ query: { band: 'a b' } })
    expect(rest.url).toBe('wss://service.test/prefix/v1/radio?band=a%20b')
    expect(peer.headers.get('authorization')).toBe(`Token ${KEY}`)
    await client.close()
  })

  it('R-50: yields typed messages, binary ones and unknown ones, in order', async () => {
    const { connection, peer } = await opened()
    peer.send('{"type":"Line","text":"hello"}')
    peer.send(bytes(3))
    peer.send('{"type":"Weather","wind":4}')
    peer.send('{"type":')
    peer.close()
    const seen = []
    for await (const event of connection) seen.push(event)
    expect(seen).toEqual([
      { type: 'message', message: 'line', data: { type: 'Line', text: 'hello' } },
      { type: 'message', message: 'audio', data: bytes(3) },
      { type: 'unknown', message: undefined, data: { type: 'Weather', wind: 4 } },
      { type: 'unknown', message: undefined, data: '{"type":' },
    ])
  })

  it('R-50: reads JSON after a byte order mark', async () => {
    const { connection, peer } = await opened()
    peer.send('\uFEFF{"type":"Line","text":"hello"}')
    expect((await connection[Symbol.asyncIterator]().next()).value).toMatchObject({
      message: 'line',
      data: { text: 'hello' },
    })
  })

  it('sends messages of the contract as JSON, and bytes as they are', async () => {
    const { connection, peer, clock } = await opened()
    await connection.send('note', { text: 'hi' })
    await connection.send('audio', bytes(2))
    await connection.sendBinary(bytes(4))
    await connection.sendText('{"raw":true}')
    await clock.settle()
    expect(peer.received).toEqual(['{"text":"hi"}', bytes(2), bytes(4), '{"raw":true}'])
  })

  it('R-51: sends the keep-alive as text every 3 to 5 s of silence, and not while bytes are sent', async () => {
    const { connection, peer, clock } = await opened()
    await clock.advance(12_000)
    expect(peer.received).toEqual(Array.from({ length: 3 }, () => '{"type":"KeepAlive"}'))
    for (let second = 0; second < 10; second++) {
      await connection.sendBinary(bytes(1))
      await clock.advance(1000)
    }
    expect(peer.received.filter((frame) => typeof frame === 'string')).toHaveLength(3)
  })

  it("R-51: doesn't send empty chunks", async () => {
    const { connection, peer, clock } = await opened()
    await connection.sendBinary(bytes(0))
    await connection.sendFrom([bytes(0), bytes(1), bytes(0)])
    await clock.settle()
    expect(peer.received).toEqual([bytes(1)])
  })

  it('closes cleanly, and returns how it ended', async () => {
    const { connection, peer, clock } = await opened()
    void connection.sendBinary(bytes(5))
    const end = await connection.close({ code: 3000, reason: 'done' })
    expect(end).toEqual({ closeCode: 3000, reason: 'done', unsent: { messages: 0, bytes: 0 }, dropped: 0 })
    expect(peer.received).toEqual([bytes(5)])
    expect(connection.state).toBe('closed')
    expect(clock.timers).toBe(0)
  })
})

async function opened(options: Parameters<typeof connect>[2] = {}) {
  const all = studio()
  const connection = await connect(all.client, radio, {
    properEnd: () => true,
    ...(options as { query?: { band?: string } }),
  })
  return { ...all, connection, peer: all.peer, url: all.requests[0]?.url }
}
