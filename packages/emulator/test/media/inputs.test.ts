import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'

import type { JsonObject, MediaOptions } from '../../src/index.ts'
import { startMedia, type TestMedia } from '../support/media.ts'

const MEGABYTE = 1_000_000
const VIDEO_PATH = '/v1/image_to_video'
const PNG_HEAD = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** Submits a generation with an image, and returns the denial or how the task ended. */
async function outcomeOf(media: TestMedia, promptImage: string): Promise<string> {
  return outcomeOfBody(media, { model: 'gen4_turbo', promptImage }, VIDEO_PATH)
}

async function outcomeOfBody(media: TestMedia, body: object, path: string): Promise<string> {
  const response = await media.call(path, { json: body })
  const reply = (await response.json()) as { id: string; error: string }
  if (response.status !== 200) return `${response.status} ${reply.error}`
  await media.control.clock.advance(4_000)
  const { status, failure } = await media.task(reply.id)
  return failure ?? status
}

const dataUri = (mediaType: string, bytes: Buffer) => `data:${mediaType};base64,${bytes.toString('base64')}`
const pngOf = (sizeBytes: number) => Buffer.concat([PNG_HEAD, Buffer.alloc(sizeBytes - PNG_HEAD.byteLength)])

/** Responds to HEAD with these headers. */
const answering = (headers: Record<string, string>, status = 200): MediaOptions => ({
  tier: 5,
  choices: { headInput: () => new Response(null, { status, headers }) },
})

async function upload(media: TestMedia, bytes: Buffer, contentType?: string): Promise<string> {
  const { uri, uploadUrl } = await media.json<{ uri: string; uploadUrl: string }>('/v1/uploads', { json: {} })
  const response = await media.call(uploadUrl, {
    method: 'PUT',
    secret: '',
    version: '',
    body: Uint8Array.from(bytes),
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })
  if (response.status !== 204) throw new Error(`The upload got a ${response.status}.`)
  return uri
}

const manyCharacters = (count: number) => 'https://assets.example/'.padEnd(count, 'a')

it.each([
  ['must be an HTTPS URL', ['http://assets.example/a.png']],
  [
    'must have a domain name, not an IP address',
    ['https://1.2.3.4/a.png', 'https://0x7f000001/a.png', 'https://[::1]/a.png'],
  ],
  ['has 2049 characters, but the limit is 2048', [manyCharacters(2_049)]],
  [
    'must be an HTTPS URL, a data URI or the URI of an upload',
    ['ftp://assets.example/a.png', 'harbour.png', ''],
  ],
])('an input is rejected because it %s', async (reason, addresses) => {
  await using media = await startMedia()
  for (const address of addresses)
    expect(await outcomeOf(media, address)).toBe(`400 The request is rejected: promptImage ${reason}.`)
  expect(media.state.tasks).toEqual([])
})

it('an input may be an HTTPS URL of up to 2,048 characters', async () => {
  await using media = await startMedia({ tier: 5 })
  for (const address of ['https://assets.example/a.png', manyCharacters(2_048), 'HTTPS://EXAMPLE.COM/a'])
    expect(await outcomeOf(media, address)).toBe('SUCCEEDED')
})

const png = { 'content-type': 'image/png', 'content-length': '5' }

it.each<[string, MediaOptions]>([
  ['redirects', answering({ location: 'https://elsewhere.example/' }, 302)],
  ['has a host that does not answer HEAD', answering({}, 405)],
  ['has no Content-Type', answering({ 'content-length': '5' })],
  ['has an invalid Content-Type', answering({ ...png, 'content-type': 'png' })],
  ['has no Content-Length', answering({ 'content-type': 'image/png' })],
  ['has an invalid Content-Length', answering({ ...png, 'content-length': 'big' })],
  ['is of a GIF', answering({ ...png, 'content-type': 'image/gif' })],
  ['is of a page', answering({ ...png, 'content-type': 'text/html' })],
  ['is of a video instead of an image', answering({ ...png, 'content-type': 'video/mp4' })],
  ['has an unknown host', { choices: { headInput: () => Promise.reject(new Error('no such host')) } }],
])('the URL of an input makes the task fail with ASSET.INVALID if it %s', async (_, options) => {
  await using media = await startMedia(options)
  expect(await outcomeOf(media, 'https://assets.example/a')).toBe('ASSET.INVALID')
})

