import type { MediaKind, TransferWay } from '../model.ts'

/** How large an input may be, in MB, by kind and by way of transfer. */
export const INPUT_LIMITS_MB: Readonly<Record<MediaKind, Readonly<Record<TransferWay, number>>>> = {
  image: { url: 16, 'data-uri': 5, upload: 200 },
  video: { url: 32, 'data-uri': 16, upload: 200 },
  audio: { url: 32, 'data-uri': 16, upload: 200 },
}

/** The largest upload of any kind, in MB. */
export const LARGEST_UPLOAD_MB = 200

/** How long the URL of an input may be, in characters. Data URIs are not URLs in this sense. */
export const LONGEST_INPUT_URL = 2_048

/** The image formats that are taken. */
export const IMAGE_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/webp']

/** The media types of files that can hold MP3, AAC, FLAC, PCM or ALAC. */
export const AUDIO_TYPES =
  /^audio\/(?:mpeg|mp3|aac|aacp|(?:x-)?flac|(?:x-|vnd\.)?wave?|l16|l24|pcm|(?:x-)?aiff|mp4|(?:x-)?m4a|(?:x-)?alac|x-caf)$/
