import { factOf } from '../../core/specification.ts'
import type { MediaKind, TransferWay } from '../model.ts'

const facts = factOf<{
  maxMb: Record<MediaKind, { url: number; dataUri: number; upload: number }>
  maxUrlCharacters: number
}>('media/openapi.yaml', 'inputLimits')

export function inputLimitMb(kind: MediaKind, way: TransferWay): number {
  return facts.maxMb[kind][way === 'data-uri' ? 'dataUri' : way]
}

export const LARGEST_UPLOAD_MB = Math.max(...Object.values(facts.maxMb).map(({ upload }) => upload))

/** The limit doesn't apply to data URIs. */
export const MAX_INPUT_URL_LENGTH = facts.maxUrlCharacters

export const IMAGE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp']

/** The media types of files that can contain MP3, AAC, FLAC, PCM or ALAC. */
export const AUDIO_TYPES =
  /^audio\/(?:mpeg|mp3|aac|aacp|(?:x-)?flac|(?:x-|vnd\.)?wave?|l16|l24|pcm|(?:x-)?aiff|mp4|(?:x-)?m4a|(?:x-)?alac|x-caf)$/

export function imageTypeOf(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.subarray(0, 16)).toString('latin1')
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp'
  if (text.startsWith('GIF8')) return 'image/gif'
  return undefined
}

interface DataUri {
  readonly mediaType: string
  /** The length of the base64 data, in characters. */
  readonly encodedSize: number
  readonly decodedSize: number
  /** The first bytes of the decoded data. */
  readonly head: Uint8Array
}

export function readDataUri(value: string): DataUri | { problem: string } {
  const comma = value.indexOf(',')
  const start = comma < 0 ? value : value.slice(0, comma)
  const parts = start.slice('data:'.length).split(';')
  const mediaType = (parts[0] ?? '').trim().toLowerCase()
  if (comma < 0 || parts.at(-1)?.trim().toLowerCase() !== 'base64')
    return { problem: 'must have the form `data:<media_type>;base64,<data>`' }
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType)) return { problem: 'must be a data URI with a media type' }
  const data = value.slice(comma + 1)
  if (data === '' || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return { problem: 'must contain valid base64 data' }
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return {
    mediaType,
    encodedSize: data.length,
    decodedSize: (data.length / 4) * 3 - padding,
    head: Buffer.from(data.slice(0, 64), 'base64'),
  }
}
