import { describe, expect, it } from 'vitest'

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

describe('a body', () => {
  it('may be absent', async () => {
    expect(await read(undefined)).toEqual({ kind: 'none' })
    expect(await read('', 'application/json')).toEqual({ kind: 'none' })
  })

  it('is JSON by its media type, whatever its parameters and case', async () => {
    expect(await read('{"a":1}', 'Application/JSON; charset=utf-8')).toMatchObject({
      kind: 'json',
      value: { a: 1 },
    })
  })

  it('that is not JSON, or not UTF-8, is malformed', async () => {
    for (const body of ['{"a":', Uint8Array.of(0x22, 0xff, 0x22)])
      expect(await read(body, 'application/json')).toMatchObject({ kind: 'malformed', reason: 'is not JSON' })
  })

  it('is a form in both of its encodings, or malformed', async () => {
    const form = new FormData()
    form.set('a', '1')
    expect(await read(form)).toMatchObject({ kind: 'form' })
    expect(await read('a=1', 'application/x-www-form-urlencoded')).toMatchObject({ kind: 'form' })
    expect(await read('a=1', 'multipart/form-data; boundary=x')).toMatchObject({ kind: 'malformed' })
  })

  it('of another media type stays bytes', async () => {
    expect(await read('hello', 'text/plain')).toMatchObject({ kind: 'other', sizeBytes: 5 })
  })

  it('may be as large as the limit and no larger', async () => {
    expect(await read('x'.repeat(1_000), 'text/plain')).toMatchObject({ sizeBytes: 1_000 })
    expect(await read('x'.repeat(1_001), 'text/plain')).toEqual({ kind: 'too-large', limitBytes: 1_000 })
  })
})
