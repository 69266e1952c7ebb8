import { readFileSync } from 'node:fs'
import { imageSize } from 'image-size'
import jpeg from 'jpeg-js'
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny'
import { PNG } from 'pngjs'
import { expect, it, onTestFinished } from 'vitest'

import { colourAt, FIXTURE_FACTS, generateFixtures } from '../../fixtures/generate.ts'
import { startMedia, type TestMedia } from '../support/media.ts'

const HOUR_MS = 3_600_000

/** Generates an output and returns its link. */
async function generate(media: TestMedia, body?: object, path?: string): Promise<string> {
  const id = await media.submit(body, path)
  await media.control.clock.advance(4_000)
  const { output = [] } = await media.task(id)
  expect(output).toHaveLength(1)
  return output[0]!
}

/** Follows a link without the service's headers. */
const follow = (media: TestMedia, url: string, headers: Record<string, string> = {}, method = 'GET') =>
  media.emulator.media.fetch(url, { method, headers })

/** Generates an output, downloads it with its media type, and opens it with a demuxer. */
async function demux(media: TestMedia, model: string, path: string) {
  const url = await generate(media, { model, promptText: 'rain', file: 'a' }, path)
  const response = await follow(media, url)
  const source = new BufferSource(await response.arrayBuffer())
  return { type: response.headers.get('content-type'), input: new Input({ formats: ALL_FORMATS, source }) }
}

async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await response.arrayBuffer())
}

it('a generated file is a PNG or a JPEG that image libraries decode to the expected image', async () => {
  await using media = await startMedia({ tier: 5 })
  const { width, height } = FIXTURE_FACTS.picture
  const png = await follow(media, await generate(media, { model: 'gen4_image' }))
  expect(png.headers.get('content-type')).toBe('image/png')
  const pngBytes = await bytesOf(png)
  expect(imageSize(pngBytes)).toMatchObject({ type: 'png', width, height })
  const exact = PNG.sync.read(Buffer.from(pngBytes))
  const jpg = await follow(media, await generate(media, { model: 'partner_2.5_flash' }))
  expect(jpg.headers.get('content-type')).toBe('image/jpeg')
  const jpgBytes = await bytesOf(jpg)
  expect(imageSize(jpgBytes)).toMatchObject({ type: 'jpg', width, height })
  const near = jpeg.decode(jpgBytes)
  let difference = 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4
      const colour = colourAt(x, y)
      expect([...exact.data.subarray(at, at + 3)]).toEqual(colour)
      for (const [channel, value] of colour.entries())
        difference += Math.abs((near.data[at + channel] ?? 0) - value)
    }
  expect(difference / (width * height * 3)).toBeLessThan(8)
})

it.each([
  ['gen4.5', '/v1/image_to_video'],
  ['gen4.5', '/v1/text_to_video'],
  ['gen4_aleph', '/v1/video_to_video'],
  ['act_two', '/v1/character_performance'],
])(
  'a generated file of %s at %s is an MP4 video that a demuxer reads, frame by frame',
  async (model, path) => {
    await using media = await startMedia()
    const { type, input } = await demux(media, model, path)
    expect([type, (await input.getFormat()).name]).toEqual(['video/mp4', 'MP4'])
    const track = await input.getPrimaryVideoTrack()
    const { width, height, framesPerSecond, seconds } = FIXTURE_FACTS.video
    expect(track).toMatchObject({ codec: 'avc', codedWidth: width, codedHeight: height })
    expect(await input.computeDuration()).toBe(seconds)
    expect(await track!.getDecoderConfig()).toMatchObject({ codec: 'avc1.42c00a', codedWidth: width })
    const packets = []
    for await (const packet of new EncodedPacketSink(track!).packets()) packets.push(packet)
    expect(packets).toHaveLength(seconds * framesPerSecond)
    expect(packets.map(({ type }) => type)).toEqual(['key', ...Array(packets.length - 1).fill('delta')])
    expect(packets[0]!.byteLength).toBeGreaterThan(3_000)
  },
)

it.each([
  ['audio_multilingual_v2', '/v1/text_to_speech'],
  ['audio_text_to_sound_v2', '/v1/sound_effect'],
  ['audio_voice_isolation', '/v1/voice_isolation'],
  ['audio_voice_dubbing', '/v1/voice_dubbing'],
  ['audio_multilingual_sts_v2', '/v1/speech_to_speech'],
])('a generated file of %s at %s is an MP3 recording that a demuxer reads', async (model, path) => {
  await using media = await startMedia()
  const { type, input } = await demux(media, model, path)
  expect([type, (await input.getFormat()).name]).toEqual(['audio/mpeg', 'MP3'])
  const { sampleRate, seconds } = FIXTURE_FACTS.audio
  const track = await input.getPrimaryAudioTrack()
  expect(track).toMatchObject({ codec: 'mp3', sampleRate, numberOfChannels: 1 })
  expect(await input.computeDuration()).toBeCloseTo(seconds, 1)
})

