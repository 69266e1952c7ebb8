import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { expect, it } from 'vitest'

import { readBody } from '../src/webhook.ts'

type Pull = (controller: ReadableStreamDefaultController<Uint8Array>) => void

const post = (body: BodyInit | null, headers: Record<string, string> = {}) =>
  new Request('https://hooks.test', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
const pulled = (pull: Pull) => new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })

it('the body of a call can arrive in pieces, even split within a character', async () => {
  const bytes = new TextEncoder().encode('{"name":"Zoë"}')
  const parts = [bytes.subarray(0, -3), bytes.subarray(-3)]
  const pull: Pull = (controller) => {
    const part = parts.shift()
    if (part === undefined) controller.close()
    else controller.enqueue(part)
  }
  expect(await readBody(post(pulled(pull)), 100)).toEqual({
    kind: 'json',
    value: { name: 'Zoë' },
  })
})

it('a body of exactly the maximum size is read; one more byte is too large, no matter what its header says', async () => {
  expect(await readBody(post('[1,2]', { 'content-length': '5' }), 5)).toEqual({ kind: 'json', value: [1, 2] })
  expect(await readBody(post('[1,2]'), 4)).toEqual({ kind: 'too-large' })
  expect(await readBody(post('[1,2]', { 'content-length': '1' }), 4)).toEqual({ kind: 'too-large' })
})

it('a body whose content-length is too large is not read', async () => {
  let isRead = false
  const body = pulled((controller) => {
    isRead = true
    controller.close()
  })
  expect(await readBody(post(body, { 'content-length': '6' }), 5)).toEqual({ kind: 'too-large' })
  expect(isRead).toBe(false)
})

it.each([
  ['is missing', null],
  ['is not JSON', 'event=done'],
  ['is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ['breaks off', pulled((controller) => controller.error(new Error('lost')))],
])('a body that %s is reported as unreadable, without throwing', async (_what, body) => {
  expect(await readBody(post(body), 100)).toEqual({ kind: 'unreadable' })
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

it('a call takes memory for its bytes, no matter how many pieces they arrive in', async () => {
  const beganBytes = heapBytes()
  let grownBytes = Infinity
  let left = 400_000
  const body = pulled((controller) => {
    for (let count = 0; count < 10_000; count++) controller.enqueue(Uint8Array.of(0x20))
    left -= 10_000
    if (left > 0) return
    grownBytes = heapBytes() - beganBytes
    controller.enqueue(new TextEncoder().encode('{"event":"ü"}'))
    controller.close()
  })
  expect(await readBody(post(body), 1_000_000)).toEqual({ kind: 'json', value: { event: 'ü' } })
  expect(grownBytes).toBeLessThan(8_000_000)
})

it('a body that is too long is not read completely', async () => {
  let pieces = 0
  const body = pulled((controller) => {
    pieces++
    controller.enqueue(new Uint8Array(100))
  })
  expect(await readBody(post(body), 1_000)).toEqual({ kind: 'too-large' })
  expect(pieces).toBe(11)
})
