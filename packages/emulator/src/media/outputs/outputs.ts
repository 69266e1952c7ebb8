import { createHmac, timingSafeEqual } from 'node:crypto'

import { randomText } from '../../core/random.ts'
import type { MediaTools } from '../choices.ts'
import type { GenerationOperation, MediaKind, MediaOutput, MediaTask, OutputFile } from '../model.ts'
import { JPEG, MP3, MP4, PNG } from './gen/fixtures.gen.ts'

export const OUTPUT_KINDS = {
  imageToVideo: 'video',
  textToVideo: 'video',
  videoToVideo: 'video',
  characterPerformance: 'video',
  textToImage: 'image',
  textToSpeech: 'audio',
  soundEffect: 'audio',
  voiceIsolation: 'audio',
  voiceDubbing: 'audio',
  speechToSpeech: 'audio',
} as const satisfies Record<GenerationOperation, MediaKind>

type OpenedOutput =
  | { kind: 'found'; output: MediaOutput; createdAt: number }
  | { kind: 'output-not-found' | 'output-expired' | 'output-signature' }

export class Outputs {
  readonly #tools: MediaTools
  readonly #key: string
  readonly #files = new Map<
    string,
    { output: MediaOutput; task: string; createdAt: number; expired: boolean }
  >()

  constructor(tools: MediaTools) {
    this.#tools = tools
    this.#key = randomText(tools.random, 64, '0123456789abcdef')
  }

  create(task: MediaTask): void {
    const { clock, choices } = this.#tools
    const { lifetimeMs, baseUrl, path: pathTemplate } = choices.outputLinks
    const kind = OUTPUT_KINDS[task.operationId as GenerationOperation]
    const createdAt = clock.now()
    const expires = String(Math.floor((createdAt + lifetimeMs) / 1_000))
    task.outputs = choices.outputFiles(task, kind).map((chosen, index) => {
      const file = typeof chosen === 'string' ? outputFixture(task, chosen) : chosen
      const name = `${index}.${file.extension}`
      const path = pathTemplate.replace('{task}', task.id).replace('{file}', name)
      const url = new URL((baseUrl || task.baseUrl) + path)
      url.searchParams.set('expires', expires)
      url.searchParams.set('signature', this.#sign(`${task.id}/${name}`, expires))
      const expiresAt = Number(expires) * 1_000
      const output: MediaOutput = { file, url: url.href, expiresAt, requests: 0, requestsWithCredentials: 0 }
      this.#files.set(`${task.id}/${name}`, { output, task: task.id, createdAt, expired: false })
      return output
    })
  }

  open(task: string, file: string, query: URLSearchParams): OpenedOutput {
    const { clock } = this.#tools
    const found = this.#files.get(`${task}/${file}`)
    if (!found) return { kind: 'output-not-found' }
    const expires = query.get('expires') ?? ''
    const signature = query.get('signature') ?? ''
    if (!isSame(signature, this.#sign(`${task}/${file}`, expires))) return { kind: 'output-signature' }
    if (found.expired || clock.now() >= Number(expires) * 1_000) return { kind: 'output-expired' }
    return { kind: 'found', output: found.output, createdAt: found.createdAt }
  }

  remove(task: MediaTask): void {
    for (const [path, entry] of this.#files) if (entry.task === task.id) this.#files.delete(path)
  }

  expire(task?: MediaTask): void {
    for (const entry of this.#files.values()) if (!task || entry.task === task.id) entry.expired = true
  }

  clear(): void {
    this.#files.clear()
  }

  #sign(path: string, expires: string): string {
    return createHmac('sha256', this.#key).update(`${path}\n${expires}`).digest('hex').slice(0, 32)
  }
}

function isSame(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.byteLength === other.byteLength && timingSafeEqual(one, other)
}

const fixture = (extension: string, contentType: string, base64: string): OutputFile => ({
  extension,
  contentType,
  bytes: Uint8Array.from(Buffer.from(base64, 'base64')),
})

const VIDEO = fixture('mp4', 'video/mp4', MP4)
const RECORDING = fixture('mp3', 'audio/mpeg', MP3)
const LOSSLESS_IMAGE = fixture('png', 'image/png', PNG)
const LOSSY_IMAGE = fixture('jpg', 'image/jpeg', JPEG)

function outputFixture({ model }: Pick<MediaTask, 'model'>, kind: MediaKind): OutputFile {
  if (kind === 'video') return VIDEO
  if (kind === 'audio') return RECORDING
  return model.startsWith('gen4_') ? LOSSLESS_IMAGE : LOSSY_IMAGE
}