it('the generated files match the output of the generator script', () => {
  const file = new URL('../../src/media/outputs/gen/fixtures.gen.ts', import.meta.url)
  expect(readFileSync(file, 'utf8')).toBe(generateFixtures())
})

it('a generated file may be a different file, or several, by choice', async () => {
  const text = { extension: 'txt', contentType: 'text/plain' }
  await using media = await startMedia({
    choices: {
      outputFiles: ({ body }, kind) => [
        'audio',
        { ...text, bytes: new TextEncoder().encode(`${kind}: ${String(body['promptText'])}`) },
      ],
    },
  })
  const id = await media.submit()
  await media.control.clock.advance(4_000)
  const { output = [] } = await media.task(id)
  const [audio, file] = await Promise.all(output.map((url) => follow(media, url)))
  expect(audio?.headers.get('content-type')).toBe('audio/mpeg')
  expect([file?.headers.get('content-type'), await file?.text()]).toEqual([
    'text/plain',
    'image: a lighthouse',
  ])
})

it('a signed link works without credentials until it expires on the clock, between 24 and 48 hours', async () => {
  await using media = await startMedia({ choices: { outputLinks: { lifetimeMs: 30 * HOUR_MS } } })
  const url = await generate(media)
  expect((await follow(media, url)).status).toBe(200)
  const [{ outputs }] = media.state.tasks as [TestMedia['state']['tasks'][number]]
  expect(outputs).toMatchObject([{ url, expiresAt: media.control.clock.now() + 30 * HOUR_MS, requests: 1 }])
  await media.control.clock.advance(30 * HOUR_MS - 1)
  expect((await follow(media, url)).status).toBe(200)
  await media.control.clock.advance(1)
  const late = await follow(media, url)
  expect([late.status, await late.json()]).toEqual([403, { error: 'The link has expired.' }])
  await using usual = await startMedia()
  await generate(usual)
  const expiresAt = usual.control.clock.now() + 24 * HOUR_MS
  expect(usual.state.tasks).toMatchObject([{ outputs: [{ expiresAt }] }])
})

it('a signed link can be expired immediately by the control interface', async () => {
  await using media = await startMedia({ tier: 5 })
  const first = await generate(media)
  const second = await generate(media)
  media.control.expireOutputs(media.state.tasks[0]!.id)
  expect((await follow(media, first)).status).toBe(403)
  expect((await follow(media, second)).status).toBe(200)
  media.control.expireOutputs()
  expect((await follow(media, second)).status).toBe(403)
  expect(() => media.control.expireOutputs('nothing')).toThrow('Unknown task nothing')
})

it('a signed link does not work with a different signature, expiry or file', async () => {
  await using media = await startMedia()
  const url = new URL(await generate(media))
  const changed = (change: (copy: URL) => void) => {
    const copy = new URL(url)
    change(copy)
    return follow(media, copy.href)
  }
  expect((await changed((copy) => copy.searchParams.delete('signature'))).status).toBe(403)
  expect((await changed((copy) => copy.searchParams.set('signature', '0'.repeat(32)))).status).toBe(403)
  expect((await changed((copy) => copy.searchParams.set('expires', '9999999999'))).status).toBe(403)
  expect((await changed((copy) => (copy.pathname = copy.pathname.replace('0.png', '1.png')))).status).toBe(
    404,
  )
})

it("a signed link counts requests with one of the service's headers", async () => {
  await using media = await startMedia()
  const url = await generate(media)
  await follow(media, url)
  expect(media.state.tasks[0]!.outputs).toMatchObject([{ requests: 1, requestsWithCredentials: 0 }])
  await follow(media, url, { authorization: `Bearer ${media.apiSecret}` })
  await follow(media, url, { 'x-service-version': '2024-11-06' })
  expect(media.state.tasks[0]!.outputs).toMatchObject([{ requests: 3, requestsWithCredentials: 2 }])
})

it('a signed link has the host and the path in `outputLinks`', async () => {
  await using media = await startMedia({
    basePath: '/tenant',
    choices: {
      outputLinks: {
        baseUrl: 'https://files.example/tenant',
        path: '/made/{file}/by/{task}',
      },
    },
  })
  const url = await generate(media)
  expect(url).toMatch(
    /^https:\/\/files\.example\/tenant\/made\/0\.png\/by\/[\w-]+\?expires=\d+&signature=\w+$/,
  )
  expect((await follow(media, url)).status).toBe(200)
})

