import { expect, it } from 'vitest'

import { BufferedResponse, bufferResponse, tooLarge, UndecodableError } from './buffered-response.ts'

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
