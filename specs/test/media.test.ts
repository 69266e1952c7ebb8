import { describe, expect, it } from 'vitest'

import { modelPairs } from './checks/models.ts'
import { operationLines, publicOperations } from './checks/operations.ts'
import { at, objectAt, readDocument, resolved } from './document.ts'
import type { JsonObject } from './document.ts'
import { documentedPart } from './documented.ts'
import { operationsOf, schemasOf, walk } from './walk.ts'

const DOCUMENTED = [
  'POST /v1/image_to_video',
  'POST /v1/text_to_video',
  'POST /v1/video_to_video',
  'POST /v1/character_performance',
  'POST /v1/text_to_image',
  'POST /v1/text_to_speech',
  'POST /v1/sound_effect',
  'POST /v1/voice_isolation',
  'POST /v1/voice_dubbing',
  'POST /v1/speech_to_speech',
  'POST /v1/avatars',
  'GET /v1/avatars/{id}',
  'PATCH /v1/avatars/{id}',
  'DELETE /v1/avatars/{id}',
  'POST /v1/realtime_sessions',
  'GET /v1/realtime_sessions/{id}',
  'POST /v1/realtime_sessions/{id}/consume',
  'POST /v1/documents',
  'GET /v1/documents/{id}',
  'DELETE /v1/documents/{id}',
  'GET /v1/tasks/{id}',
  'DELETE /v1/tasks/{id}',
  'POST /v1/uploads',
  'GET /v1/organization',
  'POST /v1/organization/usage',
]
const document = documentedPart(readDocument('media/openapi.yaml'), DOCUMENTED)
const schema = (name: string) => at(document, `/components/schemas/${name}`)
const operations = operationsOf(document)
const idOf = (value: JsonObject) => String(value['operationId'])
const generations = operations.filter(({ value }) => String(value['tags']) === 'Generation')

describe('operations', () => {
  it('are those of the documentation', () => {
    expect(operationLines(document)).toEqual(DOCUMENTED)
    expect(generations.length).toBe(10)
  })

  it('all have the secret as a bearer token, and the version header', () => {
    expect(publicOperations(document)).toEqual([])
    expect(at(document, '/components/securitySchemes/apiSecret')).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    })
    for (const [path, item] of Object.entries(objectAt(document, 'paths'))) {
      const parameters = ((item as JsonObject)['parameters'] as JsonObject[]).map((one) =>
        resolved(document, one),
      )
      const version = parameters.find(({ name }) => name === 'X-Service-Version')
      expect(version, path).toMatchObject({ in: 'header', required: true, schema: { const: '2024-11-06' } })
    }
  })

  it('are only resent as the documentation recommends, and consume never is', () => {
    const classes: Record<string, unknown[]> = {}
    for (const { value } of operations) {
      const retry = objectAt(value, 'x-retry')
      ;(classes[String(retry['class'])] ??= []).push(idOf(value))
      expect(retry['statuses'], idOf(value)).toEqual(
        retry['class'] === 'never' ? undefined : [429, 502, 503, 504],
      )
    }
    expect(classes['never']).toEqual(['consumeRealtimeSession'])
    expect(classes['safe']).toEqual([
      'getAvatar',
      'getRealtimeSession',
      'getDocument',
      'getTask',
      'getOrganization',
      'queryUsage',
    ])
  })

  it('have the documented errors, 400 with a body and 429 for generations', () => {
    for (const { value } of operations) {
      const statuses = Object.keys(objectAt(value, 'responses'))
      const expected = ['200', '401', '502', '503', '504', 'default']
      if ('requestBody' in value) expected.push('400')
      if (generations.some((one) => one.value === value)) expected.push('429')
      expect(statuses.toSorted(), idOf(value)).toEqual(expected.toSorted())
    }
    const quota = at(document, '/components/responses/DailyQuota')['x-rate-meaning']
    expect(quota).toMatchObject([{ meaning: 'daily-generations', retryHelps: true }])
  })

  it('leave the status of every success open, and only use JSON', () => {
    for (const { value } of operations)
      expect(at(value, '/responses/200')['x-not-shown'], idOf(value)).toBeDefined()
    const types = walk(document).filter(({ kind }) => kind === 'mediaType')
    expect(types.every(({ pointer }) => pointer.endsWith('/application~1json'))).toBe(true)
  })
})