async function started() {
  const media = await startMedia()
  onTestFinished(() => media.emulator.close())
  const url = await generate(media)
  const whole = await follow(media, url)
  const bytes = await bytesOf(whole)
  return { media, url, whole, bytes, etag: whole.headers.get('etag') ?? '' }
}

it('an output file has the same headers for HEAD as for GET, without a body', async () => {
  const { media, url, whole, bytes } = await started()
  const head = await follow(media, url, {}, 'HEAD')
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(whole.headers))
  expect(Object.fromEntries(head.headers)).toEqual({
    'accept-ranges': 'bytes',
    'content-length': String(bytes.byteLength),
    'content-type': 'image/png',
    etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    'last-modified': 'Mon, 05 Jan 2026 09:00:04 GMT',
  })
})

it.each([
  ['bytes=0-9', 0, 10],
  ['bytes=100-', 100, undefined],
  ['bytes=-7', -7, undefined],
  ['bytes=3900-99999', 3_900, undefined],
  ['bytes=-99999', 0, undefined],
])('an output file responds to Range: %s with 206', async (range, from, to) => {
  const { media, url, bytes } = await started()
  const part = await follow(media, url, { range })
  expect(part.status).toBe(206)
  const expected = bytes.slice(from, to)
  const first = from < 0 ? bytes.byteLength + from : from
  const last = first + expected.byteLength - 1
  expect(part.headers.get('content-range')).toBe(`bytes ${first}-${last}/${bytes.byteLength}`)
  expect(part.headers.get('content-length')).toBe(String(expected.byteLength))
  expect(await bytesOf(part)).toEqual(expected)
})

it.each(['bytes=99999-', 'bytes=-0'])('an output file gets a 416 for Range: %s', async (range) => {
  const { media, url, bytes } = await started()
  const denied = await follow(media, url, { range })
  expect([denied.status, denied.headers.get('content-range')]).toEqual([416, `bytes */${bytes.byteLength}`])
})

it.each(['bytes=0-1,4-5', 'bytes=9-2', 'bytes=-', 'bytes=a-b', 'items=0-1', ''])(
  'an output file is sent completely for Range: %s',
  async (range) => {
    const { media, url, bytes } = await started()
    const whole = await follow(media, url, { range })
    expect([whole.status, (await bytesOf(whole)).byteLength]).toEqual([200, bytes.byteLength])
  },
)

it('an output file is only resumed if If-Range matches, and never for HEAD', async () => {
  const { media, url, whole, etag } = await started()
  const range = 'bytes=5-'
  const ask = async (condition: string) => (await follow(media, url, { range, 'if-range': condition })).status
  expect(await ask(etag)).toBe(206)
  expect(await ask(whole.headers.get('last-modified') ?? '')).toBe(206)
  expect(await ask('"other"')).toBe(200)
  expect(await ask(`W/${etag}`)).toBe(200)
  expect(await ask('Mon, 05 Jan 2026 09:00:03 GMT')).toBe(200)
  expect((await follow(media, url, { range }, 'HEAD')).status).toBe(200)
})

it('an output file is not sent to a client that already has it', async () => {
  const { media, url, whole, etag } = await started()
  const ask = async (headers: Record<string, string>) => (await follow(media, url, headers)).status
  expect(await ask({ 'if-none-match': etag })).toBe(304)
  expect(await ask({ 'if-none-match': `"a", W/${etag}` })).toBe(304)
  expect(await ask({ 'if-none-match': '*' })).toBe(304)
  expect(await ask({ 'if-none-match': '"other"' })).toBe(200)
  expect(await ask({ 'if-modified-since': whole.headers.get('last-modified') ?? '' })).toBe(304)
  expect(await ask({ 'if-modified-since': 'Mon, 05 Jan 2026 09:00:03 GMT' })).toBe(200)
  expect(await ask({ 'if-modified-since': 'once' })).toBe(200)
})

it('an output file can be downloaded over HTTP in parts, after a broken connection', async () => {
  await using media = await startMedia()
  await using served = await media.emulator.serve({ services: ['media'] })
  const { pathname, search } = new URL(await generate(media))
  const url = served.media.baseUrl + pathname + search
  const head = await fetch(url, { method: 'HEAD' })
  const size = Number(head.headers.get('content-length'))
  expect([head.status, size > 3_000]).toEqual([200, true])
  media.control.faults.add({ kind: 'reset', when: 'mid-body', operation: 'page:output' })
  await expect(fetch(url).then((response) => response.arrayBuffer())).rejects.toThrow()
  const rest = await fetch(url, {
    headers: { range: 'bytes=1000-', 'if-range': head.headers.get('etag') ?? '' },
  })
  expect([rest.status, (await rest.arrayBuffer()).byteLength]).toEqual([206, size - 1_000])
})
