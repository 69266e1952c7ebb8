import { configure, conversationOptions, speak } from '@concord/speech-validators'
import { describe, expect, it } from 'vitest'

import { response, fromClient, recording } from './consumer.ts'

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

it('thresholds are strings that contain a number', () => {
  const accepts = (eot_threshold: unknown) =>
    configure.safeParse({ type: 'Configure', thresholds: { eot_threshold } }).success
  const numbers = ['0.8', '.8', '1.', '01', '+1', '0', '-1', '1e-7', '12.50', '1E+2']
  expect(numbers.filter((value) => !accepts(value))).toEqual([])
  expect([0.8, '', ' 1', '1 ', 'NaN', 'high', '0x10', null, '١'].filter(accepts)).toEqual([])
})

it.each(['smart_format', 'diarize', 'punctuate'])('a conversation rejects `%s` by name', (name) => {
  const { error } = conversationOptions.safeParse({ [name]: true })
  expect(error?.issues).toMatchObject([{ path: [], message: `must not have \`${name}\`` }])
})
