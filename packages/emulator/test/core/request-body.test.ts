import { expect, it } from 'vitest'

import { readBody } from '../../src/core/request-body.ts'

const read = (body: BodyInit | undefined, contentType?: string, limitBytes = 1_000) =>
  readBody(
    new Request('http://x.invalid/', {
      method: 'POST',
      ...(body === undefined ? {} : { body }),
      headers: contentType === undefined ? {} : { 'content-type': contentType },
    }),
    limitBytes,
  )

it('a body may be absent', async () => {
  expect(await read(undefined)).toEqual({ kind: 'none' })
  expect(await read('', 'application/json')).toEqual({ kind: 'none' })
})

it('a body is JSON by its media type, regardless of parameters and case', async () => {
  expect(await read('{"a":1}', 'Application/JSON; charset=utf-8')).toMatchObject({
    kind: 'json',
    value: { a: 1 },
  })
})

it('a body is malformed if it is not JSON or not UTF-8', async () => {
  for (const body of ['{"a":', Uint8Array.of(0x22, 0xff, 0x22)])
    expect(await read(body, 'application/json')).toMatchObject({ kind: 'malformed', reason: 'is not JSON' })
})

it('a body is a form in either encoding, or malformed', async () => {
  const form = new FormData()
  form.set('a', '1')
  expect(await read(form)).toMatchObject({ kind: 'form' })
  expect(await read('a=1', 'application/x-www-form-urlencoded')).toMatchObject({ kind: 'form' })
  expect(await read('a=1', 'multipart/form-data; boundary=x')).toMatchObject({ kind: 'malformed' })
})

it('a body stays bytes if it has another media type', async () => {
  expect(await read('hello', 'text/plain')).toMatchObject({ kind: 'other', sizeBytes: 5 })
})

it('a body that arrives in many pieces is copied, piece by piece', async () => {
  const piece = new Uint8Array(1)
  let left = 100_000
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    // A reader that kept references to the piece would see the last value in all of them.
    piece[0] = 0x61 + (left % 2)
    controller.enqueue(piece)
    if (--left === 0) controller.close()
  }
  const body = new ReadableStream({ pull }, { highWaterMark: 0 })
  const request = new Request('http://x.invalid/', { method: 'POST', body, duplex: 'half' } as RequestInit)
  const found = await readBody(request, 200_000, true)
  expect(found).toMatchObject({ kind: 'other', sizeBytes: 100_000 })
  expect(new TextDecoder().decode((found as { bytes: Uint8Array }).bytes)).toBe('ab'.repeat(50_000))
})

it('a body may be as large as the limit and no larger', async () => {
  expect(await read('x'.repeat(1_000), 'text/plain')).toMatchObject({ sizeBytes: 1_000 })
  expect(await read('x'.repeat(1_001), 'text/plain')).toEqual({ kind: 'too-large', limitBytes: 1_000 })
})
