import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  BufferedResponse,
  bufferResponse,
  ByteQueue,
  tooLarge,
  UndecodableError,
} from './buffered-response.ts'

const head = { status: 200, headers: { 'x-a': '1' } }

const body = new Uint8Array([1, 2])

it('R-04: a response may have as many bytes as the limit, and is decoded once it was read', async () => {
  const response = new BufferedResponse(200, head.headers, body)
  expect(response.decoded).toBe(false)
  const whole = await bufferResponse(response, 2)
  expect([whole.decoded, ...whole.bytes()]).toEqual([true, 1, 2])
  await expect(bufferResponse(response, 1)).rejects.toThrow(/more than 1 bytes/)
  expect(tooLarge(response, 1).headers?.get('x-a')).toBe('1')
})

it('R-04: a response that cannot be decoded keeps its status, and has no body', async () => {
  const response = new BufferedResponse(200, head.headers, body)
  response.stream = async function* () {
    yield body
    throw new UndecodableError(head, 'it is broken')
  }
  const read = await bufferResponse(response, 2)
  expect(read).toMatchObject({ status: 200, decoded: true, undecodable: 'it is broken' })
  expect(read.bytes()).toHaveLength(0)
})

it('R-04: the error for a body that cannot be decoded names its cause, if any', () => {
  const { cause } = new UndecodableError(head, 'it is broken', new Error('bad block'))
  expect(cause).toMatchObject({ message: 'bad block' })
  expect('cause' in new UndecodableError(head, 'it is broken')).toBe(false)
})

it('a ByteQueue returns all bytes in order, no matter how they are split and removed', () => {
  const piece = fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(bytes))
  const long = fc.integer({ min: 1_000, max: 20_000 }).map((length) => new Uint8Array(length).fill(7))
  const step = fc.oneof(
    { weight: 6, arbitrary: piece },
    { weight: 1, arbitrary: long },
    fc.constant('take' as const),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const queue = new ByteQueue()
      const put: number[] = []
      const taken: number[] = []
      for (const each of steps) {
        if (each === 'take') taken.push(...(queue.shift() ?? []))
        else {
          queue.push(each)
          put.push(...each)
        }
        expect(queue.sizeBytes).toBe(put.length - taken.length)
      }
      expect([...taken, ...queue.join()]).toEqual(put)
    }),
    { numRuns: 50 },
  )
})

it('R-02: a ByteQueue joins short pieces once several are waiting, and keeps their order', () => {
  const queue = new ByteQueue()
  let pushed = 0
  const push = (count: number, length: number): void => {
    for (let index = 0; index < count; index++, pushed += length)
      queue.push(Uint8Array.from({ length }, (_, at) => (pushed + at) % 251))
  }
  const lengths = () => queue.pieces().map((piece) => piece.length)
  push(10, 5)
  push(1, 1_024)
  push(16, 1_023)
  push(2, 16)
  expect(lengths()).toEqual([5, 5, 5, 5, 5, 5, 5, 5, 10, 1_024, 16_384, 16])
  const whole = [...queue.join()]
  const taken: number[] = []
  for (let count = 0; count < 11; count++) taken.push(...(queue.shift() as Uint8Array))
  expect(queue.sizeBytes).toBe(16)
  push(1, 3)
  whole.push(...[0, 1, 2].map((at) => (pushed - 3 + at) % 251))
  expect([...taken, ...queue.join()]).toEqual(whole)
  queue.clear()
  expect([queue.empty, queue.sizeBytes, queue.shift()]).toEqual([true, 0, undefined])
  push(9, 2)
  for (let count = 0; count < 9; count++) expect(queue.shift()).toHaveLength(2)
  queue.clear()
  push(1, 4)
  expect(queue.join()).toHaveLength(4)
})

it('R-02: a ByteQueue does not copy a short piece if few are waiting, but fills a piece that was begun', () => {
  const queue = new ByteQueue()
  const pieces = Array.from({ length: 60 }, (_, index) => new Uint8Array(1_000).fill(index))
  for (const piece of pieces.slice(0, 20)) {
    queue.push(piece)
    expect(queue.shift()).toBe(piece)
  }
  for (const piece of pieces.slice(20, 29)) queue.push(piece)
  for (const piece of pieces.slice(20, 28)) expect(queue.shift()).toBe(piece)
  for (const piece of pieces.slice(29)) queue.push(piece)
  const joined = [queue.shift(), queue.shift()]
  expect(joined.map((piece) => piece?.length)).toEqual([16_000, 16_000])
  expect(Buffer.concat([...(joined as Uint8Array[]), queue.join()])).toEqual(Buffer.concat(pieces.slice(28)))
})

it('R-02: a ByteQueue joins short pieces, so that a million of them take little memory', () => {
  const queue = new ByteQueue()
  const byte = new Uint8Array([1])
  for (let count = 0; count < 1_000_000; count++) queue.push(byte)
  expect(queue.pieces().length).toBeLessThan(100)
  let bytes = 0
  for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) bytes += piece.length
  expect(bytes).toBe(1_000_000)
  expect(queue.empty).toBe(true)
})

it('a ByteQueue removes many long pieces from the front in linear time', () => {
  const queue = new ByteQueue()
  const piece = new Uint8Array(1_024)
  for (let count = 0; count < 5_000; count++) queue.push(piece)
  for (let count = 0; count < 5_000; count++) expect(queue.shift()).toBe(piece)
  expect(queue.shift()).toBeUndefined()
})
