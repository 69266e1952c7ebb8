import { expect, it } from 'vitest'

import { unlistedModel, type BatchRequest } from '../index.ts'
import { audio, file, image, isFile, isSource, video } from '../inputs.ts'
import { decodeRequest, encodeRequest } from './journal.ts'

const kept = (item: BatchRequest): BatchRequest =>
  decodeRequest(JSON.parse(JSON.stringify(encodeRequest(item, 0))))

it('decodes a request to what was encoded', () => {
  const item: BatchRequest = {
    operation: 'characterPerformance',
    request: {
      model: 'act_two',
      fields: {
        face: image(file('face.png')),
        motion: { list: [video('https://assets.example/a.mp4'), audio({ uri: 'upload://b' })], none: null },
        $concord: 'a field of the caller',
        $$concord: 1,
        $other: [true, 1.5, ''],
      },
    },
    credits: { min: 1, max: 2 },
  }
  const back = kept(item)
  expect(back).toEqual(item)
  const { face, motion } = back.request.fields as { face: { input: unknown }; motion: { list: unknown[] } }
  expect([isSource(face), isFile(face.input), ...motion.list.map(isSource)]).toEqual([true, true, true, true])
})

it('decodes a URL, a file and an unlisted model to what was encoded', () => {
  const request = { model: 'gen4_turbo', promptImage: new URL('https://assets.example/a.png') } as const
  expect(kept({ operation: 'imageToVideo', request }).request).toEqual({
    model: 'gen4_turbo',
    promptImage: 'https://assets.example/a.png',
  })
  const local = kept({
    operation: 'imageToVideo',
    request: { model: 'gen4_turbo', promptImage: file('a.png') },
  })
  expect(isFile((local.request as { promptImage: unknown }).promptImage)).toBe(true)
  const other = {
    operation: 'textToVideo',
    request: { model: unlistedModel('gen9'), promptText: undefined },
  } as const
  expect(kept(other)).toEqual({ operation: 'textToVideo', request: { model: unlistedModel('gen9') } })
})

it.each([Number.NaN, Infinity, 1n, () => 0, Symbol('x')])(
  '%o is rejected, since JSON would lose it',
  (value) => {
    const item = {
      operation: 'textToSpeech',
      request: { model: 'audio_multilingual_v2', fields: { value } },
    } as const
    expect(() => encodeRequest(item, 3)).toThrow('`requests[3].request.fields.value` is a')
  },
)
