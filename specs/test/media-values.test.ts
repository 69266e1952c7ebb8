import { describe, expect, it } from 'vitest'

import { judgeOf } from './checks/examples.ts'
import { readDocument } from './document.ts'
import type { Json } from './document.ts'

const judge = judgeOf(readDocument('media/openapi.yaml'))

/** Whether the contract accepts a value as one of its named schemas. */
const accepts = (schema: string, value: Json) => judge(`/components/schemas/${schema}`, value).length === 0

describe('requests', () => {
  const promptImage = 'https://assets.example/a.png'

  it.each<[string, boolean, string, Json]>([
    ['gen4_turbo with an image', true, 'ImageToVideoRequest', { model: 'gen4_turbo', promptImage }],
    ['gen4.5 from text alone', true, 'ImageToVideoRequest', { model: 'gen4.5', promptText: 'rain' }],
    ['gen4.5 from an image alone', true, 'TextToVideoRequest', { model: 'gen4.5', promptImage }],
    ['partner3.1_fast', true, 'TextToVideoRequest', { model: 'partner3.1_fast' }],
    ['a model that is not in the table', true, 'TextToVideoRequest', { model: 'partner4' }],
    ['a model that is a number', false, 'TextToVideoRequest', { model: 4 }],
    ['a request without a model', true, 'TextToVideoRequest', { promptText: 'rain' }],
    ['2 seconds', true, 'TextToVideoRequest', { model: 'gen4.5', duration: 2 }],
    ['10 seconds', true, 'TextToVideoRequest', { model: 'gen4.5', duration: 10 }],
    ['11 seconds', false, 'TextToVideoRequest', { model: 'gen4.5', duration: 11 }],
    ['2.5 seconds', false, 'TextToVideoRequest', { model: 'gen4.5', duration: 2.5 }],
    ['an image of 20 seconds', true, 'TextToImageRequest', { model: 'gen4_image', duration: 20 }],
    ['a ratio that is not listed', true, 'TextToVideoRequest', { model: 'gen4.5', ratio: '1:1' }],
    ['an undocumented field', true, 'TextToVideoRequest', { model: 'gen4.5', seed: 4 }],
    [
      'fields of any kind for a voice',
      true,
      'TextToSpeechRequest',
      { model: 'audio_multilingual_v2', text: [1] },
    ],
    [
      'a long data URI',
      true,
      'ImageToVideoRequest',
      { model: 'gen4_turbo', promptImage: `data:image/png;base64,${'a'.repeat(4_000)}` },
    ],
    ['a voice of tomorrow', true, 'CreateAvatarRequest', { voice: { type: 'live', presetId: 'nora' } }],
    ['an avatar with a name alone', true, 'CreateAvatarRequest', { name: 'Guide' }],
    ['an avatar whose name is a number', false, 'CreateAvatarRequest', { name: 4 }],
    ['documents in another form than a list', false, 'UpdateAvatarRequest', { documentIds: 'a' }],
  ])('%s: accepted is %s', (_, accepted, schema, value) => {
    expect(accepts(schema, value)).toBe(accepted)
  })
})

describe('responses', () => {
  it.each<[string, boolean, string, Json]>([
    ['a task with undocumented fields', true, 'Task', { id: 'a', status: 'RUNNING', progress: 0.5 }],
    ['a task in THROTTLED', true, 'Task', { id: 'a', status: 'THROTTLED' }],
    ['a task in the word of a session', false, 'Task', { id: 'a', status: 'COMPLETED' }],
    ['a task in lower case', false, 'Task', { id: 'a', status: 'succeeded' }],
    ['a task without a status', false, 'Task', { id: 'a' }],
    [
      'an output in another form than a list',
      false,
      'Task',
      { id: 'a', status: 'SUCCEEDED', output: 'https://o.example/a' },
    ],
    ['a failure in words', true, 'Task', { id: 'a', status: 'FAILED', failure: 'It rained.' }],
    ['a submission', true, 'TaskSubmission', { id: 'a' }],
    ['a submission without an id', false, 'TaskSubmission', { task: 'a' }],
    ['a session of any fields', true, 'RealtimeSession', { anything: 1 }],
    ['a session that is a string', false, 'RealtimeSession', 'READY'],
    ['credentials of any form', true, 'RealtimeCredentials', 'text'],
    ['an error of any form', true, 'ErrorBody', 'busy'],
    ['a session status with one l', false, 'RealtimeSessionStatus', 'CANCELED'],
    ['an avatar in an envelope', true, 'Avatar', { avatar: { name: 'Guide' } }],
  ])('%s: accepted is %s', (_, accepted, schema, value) => {
    expect(accepts(schema, value)).toBe(accepted)
  })
})
