import { expect, it } from 'vitest'
import type { StandardSchema } from '../core/check.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { bytes, opened, radio } from './test-support/radio.ts'

const LINE = '{"type":"Line","text":"a"}'
const properEnd = () => true
const BAD_LINE = '{"type":"Line","text":5}'

it('R-53: a slow reader applies pressure, and everything is read in the end', async () => {
  const { connection, peer, clock } = await opened({ properEnd, receiving: { maxMessages: 10 } })
  for (let count = 0; count < 100; count++) peer.send(`{"type":"Line","text":"${count}"}`)
  await clock.settle()
  expect(peer.paused).toBe(true)
  expect(peer.waiting).toBe(90)
  const seen = []
  peer.close()
  for await (const { data } of connection) seen.push((data as { text: string }).text)
  expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => String(index)))
})

it('R-53: with `overflow`, the connection ends with a typed error after the messages that fit', async () => {
  const { connection, peer, clock } = await opened({ receiving: { whenFull: 'overflow', maxMessages: 3 } })
  for (let count = 0; count < 5; count++) peer.send(LINE)
  await clock.settle()
  const reader = connection[Symbol.asyncIterator]()
  for (let count = 0; count < 3; count++) expect((await reader.next()).done).toBe(false)
  expect(await rejection(reader.next())).toMatchObject({ code: 'socket-overflow' })
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(await connection.closed).toMatchObject({ error: { code: 'socket-overflow' }, dropped: 1 })
})

it('R-53: messages that arrive during close() and find no room are reported as an error', async () => {
  const { connection, peer, clock } = await opened({ receiving: { maxMessages: 2 } })
  for (let count = 0; count < 5; count++) peer.send(LINE)
  await clock.settle()
  const end = await connection.close()
  expect(end).toMatchObject({ closeCode: 1000, dropped: 3, error: { code: 'socket-closed' } })
  expect(String(end.error)).toContain('3 received messages were dropped')
  const reader = connection[Symbol.asyncIterator]()
  for (let count = 0; count < 2; count++) expect((await reader.next()).done).toBe(false)
  expect(await rejection(reader.next())).toBe(end.error)
})

it('R-05: reports a message that differs from the contract, and yields it as received', async () => {
  const { connection, peer, drift } = await opened({ properEnd })
  peer.send(BAD_LINE)
  peer.send('{"type":"New"}')
  peer.close()
  const seen = []
  for await (const { data } of connection) seen.push(data)
  expect(seen).toEqual([{ type: 'Line', text: 5 }, { type: 'New' }])
  expect(drift).toEqual([
    { operation: 'radio.line', status: 101, issues: [{ path: '/text', reason: expect.any(String) }] },
    { operation: 'radio', status: 101, issues: [expect.objectContaining({ path: '' })] },
  ])
})

it("R-05: with `validate: 'enforce'`, a message that breaks the contract is thrown, and the reader can continue", async () => {
  const { connection, peer } = await opened({ properEnd, validate: 'enforce' })
  peer.send(BAD_LINE)
  peer.send('{"type":"New"}')
  peer.send(LINE)
  const first = await rejection(readAll(connection))
  expect(first).toMatchObject({
    code: 'contract-drift',
    data: { type: 'Line', text: 5 },
    operation: 'radio',
  })
  peer.close()
  expect(await readAll(connection)).toEqual([
    expect.objectContaining({ type: 'unknown' }),
    expect.objectContaining({ message: 'line' }),
  ])
})

it('R-50: a message of millions of empty objects arrives as a string, without taking gigabytes', async () => {
  const { connection, peer, drift } = await opened({ properEnd })
  // 15 MiB are within the limit of a message.
  const large = `[${'{},'.repeat(5_000_000)}{}]`
  peer.send(large)
  peer.send(`{"type":"Line","text":"${'{'.repeat(8_000)}"}`)
  peer.close()
  const [first, second] = await readAll(connection)
  expect(first?.type).toBe('unknown')
  expect(first?.data === large).toBe(true)
  expect(second?.message).toBe('line')
  expect(drift).toEqual([
    {
      operation: 'radio',
      status: 101,
      issues: [
        { path: '', reason: 'a message with more than 4000000 objects and arrays, so it was not parsed' },
      ],
    },
  ])
})

it('an asynchronous schema keeps the order of messages', async () => {
  const slow: StandardSchema = {
    '~standard': { version: 1, vendor: 'x', validate: async (value) => ({ value }) },
  }
  const channel = {
    ...radio,
    receives: { ...radio.receives, line: { ...radio.receives['line']!, check: { schema: () => slow } } },
  }
  const { connection, peer, drift } = await opened({ properEnd }, { channel })
  peer.send(LINE)
  peer.send(bytes(1))
  peer.close()
  expect((await readAll(connection)).map(({ message }) => message)).toEqual(['line', 'audio'])
  expect(drift).toEqual([])
})

it("several readers share the messages, and leaving a loop doesn't close the connection", async () => {
  const { connection, peer } = await opened()
  const one = connection[Symbol.asyncIterator]().next()
  const two = connection[Symbol.asyncIterator]().next()
  peer.send('{"type":"Tuned"}')
  peer.send(LINE)
  expect((await one).value).toMatchObject({ message: 'tuned' })
  expect((await two).value).toMatchObject({ message: 'line' })
  peer.send(LINE)
  for await (const _ of connection) break
  expect(connection.state).toBe('open')
})

async function readAll<T>(source: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = []
  for await (const each of source) seen.push(each)
  return seen
}
