import { inspect } from 'node:util'

import { scriptedTransport } from '@concord/runtime/testing'
import { describe, expect, it, vi } from 'vitest'

import {
  emulatorSessionAccess,
  file,
  getTask,
  imageToVideo,
  Media,
  unlistedModel,
  type BatchRequest,
  type GenerationName,
  type GenerationRequest,
} from '../src/index.ts'
import type { GenerationPaths } from '../src/requests.ts'
import { bodyOf, json, rejection, scripted, SECRET, succeeded, VERSION } from './support.ts'

const fields = { source: 'https://assets.example/a' }
const generations: {
  readonly [Name in GenerationName]: readonly [path: GenerationPaths[Name], GenerationRequest<Name>]
} = {
  imageToVideo: ['/v1/image_to_video', { model: 'gen4_turbo', promptImage: 'https://assets.example/a.png' }],
  textToVideo: ['/v1/text_to_video', { model: 'gen4.5', promptText: 'rain', ratio: '1280:720', duration: 5 }],
  videoToVideo: ['/v1/video_to_video', { model: 'gen4_aleph', promptText: 'winter', fields }],
  characterPerformance: ['/v1/character_performance', { model: 'act_two', fields }],
  textToImage: ['/v1/text_to_image', { model: 'partner_2.5_flash', promptText: 'a map' }],
  textToSpeech: ['/v1/text_to_speech', { model: 'audio_multilingual_v2', fields: { words: 'hello' } }],
  soundEffect: ['/v1/sound_effect', { model: 'audio_text_to_sound_v2', fields }],
  voiceIsolation: ['/v1/voice_isolation', { model: 'audio_voice_isolation', fields }],
  voiceDubbing: ['/v1/voice_dubbing', { model: 'audio_voice_dubbing', fields }],
  speechToSpeech: ['/v1/speech_to_speech', { model: 'audio_multilingual_sts_v2', fields }],
}

