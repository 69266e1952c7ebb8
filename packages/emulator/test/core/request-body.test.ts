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

const form = new FormData()
form.set('a', '1')

it.each<[string, BodyInit | undefined, string | undefined, object]>([
  ['absent', undefined, undefined, { kind: 'none' }],
  ['absent, despite a content type', '', 'application/json', { kind: 'none' }],
  ['JSON', '{"a":1}', 'Application/JSON; charset=utf-8', { kind: 'json', value: { a: 1 } }],
  ['malformed JSON', '{"a":', 'application/json', { kind: 'malformed', reason: 'is not JSON' }],
  ['JSON but not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'application/json', { kind: 'malformed' }],
  ['a form', form, undefined, { kind: 'form' }],
  ['a URL-encoded form', 'a=1', 'application/x-www-form-urlencoded', { kind: 'form' }],
  ['a malformed form', 'a=1', 'multipart/form-data; boundary=x', { kind: 'malformed' }],
  ['of another media type', 'hello', 'text/plain', { kind: 'other', sizeBytes: 5 }],
])('readBody reads a body that is %s', async (_, body, contentType, expected) => {
  expect(await read(body, contentType)).toMatchObject(expected)
})

it('a body may be as large as the limit and no larger', async () => {
  expect(await read('x'.repeat(1_000), 'text/plain')).toMatchObject({ sizeBytes: 1_000 })
  expect(await read('x'.repeat(1_001), 'text/plain')).toEqual({ kind: 'too-large', limitBytes: 1_000 })
})
