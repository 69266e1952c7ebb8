import { expect, it } from 'vitest'

import { readBody } from '../src/webhook-body.ts'

const post = (body: BodyInit | null, headers: Record<string, string> = {}) =>
  new Request('https://hooks.test', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
const pieces = (...parts: readonly Uint8Array[]) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

it('the body of a call can arrive in pieces, even split within a character', async () => {
  const bytes = new TextEncoder().encode('{"name":"Zoë"}')
  const cut = bytes.length - 3
  expect(await readBody(post(pieces(bytes.subarray(0, cut), bytes.subarray(cut))), 100)).toEqual({
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
  const body = new ReadableStream(
    {
      pull(controller) {
        isRead = true
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  expect(await readBody(post(body, { 'content-length': '6' }), 5)).toEqual({ kind: 'too-large' })
  expect(isRead).toBe(false)
})

it.each([
  ['is missing', null],
  ['is not JSON', 'event=done'],
  ['is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ['breaks off', new ReadableStream({ pull: (controller) => controller.error(new Error('lost')) })],
])('a body that %s is reported as unreadable, without throwing', async (_what, body) => {
  expect(await readBody(post(body), 100)).toEqual({ kind: 'unreadable' })
})