describe('models', () => {
  it('are these nineteen pairs with an endpoint', () => {
    const video = ['gen4.5', 'partner3', 'partner3.1', 'partner3.1_fast']
    const pairs = [
      ...video.flatMap((model) => [`/v1/image_to_video ${model}`, `/v1/text_to_video ${model}`]),
      '/v1/image_to_video gen4_turbo',
      '/v1/video_to_video gen4_aleph',
      '/v1/character_performance act_two',
      '/v1/text_to_image gen4_image',
      '/v1/text_to_image gen4_image_turbo',
      '/v1/text_to_image partner_2.5_flash',
      '/v1/text_to_speech audio_multilingual_v2',
      '/v1/sound_effect audio_text_to_sound_v2',
      '/v1/voice_isolation audio_voice_isolation',
      '/v1/voice_dubbing audio_voice_dubbing',
      '/v1/speech_to_speech audio_multilingual_sts_v2',
    ]
    expect(pairs.length).toBe(19)
    expect(modelPairs(document).toSorted()).toEqual(pairs.toSorted())
  })

  it('require at least one of these inputs, where `*` is a field without a documented name', () => {
    const rows = document['x-models'] as { model: string; requiresOneOf?: string[][] }[]
    const textOrImage = [['promptText', 'promptImage']]
    const undocumented = [['*']]
    expect(Object.fromEntries(rows.map(({ model, requiresOneOf }) => [model, requiresOneOf]))).toEqual({
      'gen4.5': textOrImage,
      gen4_turbo: [['promptImage']],
      gen4_aleph: [['*'], ['promptText', 'promptImage', '*']],
      act_two: undocumented,
      partner3: textOrImage,
      'partner3.1': textOrImage,
      'partner3.1_fast': textOrImage,
      // The documentation says nothing about their input.
      gen4_image: undefined,
      gen4_image_turbo: undefined,
      'partner_2.5_flash': undefined,
      audio_multilingual_v2: undocumented,
      audio_text_to_sound_v2: undocumented,
      audio_voice_isolation: undocumented,
      audio_voice_dubbing: undocumented,
      audio_multilingual_sts_v2: undocumented,
    })
  })

  it('cost this much', () => {
    const rows = document['x-models'] as { model: string; cost: JsonObject[] }[]
    const price = ({ credits, per, when }: JsonObject) => {
      const { min, max } = credits as { min: number; max: number }
      const { count, unit } = (per ?? {}) as { count?: number; unit?: string }
      const range = min === max ? `${min}` : `${min}-${max}`
      return [range, ...(unit ? [`per ${count} ${unit}`] : []), ...(when ? [String(when)] : [])].join(' ')
    }
    expect(Object.fromEntries(rows.map(({ model, cost }) => [model, cost.map(price).join(', ')]))).toEqual({
      'gen4.5': '12 per 1 second',
      gen4_turbo: '5 per 1 second',
      gen4_aleph: '15 per 1 second',
      act_two: '5 per 1 second',
      partner3: '40 per 1 second',
      'partner3.1': '20-40 per 1 second',
      'partner3.1_fast': '10-15 per 1 second',
      gen4_image: '5 720p, 8 1080p',
      gen4_image_turbo: '2',
      'partner_2.5_flash': '5',
      audio_multilingual_v2: '1 per 50 character',
      audio_text_to_sound_v2: '1-2',
      audio_voice_isolation: '1 per 6 second',
      audio_voice_dubbing: '1 per 2 second',
      audio_multilingual_sts_v2: '1 per 3 second',
    })
  })
})

describe('documented values', () => {
  it('have a placeholder under a reserved domain as server', () => {
    const [server] = document['servers'] as { variables: { base_url: { default: string } } }[]
    expect(new URL(server?.variables.base_url.default ?? '').hostname).toMatch(/\.example$/)
  })

  it('have these enums, separately for tasks and sessions', () => {
    expect(schema('TaskStatus')['enum']).toEqual(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'THROTTLED'])
    expect(schema('RealtimeSessionStatus')['enum']).toEqual([
      'NOT_READY',
      'READY',
      'RUNNING',
      'COMPLETED',
      'FAILED',
      'CANCELLED',
    ])
    expect(schema('AvatarVoicePreset')).toMatchObject({
      enum: ['clara', 'victoria', 'vincent'],
      'x-open-enum': true,
    })
    expect(schema('AvatarVoiceType')).toMatchObject({ enum: ['live-preset'], 'x-open-enum': true })
  })

  it('poll a task every 5 s, with THROTTLED as pending, and nothing else', () => {
    const waiters = operations.filter(({ value }) => 'x-waiter' in value)
    expect(waiters.map(({ value }) => [idOf(value), value['x-waiter']])).toEqual([
      [
        'getTask',
        {
          status: '/status',
          success: ['SUCCEEDED'],
          failure: ['FAILED'],
          pending: ['PENDING', 'RUNNING', 'THROTTLED'],
          minDelayMs: 5_000,
          maxDelayMs: 5_000,
        },
      ],
    ])
  })

  it('have the documented transitions, of which a task only has the one to THROTTLED', () => {
    const moves = (name: string) =>
      (schema(name)['x-transitions'] as { from: string | null; to: string }[]).map(
        ({ from, to }) => `${from} > ${to}`,
      )
    expect(moves('TaskStatus')).toEqual(['null > THROTTLED'])
    expect(moves('RealtimeSessionStatus')).toEqual([
      'null > NOT_READY',
      'NOT_READY > READY',
      'READY > RUNNING',
      'RUNNING > COMPLETED',
      'RUNNING > FAILED',
      'RUNNING > CANCELLED',
    ])
  })

  it('have a duration of 2 to 10 whole seconds for video, but not for images', () => {
    const duration = (name: string) => at(schema(name), '/properties/duration')
    for (const name of ['ImageToVideoRequest', 'TextToVideoRequest', 'VideoToVideoRequest'])
      expect(duration(name), name).toMatchObject({ type: 'integer', minimum: 2, maximum: 10 })
    expect(duration('TextToImageRequest')).not.toHaveProperty('minimum')
  })

  it('have no defaults, and no limits for prompts and for URLs, which may be data URIs', () => {
    const limited = schemasOf(document).filter(
      ({ value }) => 'default' in value || 'maxLength' in value || 'pattern' in value,
    )
    expect(limited).toEqual([])
  })

  it('keep the credentials of a session secret', () => {
    const secrets = walk(document).filter(({ value }) => 'x-secret' in value)
    expect(secrets.map(({ pointer }) => pointer)).toEqual(['/components/schemas/RealtimeCredentials'])
  })

  it('have no reference image in changes of an avatar', () => {
    expect(Object.keys(objectAt(schema('CreateAvatarRequest'), 'properties'))).toEqual([
      'name',
      'referenceImage',
      'voice',
      'personality',
      'documentIds',
    ])
    expect(Object.keys(objectAt(schema('UpdateAvatarRequest'), 'properties'))).toEqual([
      'name',
      'voice',
      'personality',
      'documentIds',
    ])
  })
})
