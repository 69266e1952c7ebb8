import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import {
  audio,
  file,
  image,
  video,
  type MediaInput,
  type MediaOptions,
  type UploadFile,
} from '../src/index.ts'
import { bodyOf, json, rejection, scratch, scripted } from './support.ts'

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
const MIB = 1_048_576
const PNG_URI = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`

/** Sends a request with an input, and returns the string that represents the input in the body. */
async function sent(promptImage: MediaInput<'image'>, options: Partial<MediaOptions> = {}): Promise<unknown> {
  const { media, transport } = scripted([json({ id: 'a' })], options)
  await media.imageToVideo({ model: 'gen4_turbo', promptImage })
  return (bodyOf(transport.requests[0]) as { promptImage: unknown }).promptImage
}

async function inputError(promptImage: unknown, options: Partial<MediaOptions> = {}): Promise<string> {
  const { media, transport } = scripted([json({ id: 'a' })], options)
  const error = await rejection(
    media.imageToVideo({ model: 'gen4_turbo', promptImage: promptImage as string }),
  )
  expect(error).toMatchObject({ code: 'invalid-request', operation: 'imageToVideo' })
  expect(error).toMatchObject({ issues: [{ path: '/body/promptImage' }] })
  expect(transport.requests).toEqual([])
  return String(error)
}

/** Returns an image of the given size. Only its first bytes are those of an image. */
const large = (sizeBytes: number, kind = PNG) => {
  const bytes = new Uint8Array(sizeBytes)
  bytes.set(kind)
  return bytes
}

describe('an input', () => {
  it.each<[string, MediaInput<'image'> | (() => MediaInput<'image'>), string]>([
    ['a URL', 'https://assets.example/a.png', 'https://assets.example/a.png'],
    ['a URL object', new URL('https://assets.example/a.png'), 'https://assets.example/a.png'],
    ['a data URI', PNG_URI, PNG_URI],
    ['a URI of an undocumented form', 'some-upload:a/b', 'some-upload:a/b'],
    ['a URI that contains other schemes', 'upload:https:data:file:a', 'upload:https:data:file:a'],
    ['any string that is passed as a URI', { uri: 'upload-placeholder' }, 'upload-placeholder'],
    ['bytes', PNG, PNG_URI],
    ['an ArrayBuffer', PNG.slice().buffer, PNG_URI],
    ['a Blob', new Blob([PNG]), PNG_URI],
    ['a stream', () => new Blob([PNG]).stream(), PNG_URI],
    ['bytes with their type', { content: PNG, contentType: 'image/jpeg' }, PNG_URI.replace('png', 'jpeg')],
    ['a marked image', image(PNG), PNG_URI],
  ])('an input can be %s', async (_, input, expected) => {
    expect(await sent(typeof input === 'function' ? input() : input)).toBe(expected)
  })

  it('an input can be a local file', async () => {
    const folder = await scratch()
    const path = join(folder, 'boat.png')
    await writeFile(path, PNG)
    expect(await sent(file(path))).toBe(PNG_URI)
    expect(await sent({ content: file(path), contentType: 'image/png' })).toBe(PNG_URI)
    expect(await inputError(file(join(folder, 'no-boat.png')))).toContain("the file doesn't exist")
    expect(() => file('')).toThrow(/path/)
  })

  it('never reads a string as a path, so that a server can pass strings from its users', async () => {
    const folder = await scratch()
    const path = join(folder, 'private.png')
    await writeFile(path, PNG)
    for (const given of [path, 'private.png', 'C:\\private.png', './private.png', './some-upload:a'])
      expect(await inputError(given)).toMatch(/without a scheme.*https:.*file\(path\)/)
    for (const given of [{ content: path }, { path }, JSON.parse(JSON.stringify(file(path))) as object])
      expect(await inputError(given)).toMatch(/file\(path\)/)
  })

  it('rejects an input whose first bytes are not those of an image, no matter what its name and type say', async () => {
    const folder = await scratch()
    const path = join(folder, 'notes.png')
    await writeFile(path, 'not an image')
    for (const given of [file(path), new Blob(['not an image'], { type: 'image/png' })])
      expect(await inputError(given)).toMatch(/first bytes are not those of JPEG, PNG or WebP/)
  })

  it.each<[string, unknown, RegExp]>([
    ['a URL without TLS', 'http://assets.example/a.png', /https/],
    ['a file: URL', new URL('file:///a.png'), /file\(fileURLToPath/],
    ['an empty string', image(''), /is empty/],
    ['an empty URI', { uri: '' }, /a `uri` that is empty or not a string/],
    ['a URI of another type', { uri: 5 }, /a `uri` that is empty or not a string/],
    ['a number', 5, /is not an input; pass a URL, a data URI/],
    ['a video', video('https://assets.example/a.mp4'), /marked as a video, but the field takes an image/],
    ['a GIF', new Blob(['GIF89a']), /JPEG, PNG or WebP/],
    [
      'a GIF that is named PNG',
      { content: new TextEncoder().encode('GIF89a'), contentType: 'image/png' },
      /gif/,
    ],
    ['bytes of an unrecognizable kind', Uint8Array.from([1, 2, 3]), /media type/],
    ['an empty file', new Uint8Array(), /empty/],
    ['an empty string', '', /promptImage is missing/],
    ['null', null, /is not an input; pass a URL/],
    ['a URL without its scheme', 'www.example.com/a.png', /without a scheme.*starts with https:/],
    [
      'a URL in an object',
      { url: 'https://assets.example/a.png' },
      /is not an input; pass a URL, a data URI/,
    ],
    ['a data URI that is not base64', 'data:image/png,abc', /data:<media_type>;base64,<data>/],
    [
      'a data URI above the limit',
      `data:image/png;base64,${'A'.repeat(7_000_000)}`,
      /at most 5 MB.*URL \(up to 16 MB\).*`uploader` and pass the bytes themselves \(up to 200 MB\)/,
    ],
    [
      'bytes above the limit of a data URI',
      large(5 * MIB + 1),
      /is an image of 5242881 bytes and exceeds the limit of 5 MB for content that is sent as a data URI; pass a URL.*uploader/,
    ],
    [
      'a stream above the limit of a data URI',
      new Blob([large(5 * MIB + 1)]).stream(),
      /is an image and exceeds the limit of 5 MB for content that is sent as a data URI; pass a URL.*uploader/,
    ],
  ])('rejects an input before anything is sent: %s', async (_, input, why) => {
    expect(await inputError(input)).toMatch(why)
  })

  it('sends inputs unchanged if the rules are not checked', async () => {
    const inputRules = 'unchecked'
    expect(await sent('http://127.0.0.1:8080/a.png', { inputRules })).toBe('http://127.0.0.1:8080/a.png')
    expect(await sent(new Blob(['GIF89a']), { inputRules })).toMatch(/^data:image\/gif/)
    expect(await sent(large(6_000_000), { inputRules })).toMatch(/^data:image\/png/)
    const uploader = () => Promise.resolve('some-upload:1')
    const content = new Blob([large(6_000_000)]).stream()
    const sizeBytes = 200 * MIB + 1
    expect(await sent({ content, sizeBytes }, { inputRules, uploader })).toBe('some-upload:1')
  })
})

describe('a large input', () => {
  it('a large input becomes a data URI if at least one reading of the limit allows it', async () => {
    const uri = String(await sent(large(5 * MIB)))
    expect(Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64').length).toBe(5 * MIB)
  })

  it('passes a large input whole to the uploader, whose URI goes into the request', async () => {
    const files: { sizeBytes: number; file: UploadFile }[] = []
    const uploader = async (file: UploadFile) => {
      let sizeBytes = 0
      for await (const chunk of file.content) sizeBytes += chunk.length
      files.push({ sizeBytes, file })
      return 'some-upload:1'
    }
    expect(await sent(new File([large(6_000_000)], 'boat.png'), { uploader })).toBe('some-upload:1')
    expect(files).toMatchObject([
      { sizeBytes: 6_000_000, file: { kind: 'image', contentType: 'image/png', filename: 'boat.png' } },
    ])
    // Too large under the strictest reading of the limit, so it goes to the uploader too.
    expect(await sent(large(3_800_000), { uploader })).toBe('some-upload:1')
    expect(await sent(large(3_700_000), { uploader })).toMatch(/^data:/)
  })

  it('rejects an input above the limit of an upload, with or without an uploader', async () => {
    const uploader = () => Promise.resolve('some-upload:1')
    const ofSize = (sizeBytes: number) => ({ content: new Blob([large(6_000_000)]).stream(), sizeBytes })
    expect(await inputError(ofSize(200 * MIB + 1), { uploader })).toMatch(
      /exceeds the limit of 200 MB for an upload; the service accepts no larger files/,
    )
    expect(await sent(ofSize(200 * MIB), { uploader })).toBe('some-upload:1')
  })

  it('stops a stream of unknown size at the limit of an upload', async () => {
    const chunk = large(40 * MIB)
    const content = async function* () {
      for (let chunks = 0; chunks < 6; chunks++) yield chunk
    }
    let came = 0
    const uploader = async (file: UploadFile) => {
      for await (const part of file.content) came += part.length
      return 'some-upload:1'
    }
    expect(await inputError(content(), { uploader })).toMatch(
      /is an image and exceeds the limit of 200 MB for an upload.*The request was not sent/,
    )
    expect(came).toBe(5 * chunk.length)
  })

  it('closes an input if the uploader fails, and throws the error of the uploader', async () => {
    let cancelled = false
    const chunk = large(6_000_000)
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(chunk),
      cancel: () => void (cancelled = true),
    })
    const reason = new Error('the store is full')
    const { media } = scripted([json({ id: 'a' })], { uploader: () => Promise.reject(reason) })
    expect(await rejection(media.imageToVideo({ model: 'gen4_turbo', promptImage: stream }))).toBe(reason)
    expect(cancelled).toBe(true)
    for (const uri of ['', undefined]) {
      const silent = scripted([json({ id: 'a' })], { uploader: async () => uri as string })
      const error = await rejection(silent.media.imageToVideo({ model: 'gen4_turbo', promptImage: chunk }))
      expect(error).toMatchObject({ option: 'uploader' })
      expect(silent.transport.requests).toEqual([])
    }
  })

  it("R-03: passes the caller's signal, if any, to the uploader", async () => {
    const received: object[] = []
    const uploader = async (_: UploadFile, options: object) => (received.push(options), 'some-upload:1')
    const { media } = scripted([json({ id: 'a' })], { uploader })
    const { signal } = new AbortController()
    const request = { model: 'gen4_turbo', promptImage: large(6_000_000) } as const
    await media.imageToVideo(request, { signal })
    await media.imageToVideo(request)
    expect(received).toStrictEqual([{ signal }, {}])
  })

  it('R-03: reads no more of an input after the caller aborts', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const stream = new ReadableStream<Uint8Array>({
      pull(sink) {
        sink.enqueue(PNG)
        controller.abort(reason)
      },
    })
    const { media, transport } = scripted([json({ id: 'a' })])
    const { signal } = controller
    expect(
      await rejection(media.imageToVideo({ model: 'gen4_turbo', promptImage: stream }, { signal })),
    ).toBe(reason)
    expect(transport.requests).toEqual([])
  })
})

describe('the rest of a request', () => {
  it('checks the rest of a request before it reads or uploads the first input', async () => {
    let uploads = 0
    const uploader = () => Promise.resolve(`some-upload:${++uploads}`)
    const { media, transport } = scripted([json({ id: 'a' })], { uploader })
    const promptImage = new Blob([large(6_000_000)])
    const wrong: [object, RegExp][] = [
      [{ duration: 11 }, /duration/],
      [{ promptText: 4 }, /promptText/],
      [{ fields: { clip: audio('http://a.example/b') } }, /clip/],
      [{ fields: { clip: () => 1 } }, /clip/],
    ]
    for (const [more, where] of wrong) {
      const request = { model: 'gen4_turbo', promptImage, ...more } as never
      expect(String(await rejection(media.imageToVideo(request)))).toMatch(where)
    }
    const avatar = { referenceImage: promptImage, name: 4 } as never
    expect(String(await rejection(media.avatars.create(avatar)))).toMatch(/name/)
    expect([uploads, transport.requests.length]).toEqual([0, 0])
  })

  it('makes the same data URI on a host without Uint8Array.toBase64', async () => {
    const bytes = large(60_001)
    const native = Object.getOwnPropertyDescriptor(Uint8Array.prototype, 'toBase64')
    if (native !== undefined) Reflect.deleteProperty(Uint8Array.prototype, 'toBase64')
    try {
      expect(await sent(bytes)).toBe(`data:image/png;base64,${Buffer.from(bytes).toString('base64')}`)
    } finally {
      if (native !== undefined) Reflect.defineProperty(Uint8Array.prototype, 'toBase64', native)
    }
  })

  it('uploads no input if an earlier one turns out to be invalid', async () => {
    let uploads = 0
    const uploader = () => Promise.resolve(`some-upload:${++uploads}`)
    const { media, transport } = scripted([json({ id: 'a' })], { uploader })
    // Late enough that the other one would have been uploaded by then.
    const promptImage = (async function* () {
      for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate)
      yield new TextEncoder().encode('not an image')
    })()
    const fields = { clip: video({ content: new Uint8Array(20_000_000), contentType: 'video/mp4' }) }
    await rejection(media.imageToVideo({ model: 'gen4_turbo', promptImage, fields }))
    expect([uploads, transport.requests.length]).toEqual([0, 0])
  })
})

describe('inputs in fields whose names are not documented', () => {
  /** Sends a request with these fields, and returns its body. */
  async function sentFields(fields: object): Promise<unknown> {
    const { media, transport } = scripted([json({ id: 'a' })])
    await media.videoToVideo({ model: 'gen4_aleph', promptText: 'winter', fields: { ...fields } })
    return bodyOf(transport.requests[0])
  }

  it('inputs in undocumented fields become strings, even inside objects and arrays', async () => {
    const twice = { zoom: 2 }
    const when = new Date(0)
    class Clip {
      readonly uri = image(PNG)
    }
    const body = await sentFields({
      twice: [twice, twice],
      none: [],
      when,
      notMethod: { toJSON: 5, clip: video('https://assets.example/a.mp4') },
      method: { toJSON: () => 'its own form' },
      bare: Object.assign(Object.create(null) as object, { uri: image(PNG) }),
      clip: new Clip(),
      anything: { kind: 'image', uri: image(PNG) },
      list: [video('https://assets.example/a.mp4'), 4, null],
      sound: audio({ content: Uint8Array.from([1, 2]), filename: 'a.mp3' }),
    })
    expect(body).toEqual({
      model: 'gen4_aleph',
      promptText: 'winter',
      twice: [twice, twice],
      none: [],
      when: when.toISOString(),
      notMethod: { toJSON: 5, clip: 'https://assets.example/a.mp4' },
      method: 'its own form',
      bare: { uri: PNG_URI },
      clip: { uri: PNG_URI },
      anything: { kind: 'image', uri: PNG_URI },
      list: ['https://assets.example/a.mp4', 4, null],
      sound: 'data:audio/mpeg;base64,AQI=',
    })
    // In the order in which they were passed, even though some are read later.
    expect(Object.keys(body as object).slice(-3)).toEqual(['anything', 'list', 'sound'])
    const { media, transport } = scripted([json({ id: 'a' })])
    await media.imageToVideo({ model: 'gen4_turbo', promptImage: PNG, promptText: 'rain' })
    expect(Object.keys(bodyOf(transport.requests[0]) as object)).toEqual([
      'model',
      'promptImage',
      'promptText',
    ])
  })

  const round: Record<string, unknown> = {}
  round['again'] = [round]
  it.each<[string, object, path: string, RegExp]>([
    [
      'bytes',
      { clip: [{ of: PNG }] },
      '/clip/0/of',
      /bytes, a Blob or a stream; mark .*image\(\), video\(\) or audio\(\)/,
    ],
    ['a Blob', { clip: new Blob([PNG]) }, '/clip', /mark/],
    ['a stream', { clip: new Blob([PNG]).stream() }, '/clip', /mark/],
    ['a function', { clip: () => 1 }, '/clip', /function/],
    ['a bigint', { clip: 5n }, '/clip', /bigint/],
    ['a number that JSON does not have', { clip: Number.NaN }, '/clip', /NaN/],
    ['a promise', { clip: Promise.resolve('a') }, '/clip', /await/],
    ['a Map', { clip: new Map([['a', 1]]) }, '/clip', /Map/],
    ['a file', { clip: file('boat.mp4') }, '/clip', /mark/],
    [
      'undefined in an array, which JSON would turn into null',
      { clip: ['a:b', undefined] },
      '/clip/1',
      /null/,
    ],
    ['an object that contains itself', { round }, '/round/again/0', /itself/],
    ['an image marked as a video', { clip: video(PNG) }, '/clip', /image\/png.*not a video/],
    [
      'an image marked as a recording',
      { clip: audio('data:image/png;base64,AAAA') },
      '/clip',
      /image\/png.*not a recording/,
    ],
    ['a recording at a URL without TLS', { a: { b: audio('http://a.example/b') } }, '/a/b', /https/],
    [
      'a video above the limit',
      { clip: video({ content: new Uint8Array(16 * MIB + 1), contentType: 'video/mp4' }) },
      '/clip',
      /a video.*exceeds the limit of 16 MB/,
    ],
  ])(
    'rejects undocumented fields instead of silently dropping or changing them: %s',
    async (_, fields, path, why) => {
      const { media, transport } = scripted([json({ id: 'a' })])
      const request = { model: 'gen4_aleph', promptText: 'winter', fields: { ...fields } } as const
      expect(await rejection(media.videoToVideo(request))).toMatchObject({
        code: 'invalid-request',
        message: expect.stringMatching(why),
        issues: [{ path: `/body${path}` }],
      })
      expect(transport.requests).toEqual([])
    },
  )
})
