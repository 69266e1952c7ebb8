import { expect, it } from 'vitest'

import * as media from '../src/index.ts'
import type { GenerationPaths } from '../src/requests.ts'

it('the types assign each operation the same endpoint as the contract', () => {
  const paths: { readonly [Name in keyof GenerationPaths]: GenerationPaths[Name] } = {
    imageToVideo: '/v1/image_to_video',
    textToVideo: '/v1/text_to_video',
    videoToVideo: '/v1/video_to_video',
    characterPerformance: '/v1/character_performance',
    textToImage: '/v1/text_to_image',
    textToSpeech: '/v1/text_to_speech',
    soundEffect: '/v1/sound_effect',
    voiceIsolation: '/v1/voice_isolation',
    voiceDubbing: '/v1/voice_dubbing',
    speechToSpeech: '/v1/speech_to_speech',
  }
  const operations: Readonly<Record<string, unknown>> = media
  for (const [name, path] of Object.entries(paths)) expect(operations[name], name).toMatchObject({ path })
})
