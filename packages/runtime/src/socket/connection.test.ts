import { expect, it } from 'vitest'
import { bytes, opened } from './test-support/radio.ts'

it('R-50: yields typed, binary and unknown messages in order', async () => {
  const { connection, peer } = await opened({ properEnd: () => true })
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

it('sends messages of the contract as JSON, and bytes unchanged', async () => {
  const { connection, peer, clock } = await opened()
  await connection.send('note', { text: 'hi' })
  await connection.send('audio', bytes(2))
  await connection.sendBinary(bytes(4))
  await connection.sendText('{"raw":true}')
  await clock.settle()
  expect(peer.received).toEqual(['{"text":"hi"}', bytes(2), bytes(4), '{"raw":true}'])
})

it("R-51: doesn't send empty chunks", async () => {
  const { connection, peer, clock } = await opened()
  await connection.sendBinary(bytes(0))
  await connection.sendFrom([bytes(0), bytes(1), bytes(0)])
  await clock.settle()
  expect(peer.received).toEqual([bytes(1)])
})

it('close() sends the code and the reason, and returns how the connection ended', async () => {
  const { connection, peer, clock } = await opened()
  void connection.sendBinary(bytes(5))
  const end = await connection.close({ code: 3000, reason: 'done' })
  expect(end).toEqual({ closeCode: 3000, reason: 'done', unsent: { messages: 0, bytes: 0 }, dropped: 0 })
  expect(peer.received).toEqual([bytes(5)])
  expect(connection.state).toBe('closed')
  expect(clock.timers).toBe(0)
})
