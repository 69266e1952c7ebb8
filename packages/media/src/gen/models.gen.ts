// Generated from specs/media/openapi.yaml by @concord/generate. Do not edit.

/**
 * The models that the contract lists, with the endpoints, the input, the requirements and the cost of each.
 *
 * @see `specs/media/openapi.yaml#/x-models`
 * @public
 */
export const models = {
  'gen4.5': {
    endpoints: ['/v1/image_to_video', '/v1/text_to_video'],
    input: 'text and/or image',
    requiresOneOf: [['promptText', 'promptImage']],
    cost: [{ credits: { min: 12, max: 12 }, per: { count: 1, unit: 'second' } }],
  },
  gen4_turbo: {
    endpoints: ['/v1/image_to_video'],
    input: 'image required',
    requiresOneOf: [['promptImage']],
    cost: [{ credits: { min: 5, max: 5 }, per: { count: 1, unit: 'second' } }],
  },
  gen4_aleph: {
    endpoints: ['/v1/video_to_video'],
    input: 'video plus text/image',
    requiresOneOf: [['*'], ['promptText', 'promptImage', '*']],
    cost: [{ credits: { min: 15, max: 15 }, per: { count: 1, unit: 'second' } }],
  },
  act_two: {
    endpoints: ['/v1/character_performance'],
    input: 'image/video',
    requiresOneOf: [['*']],
    cost: [{ credits: { min: 5, max: 5 }, per: { count: 1, unit: 'second' } }],
  },
  partner3: {
    endpoints: ['/v1/image_to_video', '/v1/text_to_video'],
    input: 'text/image',
    requiresOneOf: [['promptText', 'promptImage']],
    cost: [{ credits: { min: 40, max: 40 }, per: { count: 1, unit: 'second' } }],
  },
  'partner3.1': {
    endpoints: ['/v1/image_to_video', '/v1/text_to_video'],
    input: 'text/image',
    requiresOneOf: [['promptText', 'promptImage']],
    cost: [{ credits: { min: 20, max: 40 }, per: { count: 1, unit: 'second' } }],
  },
  'partner3.1_fast': {
    endpoints: ['/v1/image_to_video', '/v1/text_to_video'],
    input: 'text/image',
    requiresOneOf: [['promptText', 'promptImage']],
    cost: [{ credits: { min: 10, max: 15 }, per: { count: 1, unit: 'second' } }],
  },
  gen4_image: {
    endpoints: ['/v1/text_to_image'],
    input: null,
    cost: [{ credits: { min: 5, max: 5 }, when: '720p' }, { credits: { min: 8, max: 8 }, when: '1080p' }],
  },
  gen4_image_turbo: {
    endpoints: ['/v1/text_to_image'],
    input: null,
    cost: [{ credits: { min: 2, max: 2 } }],
  },
  'partner_2.5_flash': {
    endpoints: ['/v1/text_to_image'],
    input: null,
    cost: [{ credits: { min: 5, max: 5 } }],
  },
  audio_multilingual_v2: {
    endpoints: ['/v1/text_to_speech'],
    input: 'text to speech',
    requiresOneOf: [['*']],
    cost: [{ credits: { min: 1, max: 1 }, per: { count: 50, unit: 'character' } }],
  },
  audio_text_to_sound_v2: {
    endpoints: ['/v1/sound_effect'],
    input: 'sound effects',
    requiresOneOf: [['*']],
    cost: [{ credits: { min: 1, max: 2 } }],
  },
  audio_voice_isolation: {
    endpoints: ['/v1/voice_isolation'],
    input: 'isolate voice',
    requiresOneOf: [['*']],
    cost: [{ credits: { min: 1, max: 1 }, per: { count: 6, unit: 'second' } }],
  },
  audio_voice_dubbing: {
    endpoints: ['/v1/voice_dubbing'],
    input: 'dub into other languages',
    requiresOneOf: [['*']],
    cost: [{ credits: { min: 1, max: 1 }, per: { count: 2, unit: 'second' } }],
  },
  audio_multilingual_sts_v2: {
    endpoints: ['/v1/speech_to_speech'],
    input: 'voice conversion',
    requiresOneOf: [['*']],
    cost: [{ credits: { min: 1, max: 1 }, per: { count: 3, unit: 'second' } }],
  },
} as const