describe('a generation', () => {
  it.each(Object.keys(generations) as GenerationName[])(
    '%s is sent to its endpoint, and returns a task',
    async (name) => {
      const { media, transport } = scripted([json({ id: 'task-1' })])
      const [path, request] = generations[name]
      const task = await (media[name] as (request: object) => Promise<{ id: string }>)(request)
      expect(task.id).toBe('task-1')
      const [sent] = transport.requests
      expect(`${sent?.method} ${sent?.url}`).toBe(`POST https://media.example/tenant${path}`)
      const { fields = {}, ...known } = request
      expect(bodyOf(sent)).toEqual({ ...known, ...fields })
    },
  )

  it('a generation sends nothing that the caller did not pass', async () => {
    const { media, transport } = scripted([json({ id: 'task-1' })])
    const fields = { seed: undefined }
    await media.textToVideo({ model: 'gen4.5', promptText: 'rain', promptImage: undefined, fields })
    expect(bodyOf(transport.requests[0])).toEqual({ model: 'gen4.5', promptText: 'rain' })
  })

  it.each<[GenerationName, unknown, RegExp]>([
    ['imageToVideo', { model: 'gen4.5', promptText: 'rain', duration: 1 }, /duration/],
    ['imageToVideo', { model: 'gen4.5', promptText: 'rain', duration: 11 }, /duration/],
    ['imageToVideo', { model: 'gen4.5', promptText: 'rain', duration: 2.5 }, /duration/],
    ['imageToVideo', undefined, /body/],
    ['imageToVideo', [], /body/],
    ['imageToVideo', null, /body/],
    ['imageToVideo', { model: null }, /model/],
    ['imageToVideo', { model: 'gen4.5', ratio: '1:1', fields: { ratio: '2:1' } }, /ratio/],
    ['imageToVideo', { model: 'gen4.5', fields: 'ratio' }, /fields/],
    ['textToVideo', { model: 'gen4.5', promtText: 'rain' }, /promtText is not among .*promptText.*'fields'/],
    ['textToSpeech', { model: 'audio_multilingual_v2', promptText: 'hello' }, /promptText is not.*'fields'/],
    ['textToVideo', { model: 'gen4.6' }, /'gen4.6'.*textToVideo runs gen4.5, .*unlistedModel\('gen4.6'\)/],
    ['textToVideo', { model: 'gen4_turbo' }, /'gen4_turbo', which only imageToVideo runs/],
    ['textToImage', { model: 'partner3' }, /which only imageToVideo and textToVideo run;/],
    ['soundEffect', {}, /model is missing; soundEffect runs audio_text_to_sound_v2/],
    ['soundEffect', { model: 5 }, /model is not the name/],
    [
      'imageToVideo',
      { model: 'gen4_turbo', promptText: 'rain' },
      /promptImage is missing.*'gen4_turbo' needs it/,
    ],
    [
      'imageToVideo',
      { model: 'gen4.5', ratio: '1:1' },
      /neither `promptImage` nor `promptText`|neither `promptText` nor `promptImage`/,
    ],
    [
      'textToVideo',
      { model: 'partner3', promptText: '' },
      /neither .*, and 'partner3' needs one of them \(documented input: text\/image/,
    ],
    ['textToVideo', { model: 'gen4.5', fields: { seed: 4 } }, /neither `promptText` nor `promptImage`/],
    [
      'videoToVideo',
      { model: 'gen4_aleph', promptText: 'a' },
      /lacks the input.*video plus text\/image.*'fields'/,
    ],
    [
      'videoToVideo',
      { model: 'gen4_aleph', fields: { clip: 'a:b' } },
      /neither `promptText` nor `promptImage`/,
    ],
    ['characterPerformance', { model: 'act_two' }, /lacks the input of 'act_two' \(image\/video\).*'fields'/],
    [
      'textToSpeech',
      { model: 'audio_multilingual_v2', fields: {} },
      /lacks the input.*text to speech.*'fields'/,
    ],
    [
      'textToVideo',
      { model: 'gwm1_avatars', promptText: 'a' },
      /real-time avatars: call avatars.create, then sessions.create/,
    ],
    ['textToVideo', { model: unlistedModel('gwm1_avatars'), promptText: 'a' }, /real-time avatars/],
    ['textToVideo', { model: unlistedModel('gen6'), promtText: 'rain' }, /promtText/],
  ])('R-05: %s of %j is rejected with a remedy, before a credit is spent', async (name, request, says) => {
    const { media, transport } = scripted([json({ id: 'task-1' })])
    const error = await rejection((media[name] as (request: unknown) => Promise<unknown>)(request))
    expect(error).toMatchObject({ code: 'invalid-request', operation: name })
    expect(String(error)).toMatch(says)
    expect(transport.requests).toEqual([])
  })

  it.each([{ model: 'gen6', promptText: 'rain' }, { promptText: 'rain' }])(
    '`media.api` sends a generation with any model or none: %j',
    async (body) => {
      const { media, transport } = scripted([json({ id: 'task-1' })])
      expect(await media.api.textToVideo({ body })).toEqual({ id: 'task-1' })
      expect(bodyOf(transport.requests[0]!)).toEqual(body)
    },
  )

  it('sends a generation of an unlisted model unchecked', async () => {
    const { media, transport } = scripted([json({ id: 'task-1' })])
    await media.textToVideo({ model: unlistedModel('gen6'), duration: 60, fields: { camera: { zoom: 2 } } })
    expect(bodyOf(transport.requests[0])).toEqual({ model: 'gen6', duration: 60, camera: { zoom: 2 } })
    await media.characterPerformance({ model: unlistedModel('act_three'), promptText: 'wave' })
    expect(bodyOf(transport.requests[1])).toEqual({ model: 'act_three', promptText: 'wave' })
  })

  it('R-04: a generation throws in every validation mode if the response has no id', async () => {
    const { media } = scripted([json({ task: 'task-1' })], { validate: 'off' })
    const error = await rejection(
      media.soundEffect({ model: 'audio_text_to_sound_v2', fields: { words: 'rain' } }),
    )
    expect(error).toMatchObject({ code: 'submission-uncertain', cause: { issues: [{ path: '/id' }] } })
  })
})

describe('both required headers', () => {
  it('sends both required headers with every operation, and with its retries', async () => {
    const { media, transport } = scripted([
      json({ error: 'busy' }, 503),
      json({ id: 'a', status: 'PENDING' }),
    ])
    const id = 'a'
    await media.api.getTask({ path: { id } })
    expect(transport.requests.length).toBe(2)
    await media.api.deleteTask({ path: { id } })
    await media.api.getOrganization()
    await media.api.updateAvatar({ path: { id }, body: {} })
    await media.sessions.attach(id, { access: emulatorSessionAccess }).consume()
    await media.textToImage({ model: 'gen4_image' })
    expect(transport.requests.length).toBe(7)
    for (const { url, headers } of transport.requests) {
      expect(headers.get('authorization'), url).toBe(`Bearer ${SECRET}`)
      expect(headers.get('x-service-version'), url).toBe(VERSION)
    }
  })

  it('sends the value of `serviceVersion`, which callers of the api need not pass', async () => {
    const { media, transport } = scripted([json({})], { serviceVersion: { value: '2030-01-01' } })
    await media.api.getOrganization()
    await media.withResponse.getOrganization()
    await media.send(getTask, { path: { id: 'a' } })
    expect(transport.requests.length).toBe(3)
    for (const { headers } of transport.requests) expect(headers.get('x-service-version')).toBe('2030-01-01')
  })

  it('sends the version in the header that `serviceVersion` names, instead of the documented one', async () => {
    const { media, transport } = scripted([succeeded()], {
      serviceVersion: { header: 'X-Other-Version' },
    })
    await media.task('a').wait()
    await media.imageToVideo({ model: 'gen4.5', promptText: 'rain' })
    await media.avatars.delete('a')
    expect(transport.requests.map(({ url }) => new URL(url).pathname)).toEqual([
      '/tenant/v1/tasks/a',
      '/tenant/v1/image_to_video',
      '/tenant/v1/avatars/a',
    ])
    for (const { headers } of transport.requests) {
      expect(headers.get('x-other-version')).toBe(VERSION)
      expect(headers.has('x-service-version')).toBe(false)
    }
  })

  it('another version does not hide drift in the response to a submission', async () => {
    const drift: unknown[] = []
    const { media } = scripted([() => new Response('{"id":"a","more":')], {
      serviceVersion: { value: '2030-01-01' },
      onDrift: (report) => drift.push(report),
    })
    expect((await media.textToVideo({ model: 'gen4.5', promptText: 'rain' })).id).toBe('a')
    expect(drift).toMatchObject([{ operation: 'textToVideo' }])
  })
})

describe('R-20, R-21: a submission', () => {
  const request = { model: 'gen4.5', promptText: 'rain' } as const

  const step = (end: number | 'lost' | 'truncated' | 'refused') =>
    typeof end === 'number' ? json({}, end) : end

  // Without a connection, nothing was sent.
  it.each([429, 502, 503, 504, 'refused'] as const)('sends a submission again after %s', async (end) => {
    const { media, transport } = scripted([step(end), step(end), json({ id: 'a' })])
    expect((await media.textToVideo(request)).id).toBe('a')
    expect(transport.requests.length).toBe(3)
  })

  it.each([
    [400, { code: 'http', status: 400 }],
    [401, { code: 'http', status: 401 }],
    [404, { code: 'http', status: 404 }],
    // The submission may have been accepted.
    [500, { code: 'submission-uncertain', status: 500 }],
    ['lost', { code: 'submission-uncertain' }],
    ['truncated', { code: 'submission-uncertain' }],
    [503, { status: 503 }, { maxAttempts: 1 }],
  ] as const)('does not send a submission again after %s: %j, %j', async (end, error, options?: object) => {
    const { media, transport } = scripted([step(end), json({ id: 'a' })])
    expect(await rejection(media.textToVideo(request, options))).toMatchObject(error)
    expect(transport.requests.length).toBe(1)
  })

  it('R-25: a submission throws an error that names the daily quota after bounded retries', async () => {
    const { media, transport } = scripted([json({}, 429)])
    const error = await rejection(media.textToVideo(request))
    expect(error).toMatchObject({ status: 429, meaning: 'daily-generations' })
    expect(transport.requests.length).toBe(3)
  })
})

describe('a client', () => {
  it('R-11: a client never exposes its secret', async () => {
    const events: unknown[] = []
    const { media } = scripted([json({ echo: SECRET }, 400)], { observe: (event) => events.push(event) })
    const error = await rejection(media.api.getOrganization())
    const shown = `${inspect([media, error, events], { depth: 9 })} ${JSON.stringify([media, error, events])}`
    expect(shown).not.toContain(SECRET)
  })

  it('only fromEnv reads the environment, including the secret', async () => {
    const env = { MEDIA_BASE_URL: 'https://media.example', MEDIA_API_SECRET: SECRET }
    const transport = scriptedTransport(json({}))
    await Media.fromEnv({ transport }, env).api.getOrganization()
    expect(transport.requests[0]?.headers.get('authorization')).toBe(`Bearer ${SECRET}`)
    expect(() => Media.fromEnv({}, {})).toThrow(/MEDIA_BASE_URL/)
    expect(() => Media.fromEnv({}, { MEDIA_BASE_URL: 'https://media.example' })).not.toThrow()
    vi.stubGlobal('process', undefined)
    try {
      expect(() => Media.fromEnv()).toThrow(/MEDIA_BASE_URL/)
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('turns requests into JSON and back, and estimates their cost', async () => {
    const { media, transport } = scripted([json({})])
    const request = { operation: 'imageToVideo', request: generations.imageToVideo[1] } as BatchRequest
    const encoded: unknown = JSON.parse(JSON.stringify(await media.encodeRequest(request)))
    expect(await media.decodeRequest(encoded)).toEqual(request)
    const { credits } = await media.estimateBatch([
      { operation: 'textToVideo', request: generations.textToVideo[1] },
    ])
    const estimated = media.estimateCredits({ model: 'gen4.5', seconds: 5 })
    expect(credits).toMatchObject(estimated as object)
    // Inputs aren't read, and a request that isn't an object is reported like any other invalid one.
    const unread = { model: 'gen4_turbo', promptImage: file('/no such folder/boat.png') } as const
    expect(
      await media.estimateBatch([
        { operation: 'imageToVideo', request: unread },
        null as never,
        { operation: 'textToFilm' as never, request: generations.textToVideo[1] },
      ]),
    ).toMatchObject({
      invalid: [
        { index: 1, error: { code: 'invalid-request', operation: 'batch' } },
        { index: 2, error: { code: 'invalid-request', operation: 'textToFilm' } },
      ],
    })
    expect(transport.requests).toEqual([])
  })

  it('closes a client at the end of its `await using` block', async () => {
    const { media, transport } = scripted([json({})])
    {
      await using used = media
      void used
    }
    expect(String(await rejection(media.api.getOrganization()))).toMatch(/client is closed/)
    expect(transport.requests).toEqual([])
  })

  it.each<[object, string, RegExp?]>([
    [{ polling: { tasks: {} } }, 'tasks'],
    [{ polling: { connections: 0 } }, 'polling.connections'],
    [{ polling: 5 }, 'polling'],
    [{ polling: { task: { minDelay: 5 } } }, 'polling.task.minDelay'],
    [{ polling: { session: { minDelay: 5 } } }, 'polling.session.minDelay'],
    [{ polling: { connections: 1.5 } }, 'polling.connections'],
    [{ inputRules: 'off' }, 'inputRules'],
    [{ serviceVersion: { header: 'a b' } }, 'serviceVersion.header', /not a valid header name/],
    [{ serviceVersion: { value: 'a\nb' } }, 'serviceVersion.value', /not a valid header value/],
    [{ serviceVersion: { header: 4 } }, 'serviceVersion.header'],
    [{ serviceVersion: { name: 'x' } }, 'serviceVersion.name'],
    [{ baseUrl: undefined }, 'baseUrl'],
    [{ baseUrl: 'media.example' }, 'baseUrl', /https:\/\//],
    [{ apikey: 'x' }, 'apikey', /apikey.*apiSecret/],
    [{ sessionAccess: { id: '/id' } }, 'sessionAccess', /JSON Pointers/],
    [{ sessionAccess: { id: 'id', status: 'status' } }, 'sessionAccess', /JSON Pointers/],
    [{ sessionAccess: {} }, 'sessionAccess', /JSON Pointers/],
  ])('rejects the options %j', (options, option, message = /./) => {
    const make = () => new Media({ baseUrl: 'https://media.example', ...options } as never)
    const named = expect.stringMatching(new RegExp(`(^|\\.)${option.replace('.', '\\.')}$`)) as string
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-options', option: named }))
    expect(make).toThrow(message)
  })

  it('rejects unknown options, misspelled delays and invalid ids wherever they are passed', async () => {
    const { media, transport } = scripted([json({ id: 'a' })])
    const request = { model: 'gen4.5', promptText: 'rain' } as const
    const access = emulatorSessionAccess
    const token = media.sessions.attach('a', { access }).resumeToken()
    const calls: ((options: object) => unknown)[] = [
      (options) => media.textToVideo(request, options),
      (options) => media.sessions.create({}, { access, ...options }),
      (options) => media.sessions.attach('a', { access, ...options }),
      (options) => media.sessions.resume(token, { access, ...options }),
      (options) => media.task('a', options),
      (options) => media.resume('a', options),
    ]
    for (const call of calls)
      for (const [options, says] of [
        [{ pollng: 1 }, /pollng.*polling/],
        [{ polling: { minDelay: 5 } }, /minDelay/],
      ] as const)
        expect(String(await rejection((async () => call(options))()))).toMatch(says)
    expect(
      String(await rejection(media.textToVideo(request, { regenrate: { maxTimes: 1 } } as never))),
    ).toMatch(/regenrate.*regenerate/)
    for (const id of ['', undefined, { id: 'a' }]) {
      expect(() => media.task(id as never)).toThrow(/`id`/)
      expect(() => media.sessions.attach(id as never, { access })).toThrow(/`id`/)
    }
    expect(() => unlistedModel('')).toThrow(/unlistedModel/)
    expect(transport.requests).toEqual([])
  })

  it('reports a missing secret with the first call', async () => {
    const media = new Media({ baseUrl: 'https://media.example' })
    expect(await rejection(media.api.getOrganization())).toMatchObject({ option: 'apiSecret' })
  })

  it('sends operation descriptors, which are plain data', async () => {
    const { media, transport } = scripted([json({ id: 'a' })])
    await media.send(imageToVideo, { body: { model: 'partner3', promptText: 'rain' } })
    const { data } = await media.exchange(imageToVideo, { body: { model: 'partner3' } })
    expect(data.id).toBe('a')
    expect(transport.requests.length).toBe(2)
  })

  it('has a method for uploads, the organization and usage', async () => {
    const { media, transport } = scripted([json({})])
    await media.createUpload({ anything: 1 })
    await media.organization()
    await media.usage()
    await media.usage({ from: 'then' })
    expect(
      transport.requests.map(({ method, url, body }) => `${method} ${new URL(url).pathname} ${body}`),
    ).toEqual([
      'POST /tenant/v1/uploads {"anything":1}',
      'GET /tenant/v1/organization ',
      'POST /tenant/v1/organization/usage {}',
      'POST /tenant/v1/organization/usage {"from":"then"}',
    ])
  })

  it('rejects a file instead of the JSON of an upload, and a string instead of a document', async () => {
    const { media, transport } = scripted([json({})])
    expect(String(await rejection(media.createUpload(new Blob(['a']) as never)))).toMatch(
      /bytes, a Blob or a stream.*JSON/,
    )
    for (const text of ['# Tides', new Blob(['# Tides'])])
      expect(String(await rejection(media.documents.create(text as never)))).toMatch(/must be an object/)
    expect(transport.requests).toEqual([])
  })

  it('accepts any success status for a deletion, with or without a body', async () => {
    const { media } = scripted([
      () => new Response(null, { status: 204 }),
      json({ gone: true }),
      () => new Response(''),
    ])
    await media.avatars.delete('a')
    await media.documents.delete('a')
    await media.task('a').cancel()
  })
})
