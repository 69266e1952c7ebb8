import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { expect, it } from 'vitest'

import { readBody } from '../src/webhook-body.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

function post(pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void): Request {
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
  return new Request('https://hooks.example/', { method: 'POST', body, duplex: 'half' } as RequestInit)
}

it('a call takes memory for its bytes, no matter how many pieces they arrive in', async () => {
  const beganBytes = heapBytes()
  let grownBytes = Infinity
  let left = 400_000
  const request = post((controller) => {
    for (let count = 0; count < 10_000; count++) controller.enqueue(Uint8Array.of(0x20))
    left -= 10_000
    if (left > 0) return
    grownBytes = heapBytes() - beganBytes
    controller.enqueue(new TextEncoder().encode('{"event":"ü"}'))
    controller.close()
  })
  expect(await readBody(request, 1_000_000)).toEqual({ kind: 'json', value: { event: 'ü' } })
  expect(grownBytes).toBeLessThan(8_000_000)
})

it('a body that is too long is not read completely', async () => {
  let pieces = 0
  const request = post((controller) => {
    pieces++
    controller.enqueue(new Uint8Array(100))
  })
  expect(await readBody(request, 1_000)).toEqual({ kind: 'too-large' })
  expect(pieces).toBe(11)
})
