import { factOf } from '../../core/specification.ts'
import type { MediaKind, TransferWay } from '../model.ts'

const facts = factOf<{
  maxMb: Record<MediaKind, { url: number; dataUri: number; upload: number }>
  maxUrlCharacters: number
}>('media/openapi.yaml', 'inputLimits')

const byWay = ({ url, dataUri, upload }: (typeof facts.maxMb)[MediaKind]) => ({
  url,
  'data-uri': dataUri,
  upload,
})

/** How large an input may be, in MB, by kind and by way of transfer. */
export const INPUT_LIMITS_MB: Readonly<Record<MediaKind, Readonly<Record<TransferWay, number>>>> = {
  image: byWay(facts.maxMb.image),
  video: byWay(facts.maxMb.video),
  audio: byWay(facts.maxMb.audio),
}

/** The largest upload of any kind, in MB. */
export const LARGEST_UPLOAD_MB = Math.max(...Object.values(facts.maxMb).map(({ upload }) => upload))

/** How long the URL of an input may be, in characters. Data URIs are not URLs in this sense. */
export const LONGEST_INPUT_URL = facts.maxUrlCharacters

/** The image formats that are taken. */
export const IMAGE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp']

/** The media types of files that can hold MP3, AAC, FLAC, PCM or ALAC. */
export const AUDIO_TYPES =
  /^audio\/(?:mpeg|mp3|aac|aacp|(?:x-)?flac|(?:x-|vnd\.)?wave?|l16|l24|pcm|(?:x-)?aiff|mp4|(?:x-)?m4a|(?:x-)?alac|x-caf)$/
