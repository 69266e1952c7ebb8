import { isObject, type Json } from '../../core/specification.ts'
import type { GenerationRequest, MediaInput, MediaKind } from '../model.ts'

/**
 * The kinds of files that each operation accepts. They apply to all fields except `promptImage`, because the names of
 * the other fields are undocumented.
 */
const OTHER_KINDS: Readonly<Record<string, readonly MediaKind[]>> = {
  videoToVideo: ['video', 'image'],
  characterPerformance: ['image', 'video'],
  voiceIsolation: ['audio', 'video'],
  voiceDubbing: ['audio', 'video'],
  speechToSpeech: ['audio', 'video'],
}
const ANY_KIND: readonly MediaKind[] = ['image', 'video', 'audio']

/**
 * Finds the files in a request: `promptImage`, and every other string that looks like a URL, a data URI or the URI of
 * an upload.
 */
export function findInputs({ operationId, body }: GenerationRequest, uploadScheme: string): MediaInput[] {
  const found: MediaInput[] = []
  const kinds = OTHER_KINDS[operationId] ?? ANY_KIND
  const uri = new RegExp(`^(https?://|data:|${uploadScheme}://)\\S+$`, 'i')
  const look = (value: Json, field: string): void => {
    if (typeof value === 'string') {
      if (uri.test(value)) found.push({ field, value, kinds })
    } else if (Array.isArray(value))
      for (const [index, item] of value.entries()) look(item, `${field}/${index}`)
    else if (isObject(value))
      for (const [name, child] of Object.entries(value)) look(child, `${field}/${name}`)
  }
  for (const [name, value] of Object.entries(body)) {
    if (name === 'model' || name === 'promptText') continue
    if (name === 'promptImage' && typeof value === 'string')
      found.push({ field: name, value, kinds: ['image'] })
    else look(value, name)
  }
  return found
}
