import {
  agentQuery,
  configure,
  configureSuccess,
  conversationOptions,
  errorBody,
  grant,
  keepAlive,
  listenModel,
  liveTranscriptionOptions,
  settings,
  speak,
  speechStreamQuery,
  transcribeInput,
} from '@concord/speech-validators'
import { describe, expect, inject, it } from 'vitest'
import * as z from 'zod'

import { response, fromClient, recording } from './consumer.ts'

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success

describe('schemas inside the schemas of a consumer', () => {
  it('parse in an object, an array, a union, and as optional and nullable', () => {
    const options = { model: 'nova-3', redact: ['a'], other: 1 }
    const whole = {
      owner: 'me',
      options,
      earlier: [options, {}],
      conversation: null,
      transcript: [{ any: 1 }],
    }
    expect(recording.parse(whole)).toEqual(whole)
    expect(fromClient.parse({ type: 'KeepAlive' })).toEqual({ type: 'KeepAlive' })
    expect(response.parse({ type: 'ConfigureFailure', any: 1 })).toEqual({ type: 'ConfigureFailure', any: 1 })
  })

  it('reject with the whole path to the mistake', () => {
    const wrong = {
      owner: 'me',
      options: {},
      earlier: [{}, { model: 'nova-9' }],
      conversation: null,
      transcript: 1,
    }
    const outcome = recording.safeParse(wrong)
    expect(outcome.error?.issues.map(({ path }) => path)).toEqual([['earlier', 1, 'model']])
  })

  it('are Standard Schemas', async () => {
    expect(speak['~standard'].version).toBe(1)
    expect(await speak['~standard'].validate({ text: 'a' })).toEqual({ value: { text: 'a' } })
    expect(await speak['~standard'].validate({ text: '' })).toHaveProperty('issues')
  })
})

describe('messages', () => {
  it('carry thresholds as strings that contain a number', () => {
    for (const eot_threshold of ['0.8', '.8', '1.', '01', '+1', '0', '-1', '1e-7', '12.50', '1E+2'])
      expect(accepts(configure, { type: 'Configure', thresholds: { eot_threshold } }), eot_threshold).toBe(
        true,
      )
    for (const eot_threshold of [0.8, '', ' 1', '1 ', 'NaN', 'high', '0x10', null, '١'])
      expect(
        accepts(configure, { type: 'Configure', thresholds: { eot_threshold } }),
        String(eot_threshold),
      ).toBe(false)
  })

  it('may leave out thresholds and key terms, and have others', () => {
    expect(accepts(configure, { type: 'Configure' })).toBe(true)
    expect(accepts(configure, { type: 'Configure', thresholds: { other: 1 }, keyterms: [], more: 1 })).toBe(
      true,
    )
    expect(accepts(configure, { type: 'Configure', keyterms: 'a' })).toBe(false)
    expect(accepts(configure, { thresholds: {} })).toBe(false)
  })

  it('are recognized by their type where it is documented', () => {
    expect(accepts(keepAlive, { type: 'KeepAlive' })).toBe(true)
    expect(accepts(keepAlive, { type: 'keepalive' })).toBe(false)
    expect(accepts(configureSuccess, { type: 'ConfigureSuccess', any: { echo: 1 } })).toBe(true)
    expect(accepts(configureSuccess, { type: 'ConfigureFailure' })).toBe(false)
  })

  it('that are to be spoken need only some text', () => {
    expect(accepts(speak, { text: ' ' })).toBe(true)
    expect(accepts(speak, { text: 'a', type: 'Speak' })).toBe(true)
    expect(accepts(speak, { text: '' })).toBe(false)
    expect(accepts(speak, { type: 'Speak' })).toBe(false)
  })

  it('are open where the documentation shows nothing', () => {
    for (const value of [{}, { type: 'Settings' }, { agent: { think: 1 } }])
      expect(accepts(settings, value)).toBe(true)
    for (const value of [null, 1, 'text', [], {}]) {
      expect(accepts(grant, value)).toBe(true)
      expect(accepts(errorBody, value)).toBe(true)
    }
  })
})

describe('options', () => {
  it('of /v1/listen take the five models, and any value of the others', () => {
    for (const model of ['nova-3', 'nova-2', 'nova', 'enhanced', 'base'])
      expect(accepts(listenModel, model)).toBe(true)
    for (const model of ['flux-general-en', 'Nova', '']) expect(accepts(listenModel, model)).toBe(false)
    for (const value of ['a', 1, true, ['a', 'b']])
      expect(accepts(liveTranscriptionOptions, { smart_format: value, redact: value })).toBe(true)
    for (const value of [null, {}, [1]])
      expect(accepts(liveTranscriptionOptions, { redact: value })).toBe(false)
  })

  it('of /v2/listen take one model, and not what is unavailable there', () => {
    expect(accepts(conversationOptions, { model: 'flux-general-en', encoding: 'any', other: 1 })).toBe(true)
    expect(accepts(conversationOptions, { model: 'flux' })).toBe(false)
    for (const name of ['smart_format', 'diarize', 'punctuate']) {
      const { error } = conversationOptions.safeParse({ [name]: true })
      expect(error?.issues).toMatchObject([{ path: [], message: `must not have \`${name}\`` }])
      expect(accepts(liveTranscriptionOptions, { [name]: true })).toBe(true)
    }
  })

  it('of /v1/speak are open, and the agent has none', () => {
    expect(accepts(speechStreamQuery, { anything: [1] })).toBe(true)
    expect(accepts(agentQuery, {})).toBe(true)
  })
})

it('the input of a transcription is its options and the audio', () => {
  expect(accepts(transcribeInput, { query: { model: 'base' }, body: new Uint8Array(2) })).toBe(true)
  expect(accepts(transcribeInput, { body: 'meeting.wav' })).toBe(true)
  expect(accepts(transcribeInput, { query: {} })).toBe(false)
})

it('runs with the zod that this run is meant for', () => {
  const name = inject('zod')
  expect('ZodMiniString' in z).toBe(name === 'zod/mini')
  const version: { readonly major: number; readonly minor: number } = z.core.version
  expect([version.major, version.minor === 0]).toEqual([4, name === 'zod-lowest'])
})