it('`headInput` can query real hosts, and redirects are detected however it handles them', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (request.url === '/moved.png') response.writeHead(302, { location: '/a.png' }).end()
    else response.writeHead(200, { 'content-type': 'image/png', 'content-length': '9' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  for (const redirect of ['manual', 'follow', 'error'] as const) {
    await using media = await startMedia({
      tier: 2,
      allowLocalInputs: true,
      choices: {
        headInput: (address) => fetch(address, { method: 'HEAD', redirect }),
        courseOf: ({ inputProblem }) => ({ failure: inputProblem?.rule ?? null }),
      },
    })
    expect(await outcomeOf(media, `http://127.0.0.1:${port}/a.png`)).toBe('SUCCEEDED')
    const moved = await outcomeOf(media, `http://127.0.0.1:${port}/moved.png`)
    expect(moved).toBe(redirect === 'error' ? 'head' : 'redirect')
  }
  expect(new Set(asked)).toEqual(new Set(['HEAD /a.png', 'HEAD /moved.png']))
})

it('the URL of an input may be local with the option `allowLocalInputs`', async () => {
  await using media = await startMedia({ tier: 2, allowLocalInputs: true })
  expect(await outcomeOf(media, 'http://127.0.0.1:8080/a.png')).toBe('SUCCEEDED')
  expect(await outcomeOf(media, `http://127.0.0.1/${'a'.repeat(2_048)}`)).toContain('characters')
})

it('the state and the log show why the URL of an input is invalid, but the response only has a code', async () => {
  const said: string[] = []
  const log = (_: string, message: string) => void said.push(message)
  await using media = await startMedia(answering({}, 404), { log })
  expect(await outcomeOf(media, 'https://assets.example/a')).toBe('ASSET.INVALID')
  const reason = 'promptImage responds to HEAD with 404'
  expect(media.state.tasks).toMatchObject([{ failure: 'ASSET.INVALID', inputProblem: reason }])
  expect(said.join()).toContain(`FAILED: ASSET.INVALID, ${reason}`)
})

it('a problem with the URL of an input is reported when the choices say', async () => {
  await using late = await startMedia({
    choices: {
      judgeInput: ({ problem }) => (problem ? 'failed' : 'accepted'),
      courseOf: ({ inputProblem }) => ({ failure: `bad ${inputProblem?.rule}` }),
    },
  })
  expect(await outcomeOf(late, 'http://assets.example/a.png')).toBe('bad https')
  await using early = await startMedia({
    choices: {
      ...answering({}, 404).choices,
      judgeInput: ({ problem }) => (problem ? 'rejected' : 'accepted'),
    },
  })
  expect(await outcomeOf(early, 'https://assets.example/a')).toBe(
    '400 The request is rejected: promptImage responds to HEAD with 404.',
  )
})

const image = { type: 'image/png', path: VIDEO_PATH, model: 'gen4_turbo', field: 'promptImage' }
const video = { type: 'video/mp4', path: '/v1/video_to_video', model: 'gen4_aleph', field: 'videoUri' }
const audio = {
  type: 'audio/mpeg',
  path: '/v1/voice_isolation',
  model: 'audio_voice_isolation',
  field: 'file',
}
// A megabyte of a thousand bytes keeps the test small.
const kilo = 1_000

it.each([
  ['an image', image, 16, 5, 200],
  ['a video', video, 32, 16, 200],
  ['audio', audio, 32, 16, 200],
])(
  'the size of an input may be at most the documented size for %s',
  async (_, { type, path, model, field }, url, data, uploaded) => {
    let length = 0
    await using media = await startMedia({
      tier: 5,
      choices: {
        sizes: { megabyteBytes: kilo, dataUri: 'decoded' },
        headInput: () =>
          new Response(null, { headers: { 'content-type': type, 'content-length': String(length) } }),
      },
    })
    const outcome = (value: string) =>
      outcomeOfBody(media, { model, promptText: 'rain', [field]: value }, path)
    for (const [sizeBytes, expected] of [
      [url * kilo, 'SUCCEEDED'],
      [url * kilo + 1, 'ASSET.INVALID'],
    ] as const) {
      length = sizeBytes
      expect(await outcome('https://assets.example/a')).toBe(expected)
    }
    expect(await outcome(dataUri(type, pngOf(data * kilo)))).toBe('SUCCEEDED')
    expect(await outcome(dataUri(type, pngOf(data * kilo + 1)))).toBe('ASSET.INVALID')
    expect(await outcome(await upload(media, pngOf(uploaded * kilo), type))).toBe('SUCCEEDED')
    await expect(upload(media, pngOf(uploaded * kilo + 1), type)).rejects.toThrow('got a 413')
  },
)

it("the size of an input is in millions of bytes, and counts a data URI's encoded length, unless chosen otherwise", async () => {
  await using media = await startMedia({ tier: 5 })
  expect(await outcomeOf(media, dataUri('image/png', pngOf(3.75 * MEGABYTE)))).toBe('SUCCEEDED')
  expect(await outcomeOf(media, dataUri('image/png', pngOf(3.75 * MEGABYTE + 3)))).toBe('ASSET.INVALID')
  await using decoded = await startMedia({ choices: { sizes: { dataUri: 'decoded' } } })
  expect(await outcomeOf(decoded, dataUri('image/png', pngOf(5 * MEGABYTE)))).toBe('SUCCEEDED')
})

it('a data URI is shortened in its task', async () => {
  const kept: JsonObject[] = []
  await using media = await startMedia({
    choices: {
      outputFiles: ({ body }, kind) => {
        kept.push(body)
        return [kind]
      },
    },
  })
  const value = dataUri('image/png', pngOf(9_000))
  expect(await outcomeOf(media, value)).toBe('SUCCEEDED')
  const promptImage = `${value.slice(0, 64)}... (${value.length} characters)`
  expect(kept).toEqual([{ model: 'gen4_turbo', promptImage }])
})

it.each([
  ['data:image/png;base64,AAA', 'must contain valid base64 data'],
  ['data:image/png;base64,', 'must contain valid base64 data'],
  ['data:image/png;base64,AA!A', 'must contain valid base64 data'],
  ['data:image/png,AAAA', 'must have the form `data:<media_type>;base64,<data>`'],
  ['data:image/png;base64', 'must have the form `data:<media_type>;base64,<data>`'],
  ['data:;base64,AAAA', 'must be a data URI with a media type'],
])('a data URI cannot be %s', async (value, reason) => {
  await using media = await startMedia()
  expect(await outcomeOf(media, value)).toBe(`400 The request is rejected: promptImage ${reason}.`)
})

it.each([
  ['a PNG', 'SUCCEEDED', dataUri('image/png', PNG_HEAD)],
  ['a JPEG', 'SUCCEEDED', dataUri('image/jpeg', Buffer.from('ffd8ffe000104a464946', 'hex'))],
  ['a WebP', 'SUCCEEDED', dataUri('image/webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'))],
  ['a WAV file as WebP', 'ASSET.INVALID', dataUri('image/webp', Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'))],
  ['a GIF', 'ASSET.INVALID', dataUri('image/gif', Buffer.from('GIF89a'))],
  ['a GIF as PNG', 'ASSET.INVALID', dataUri('image/png', Buffer.from('GIF89a'))],
  ['a PNG as JPEG', 'ASSET.INVALID', dataUri('image/jpeg', PNG_HEAD)],
  ['a PDF', 'ASSET.INVALID', dataUri('application/pdf', Buffer.from('%PDF-1.7'))],
  ['a video', 'ASSET.INVALID', dataUri('video/mp4', Buffer.alloc(9))],
])('a data URI of %s ends as %s', async (_, outcome, value) => {
  await using media = await startMedia()
  expect(await outcomeOf(media, value)).toBe(outcome)
})

it('an upload accepts its bytes without credentials, and can be used as an input', async () => {
  await using media = await startMedia({ tier: 5 })
  const uri = await upload(media, pngOf(100), 'image/png')
  expect(uri).toMatch(/^emulator-upload:\/\/\w+$/)
  expect(media.state.uploads).toMatchObject([{ uri, contentType: 'image/png', sizeBytes: 100 }])
  expect(await outcomeOf(media, uri)).toBe('SUCCEEDED')
  const avatar = { name: 'Guide', referenceImage: uri, voice: { type: 'live-preset', presetId: 'clara' } }
  const response = await media.call('/v1/avatars', { json: { ...avatar, personality: 'brief' } })
  expect(response.status).toBe(200)
})

it('an upload is recognized by its first bytes without a Content-Type', async () => {
  await using media = await startMedia({ tier: 5 })
  expect(await outcomeOf(media, await upload(media, pngOf(100)))).toBe('SUCCEEDED')
  expect(media.state.uploads).toMatchObject([{ contentType: 'image/png' }])
  expect(await outcomeOf(media, await upload(media, Buffer.from('GIF89a')))).toBe('ASSET.INVALID')
  expect(await outcomeOf(media, await upload(media, Buffer.from('words')))).toBe('ASSET.INVALID')
  expect(media.state.uploads.map(({ contentType }) => contentType)).toEqual([
    'image/png',
    'image/gif',
    'application/octet-stream',
  ])
})

it('an upload cannot be used without bytes, or if it is empty, unknown or expired', async () => {
  await using media = await startMedia({ tier: 5, choices: { uploads: { lifetimeMs: 60_000 } } })
  const problem =
    '400 The request is rejected: promptImage must be the URI of an upload that has received its content and has not expired.'
  const handle = await media.json<{ uri: string; uploadUrl: string }>('/v1/uploads', { json: {} })
  expect(await outcomeOf(media, handle.uri)).toBe(problem)
  expect((await media.call(handle.uploadUrl, { method: 'PUT' })).status).toBe(400)
  expect(await outcomeOf(media, 'emulator-upload://nothing')).toBe(problem)
  expect((await media.call(`${handle.uploadUrl}x`, { method: 'PUT', body: 'a' })).status).toBe(404)
  const uri = await upload(media, pngOf(100), 'image/png')
  await media.control.clock.advance(60_000)
  expect(await outcomeOf(media, uri)).toBe(problem)
  expect((await media.call(handle.uploadUrl, { method: 'PUT', body: 'a' })).status).toBe(410)
})

it('an upload cannot be used by another organization', async () => {
  await using media = await startMedia({ tier: 5, choices: { organizationOf: (secret) => secret } })
  const uri = await upload(media, pngOf(100), 'image/png')
  const secret = media.control.addSecret()
  const json = { model: 'gen4_turbo', promptImage: uri }
  expect((await media.call(VIDEO_PATH, { json, secret })).status).toBe(400)
  expect(await outcomeOf(media, uri)).toBe('SUCCEEDED')
})

it('an upload may be a form with POST, by choice', async () => {
  await using media = await startMedia({
    tier: 5,
    choices: {
      uploads: { methods: ['POST', 'PUT'] },
      readUpload({ method, form, bytes, contentType }) {
        const file = form?.get('file')
        if (method === 'POST') return file instanceof File ? file : undefined
        return bytes && new Blob([bytes], { type: contentType })
      },
      successResponse: ({ operation, value }) =>
        operation === 'page:upload'
          ? { status: 200, body: { received: value.content?.sizeBytes ?? 0 } }
          : undefined,
    },
  })
  const create = async () =>
    (await media.json('/v1/uploads', { json: {} })) as { uri: string; uploadUrl: string }
  const { uri, uploadUrl } = await create()
  const bytes = Uint8Array.from(pngOf(100))
  const form = new FormData()
  form.set('file', new File([bytes], 'boat.png', { type: 'image/png' }))
  const sent = await media.call(uploadUrl, { method: 'POST', body: form })
  expect([sent.status, await sent.json()]).toEqual([200, { received: bytes.byteLength }])
  expect(await outcomeOf(media, uri)).toBe('SUCCEEDED')
  const other = await create()
  expect((await media.call(other.uploadUrl, { method: 'POST', body: 'no form' })).status).toBe(400)
  expect((await media.call(other.uploadUrl, { method: 'PUT', body: bytes })).status).toBe(200)
  await using usual = await startMedia()
  const { uploadUrl: address } = (await usual.json('/v1/uploads', { json: {} })) as { uploadUrl: string }
  expect((await usual.call(address, { method: 'POST', body: 'a' })).status).toBe(405)
})

it('an upload has the chosen scheme and path', async () => {
  await using media = await startMedia({
    choices: { uploads: { scheme: 'service', path: '/put/{token}' } },
  })
  const uri = await upload(media, pngOf(50))
  expect(uri).toMatch(/^service:\/\//)
  expect(media.control.requests().at(-1)?.path).toMatch(/^\/put\//)
  expect(await outcomeOf(media, uri)).toBe('SUCCEEDED')
})

it('fields without a documented name are searched for files, at any depth', async () => {
  await using media = await startMedia({ tier: 5 })
  const act = (body: object) =>
    outcomeOfBody(media, { model: 'act_two', ...body }, '/v1/character_performance')
  expect(await act({ character: { type: 'image', uri: 'https://assets.example/a.png' } })).toBe('SUCCEEDED')
  expect(await act({ references: [{ uri: 'http://assets.example/a.png' }] })).toBe(
    '400 The request is rejected: references/0/uri must be an HTTPS URL.',
  )
  expect(await act({ character: 'https://assets.example/a.mp3' })).toBe('ASSET.INVALID')
  expect(await act({ note: 'see http://1.2.3.4/ for more', promptText: 'http://1.2.3.4/' })).toBe('SUCCEEDED')
})

it.each([
  ['audio_voice_isolation', '/v1/voice_isolation'],
  ['audio_voice_dubbing', '/v1/voice_dubbing'],
  ['audio_multilingual_sts_v2', '/v1/speech_to_speech'],
])("fields without a documented name can't contain a picture for %s", async (model, path) => {
  await using media = await startMedia({ tier: 2 })
  const outcome = (file: string) => outcomeOfBody(media, { model, file }, path)
  expect(await outcome('https://assets.example/a.png')).toBe('ASSET.INVALID')
  expect(await outcome('https://assets.example/a.mp3')).toBe('SUCCEEDED')
  expect(await outcome('https://assets.example/a.mp4')).toBe('SUCCEEDED')
})

it('`findInputs`, `generationProblem` and `judgeInput` decide which inputs a request has and needs', async () => {
  await using media = await startMedia({
    choices: {
      findInputs: () => [{ field: 'clip', value: 'https://1.2.3.4/', kinds: ['video'] }],
      generationProblem: ({ row, inputs }) => (inputs.length < 2 ? `this is given: ${row.input}` : undefined),
    },
  })
  expect(await outcomeOfBody(media, { model: 'gen4_aleph' }, '/v1/video_to_video')).toBe(
    '400 The request is rejected: this is given: video plus text/image.',
  )
  await using found = await startMedia({
    choices: { findInputs: () => [{ field: 'clip', value: 'https://1.2.3.4/', kinds: ['video'] }] },
  })
  const clip = { model: 'gen4_aleph', promptText: 'rain', clip: 1 }
  expect(await outcomeOfBody(found, clip, '/v1/video_to_video')).toContain('clip must have')
  await using picky = await startMedia({
    choices: { judgeInput: ({ mediaType }) => (mediaType === 'video/webm' ? 'failed' : 'accepted') },
  })
  const body = { model: 'gen4_aleph', promptText: 'rain', video: 'https://assets.example/a.webm' }
  expect(await outcomeOfBody(picky, body, '/v1/video_to_video')).toBe('ASSET.INVALID')
})

const accepted = [
  'video/mp4',
  'video/x-matroska',
  'audio/mpeg',
  'audio/mp3',
  'audio/aac',
  'audio/flac',
  'audio/x-flac',
  'audio/wav',
  'audio/x-wav',
  'audio/vnd.wave',
  'audio/l16',
  'audio/aiff',
  'audio/mp4',
  'audio/x-m4a',
  'audio/x-caf',
]
const rejected = ['audio/midi', 'audio/ogg', 'audio/opus', 'audio/webm', 'audio/amr', 'text/html']

it.each([
  ...accepted.map((type) => [type, 'SUCCEEDED'] as const),
  ...rejected.map((type) => [type, 'ASSET.INVALID'] as const),
])('an input of the type %s ends as %s', async (type, outcome) => {
  await using media = await startMedia(answering({ 'content-type': type, 'content-length': '1000' }))
  const body = { model: 'eleven_voice_isolation', audio: 'https://assets.example/sound' }
  expect(await outcomeOfBody(media, body, '/v1/voice_isolation')).toBe(outcome)
})
