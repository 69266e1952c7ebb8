import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Clock } from '../../core/clock.ts'
import { randomText, type RandomSource } from '../../core/random.ts'
import type { MediaChoices } from '../choices.ts'
import type { MediaKind, MediaOutput, MediaTask } from '../model.ts'
import { outputFixture } from './output-fixture.ts'

/** What each generation endpoint makes. */
const KINDS: Readonly<Record<string, MediaKind>> = {
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
}

/** The files that tasks made, behind signed links. */
export interface Outputs {
  make(task: MediaTask): void
  /** The file at a path, if the link is good. */
  open(task: string, file: string, query: URLSearchParams): OpenedOutput
  remove(task: MediaTask): void
  /** Lets the links of a task, or all links, expire at once. */
  expire(task?: MediaTask): void
  clear(): void
}

/** What a link leads to. */
export type OpenedOutput =
  | { kind: 'found'; output: MediaOutput; madeAt: number }
  | { kind: 'output-not-found' | 'output-expired' | 'output-signature' }

/** Makes an empty set of files. */
export function createOutputs(clock: Clock, random: RandomSource, choices: MediaChoices): Outputs {
  const key = randomText(random, 64, '0123456789abcdef')
  const files = new Map<string, { output: MediaOutput; task: string; madeAt: number; expired: boolean }>()

  const sign = (path: string, expires: string) =>
    createHmac('sha256', key).update(`${path}\n${expires}`).digest('hex').slice(0, 32)

  function make(task: MediaTask): void {
    const { lifetimeMs, baseUrl, path: pathTemplate, ...query } = choices.outputLinks
    const kind = KINDS[task.operationId] ?? 'video'
    const madeAt = clock.now()
    const expires = String(Math.floor((madeAt + lifetimeMs) / 1_000))
    task.outputs = choices.outputFiles(task, kind).map((made, index) => {
      const file = typeof made === 'string' ? outputFixture(task, made) : made
      const name = `${index}.${file.extension}`
      const path = pathTemplate.replace('{task}', task.id).replace('{file}', name)
      const url = new URL((baseUrl || task.baseUrl) + path)
      url.searchParams.set(query.expires, expires)
      url.searchParams.set(query.signature, sign(`${task.id}/${name}`, expires))
      const expiresAt = Number(expires) * 1_000
      const output: MediaOutput = { file, url: url.href, expiresAt, requests: 0, requestsWithCredentials: 0 }
      files.set(`${task.id}/${name}`, { output, task: task.id, madeAt, expired: false })
      return output
    })
  }

  return {
    make,
    open(task, file, query) {
      const found = files.get(`${task}/${file}`)
      if (!found) return { kind: 'output-not-found' }
      const expires = query.get(choices.outputLinks.expires) ?? ''
      const signature = query.get(choices.outputLinks.signature) ?? ''
      if (!isSame(signature, sign(`${task}/${file}`, expires))) return { kind: 'output-signature' }
      if (found.expired || clock.now() >= Number(expires) * 1_000) return { kind: 'output-expired' }
      return { kind: 'found', output: found.output, madeAt: found.madeAt }
    },
    remove(task) {
      for (const [path, entry] of files) if (entry.task === task.id) files.delete(path)
    },
    expire(task) {
      for (const entry of files.values()) if (!task || entry.task === task.id) entry.expired = true
    },
    clear: () => files.clear(),
  }
}

function isSame(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.byteLength === other.byteLength && timingSafeEqual(one, other)
}
