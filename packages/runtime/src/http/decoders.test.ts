import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, it, onTestFinished, vi } from 'vitest'

import { CodingError } from './content-coding.ts'
import { openDecoder } from './decoders.ts'
import { rejection } from './test-support/fixtures.ts'

async function decoded(coding: string, ...pieces: readonly Uint8Array[]): Promise<string> {
  const source = async function* () {
    yield* pieces
  }
  const found: Uint8Array[] = []
  for await (const piece of openDecoder(coding)!(source())) found.push(piece)
  return Buffer.concat(found).toString()
}

const text = 'boat '.repeat(2_000)

it.each([
  ['the zlib format', 'deflate', deflateSync],
  ['raw deflate', 'deflate', deflateRawSync],
  ['gzip', 'gzip', gzipSync],
] as const)('R-04: the host decodes %s', async (_, coding, encode) => {
  expect(await decoded(coding, encode(text))).toBe(text)
})

it('R-04: an empty body stays empty, and an unknown coding has no decoder', async () => {
  expect(await decoded('gzip')).toBe('')
  expect(await decoded('gzip', new Uint8Array(0))).toBe('')
  expect(openDecoder('compress')).toBeUndefined()
})

it('R-04: the error for a body that is cut short says so, with its cause', async () => {
  const error = await rejection(decoded('gzip', gzipSync(text).subarray(0, -12)))
  expect(error).toBeInstanceOf(CodingError)
  expect(error).toMatchObject({ cut: true, cause: expect.any(Error) })
})

it.each([
  ['text', 'gzip', new TextEncoder().encode(text)],
  ['text', 'deflate', new TextEncoder().encode(`x${text}`)],
  ['a damaged header', 'gzip', gzipSync(text).with(2, 0)],
  ['damaged content', 'gzip', gzipSync(text).fill(255, 12)],
] as const)('R-04: %s that is sent as %s is invalid, not cut short', async (_, coding, body) => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  expect(await rejection(decoded(coding, body))).toMatchObject({ cut: false, cause: expect.any(Error) })
  await new Promise(setImmediate)
  expect(unhandled).toEqual([])
})

it('R-03: the host stops decoding when the reader stops', async () => {
  const stopped: string[] = []
  vi.stubGlobal(
    'DecompressionStream',
    class {
      readonly writable = new WritableStream({ abort: () => void stopped.push('writing') })
      readonly readable = new ReadableStream({
        pull: (output) => output.enqueue(new Uint8Array(1)),
        cancel: () => void stopped.push('reading'),
      })
    },
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  const source = async function* () {
    yield new Uint8Array(2)
  }
  for await (const _ of openDecoder('gzip')!(source())) break
  expect(stopped.toSorted()).toEqual(['reading', 'writing'])
})
