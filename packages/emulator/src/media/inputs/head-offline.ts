import type { MediaKind } from '../model.ts'

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  ogv: 'video/ogg',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  aac: 'audio/aac',
  m4a: 'audio/mp4',
  html: 'text/html',
  txt: 'text/plain',
}
const DEFAULT_TYPES: Readonly<Record<MediaKind, string>> = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/mpeg',
}

/** Creates a response to a HEAD request for a URL, without sending that request. */
export function headOffline(url: string, kind: MediaKind): Response {
  const extension = /\.(\w+)$/.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? ''
  const type = Object.hasOwn(TYPES, extension) ? TYPES[extension] : DEFAULT_TYPES[kind]
  return new Response(null, { headers: { 'content-type': type ?? '', 'content-length': '1000' } })
}
