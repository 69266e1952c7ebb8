// Transcribes a recording. The response is not documented, so your own schema validates and types the result.
import { Speech } from '@concord/speech'
import * as z from 'zod'

import { recording } from './support/recording.ts'
import { service } from './support/service.ts'

/** The emulator's response. */
const Transcript = z.object({ text: z.string(), duration: z.number(), summary: z.string() })

await using target = await service('speech')
await using speech = new Speech({ apiUrl: target.apiUrl, apiKey: target.apiKey })

// The file is streamed, whatever its size. A WAV file names its own encoding, so `encoding` is omitted.
const transcript = await speech.transcribe(
  await recording(4),
  { model: 'nova-3', smart_format: true, summarize: true },
  { schema: Transcript },
)
console.log(`${transcript.duration} s: ${transcript.text}`)
console.log(`summary: ${transcript.summary}`)
