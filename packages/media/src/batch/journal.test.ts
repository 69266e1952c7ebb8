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
        $concord: "the caller's field",
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
    expect(() => encodeRequest(item)).toThrow('`request.fields.value` is a')
  },
)

it('encodes plain JSON, and leaves out undefined fields', () => {
  const fields = {
    at: new Date(0),
    address: new URL('https://assets.example/a'),
    list: [undefined, null],
    toJSON: "the caller's field",
    absent: undefined,
  }
  const item = { operation: 'textToSpeech', request: { model: 'audio_multilingual_v2', fields } } as const
  expect(encodeRequest(item, 0)).toEqual({
    operation: 'textToSpeech',
    request: {
      model: 'audio_multilingual_v2',
      fields: {
        at: '1970-01-01T00:00:00.000Z',
        address: 'https://assets.example/a',
        list: [undefined, null],
        toJSON: "the caller's field",
      },
    },
  })
  const { request } = encodeRequest(item, 0) as { readonly request: { readonly fields: object } }
  expect(Object.keys(request.fields)).toEqual(['at', 'address', 'list', 'toJSON'])
})

it('keeps fields whose names only resemble the mark', () => {
  const fields = { x$concord: 1, $concordance: 2, x$$concord: 3, $$concordance: 4, $$$concord: 5 }
  const item = { operation: 'textToSpeech', request: { model: 'audio_multilingual_v2', fields } } as const
  expect(kept(item).request.fields).toEqual(fields)
  expect(JSON.stringify(encodeRequest(item, 0))).toContain('"x$concord":1,"$concordance":2,"x$$concord":3')
})

it('decodes an input of an unknown kind to `undefined`', () => {
  const request = {
    model: 'gen4_turbo',
    promptImage: { $concord: 'hologram', input: 'https://assets.example/a' },
  }
  expect(decodeRequest({ operation: 'imageToVideo', request }).request).toEqual({
    model: 'gen4_turbo',
    promptImage: undefined,
  })
})
