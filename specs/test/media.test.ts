import { readDocument } from './document.ts'
import { testVerdicts } from './values.ts'

const promptImage = 'https://assets.example/a.png'
const dataUri = `data:image/png;base64,${'a'.repeat(4_000)}`

testVerdicts(readDocument('media/openapi.yaml'), [
  ['ImageToVideoRequest', 'accepts', 'gen4_turbo with an image', { model: 'gen4_turbo', promptImage }],
  ['ImageToVideoRequest', 'accepts', 'gen4.5 from text alone', { model: 'gen4.5', promptText: 'rain' }],
  ['ImageToVideoRequest', 'accepts', 'a long data URI', { model: 'gen4_turbo', promptImage: dataUri }],
  ['TextToVideoRequest', 'accepts', 'gen4.5 from an image alone', { model: 'gen4.5', promptImage }],
  ['TextToVideoRequest', 'accepts', 'partner3.1_fast', { model: 'partner3.1_fast' }],
  ['TextToVideoRequest', 'accepts', 'a model that is not in the table', { model: 'partner4' }],
  ['TextToVideoRequest', 'accepts', 'no model', { promptText: 'rain' }],
  ['TextToVideoRequest', 'accepts', '2 seconds', { model: 'gen4.5', duration: 2 }],
  ['TextToVideoRequest', 'accepts', '10 seconds', { model: 'gen4.5', duration: 10 }],
  ['TextToVideoRequest', 'accepts', 'a ratio that is not listed', { model: 'gen4.5', ratio: '1:1' }],
  ['TextToVideoRequest', 'accepts', 'a field without documentation', { model: 'gen4.5', seed: 4 }],
  ['TextToVideoRequest', 'rejects', 'a model that is a number', { model: 4 }],
  ['TextToVideoRequest', 'rejects', '11 seconds', { model: 'gen4.5', duration: 11 }],
  ['TextToVideoRequest', 'rejects', '2.5 seconds', { model: 'gen4.5', duration: 2.5 }],
  ['TextToImageRequest', 'accepts', '20 seconds', { model: 'gen4_image', duration: 20 }],
  ['TextToSpeechRequest', 'accepts', 'a field of any kind', { model: 'audio_multilingual_v2', text: [1] }],
  ['CreateAvatarRequest', 'accepts', 'a new voice', { voice: { type: 'live', presetId: 'nora' } }],
  ['CreateAvatarRequest', 'accepts', 'a name alone', { name: 'Guide' }],
  ['CreateAvatarRequest', 'rejects', 'a name that is a number', { name: 4 }],
  ['UpdateAvatarRequest', 'rejects', 'documents that are not a list', { documentIds: 'a' }],
  ['Avatar', 'accepts', 'an envelope', { avatar: { name: 'Guide' } }],
  ['Task', 'accepts', 'a field without documentation', { id: 'a', status: 'RUNNING', progress: 0.5 }],
  ['Task', 'accepts', 'THROTTLED', { id: 'a', status: 'THROTTLED' }],
  ['Task', 'accepts', 'a failure in words', { id: 'a', status: 'FAILED', failure: 'It rained.' }],
  ['Task', 'rejects', 'the status of a session', { id: 'a', status: 'COMPLETED' }],
  ['Task', 'rejects', 'a status in lower case', { id: 'a', status: 'succeeded' }],
  ['Task', 'rejects', 'no status', { id: 'a' }],
  ['Task', 'rejects', 'an output as text', { id: 'a', status: 'SUCCEEDED', output: 'https://o.example/a' }],
  ['TaskSubmission', 'accepts', 'an id', { id: 'a' }],
  ['TaskSubmission', 'rejects', 'no id', { task: 'a' }],
  ['RealtimeSession', 'accepts', 'any fields', { anything: 1 }],
  ['RealtimeSession', 'rejects', 'a string', 'READY'],
  ['RealtimeSessionStatus', 'rejects', 'a status with one l', 'CANCELED'],
  ['RealtimeCredentials', 'accepts', 'any form', 'text'],
  ['ErrorBody', 'accepts', 'any form', 'busy'],
])
