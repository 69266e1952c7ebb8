import { describe, expect, it } from 'vitest'

import {
  consumeRealtimeSessionOutput,
  createAvatarInput,
  errorBody,
  imageToVideoInput,
  spec,
  task,
  textToImageRequest,
  textToVideoInput,
} from '@concord/media-validators'

import { form, shelf } from './consumer.ts'

const done = { id: 'a', status: 'SUCCEEDED', output: ['https://outputs.example/a.mp4?signature=s'] }

describe('schemas inside the schemas of a consumer', () => {
  it('schemas parse inside the objects, arrays, unions and records of a consumer, and as optional and nullable', () => {
    const whole = { owner: 'kim', tasks: [done], state: null, byName: { guide: { name: 'Guide', id: 'b' } } }
    expect(shelf.parse(whole)).toEqual(whole)
    const filled = { request: { model: 'gen4.5', promptText: 'rain' }, voice: { type: 'live-preset' } }
    expect(form.parse(filled)).toEqual(filled)
  })

  it('schemas report the whole path to a mistake', () => {
    const wrong = { owner: 'kim', tasks: [done, { id: 'b', status: 'DONE' }], state: null, byName: {} }
    expect(shelf.safeParse(wrong).error?.issues.map(({ path }) => path)).toEqual([['tasks', 1, 'status']])
  })

  it('schemas are Standard Schemas', async () => {
    expect(task['~standard'].version).toBe(1)
    expect(await task['~standard'].validate(done)).toEqual({ value: done })
    expect(await task['~standard'].validate({})).toHaveProperty('issues')
  })
})

describe('values', () => {
  it('parsing keeps unknown fields at every depth', () => {
    const body = { model: 'gen4.5', seed: 4, camera: { zoom: 2 } }
    expect(textToVideoInput.parse({ body })).toEqual({ body })
    expect(task.parse({ ...done, progress: 1 })).toEqual({ ...done, progress: 1 })
  })

  it('inputs have no version header, which the client sends', () => {
    expect(textToVideoInput.safeParse({ body: { model: 'gen4.5' } }).success).toBe(true)
  })

  it('requests can name any model or none, but the duration of a video is limited', () => {
    const accepts = (body: object) => imageToVideoInput.safeParse({ body }).success
    expect(accepts({ model: 'gen4_turbo', promptImage: 'https://assets.example/a.png' })).toBe(true)
    expect(accepts({ model: 'gen9' })).toBe(true)
    expect(accepts({})).toBe(true)
    expect(accepts({ model: 4 })).toBe(false)
    expect(accepts({ model: 'partner3.1', duration: 10 })).toBe(true)
    expect(accepts({ model: 'partner3.1', duration: 11 })).toBe(false)
    expect(textToImageRequest.safeParse({ model: 'gen4_image', duration: 60 }).success).toBe(true)
  })

  it('undocumented data can be anything', () => {
    for (const value of ['text', 4, null, { a: 1 }, [1]]) {
      expect(errorBody.safeParse(value).success).toBe(true)
      expect(consumeRealtimeSessionOutput.safeParse(value).success).toBe(true)
    }
    expect(
      createAvatarInput.safeParse({ body: { voice: { type: 'other', presetId: 'nora' } } }).success,
    ).toBe(true)
  })
})

it('`spec` identifies the contract that the package was generated from', () => {
  expect(spec.title).toBe('Media generation service')
  expect(spec.digest).toMatch(/^[0-9a-f]{64}$/)
  expect(Object.keys(spec.files)).toEqual(['specs/media/openapi.yaml'])
})
