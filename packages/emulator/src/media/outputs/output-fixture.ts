import type { MediaKind, MediaTask, OutputFile } from '../model.ts'
import { JPEG, MP3, MP4, PNG } from './gen/fixtures.gen.ts'

type Fixture = 'mp4' | 'png' | 'jpg' | 'mp3'

const FIXTURES: Readonly<Record<Fixture, { base64: string; contentType: string }>> = {
  mp4: { base64: MP4, contentType: 'video/mp4' },
  png: { base64: PNG, contentType: 'image/png' },
  jpg: { base64: JPEG, contentType: 'image/jpeg' },
  mp3: { base64: MP3, contentType: 'audio/mpeg' },
}

const decoded = new Map<Fixture, OutputFile>()

/** Returns the small file that represents a task's output: an MP4, an MP3, a PNG (for `gen4_` models) or a JPEG. */
export function outputFixture({ model }: Pick<MediaTask, 'model'>, kind: MediaKind): OutputFile {
  if (kind === 'video') return fixture('mp4')
  if (kind === 'audio') return fixture('mp3')
  return fixture(model.startsWith('gen4_') ? 'png' : 'jpg')
}

function fixture(extension: Fixture): OutputFile {
  const known = decoded.get(extension)
  if (known) return known
  const { base64, contentType } = FIXTURES[extension]
  const file = { extension, contentType, bytes: Uint8Array.from(Buffer.from(base64, 'base64')) }
  decoded.set(extension, file)
  return file
}
