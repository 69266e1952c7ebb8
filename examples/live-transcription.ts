// Transcribes audio while it is spoken. In silence the connection is kept alive, and a lost one is made again.
import { presets, Speech } from '@concord/speech'
import * as z from 'zod'

import { microphone } from './support/recording.ts'
import { service } from './support/service.ts'

/** What the emulator tells. Events that are something else come as `other`. */
const Heard = z.object({ text: z.string(), start: z.number(), end: z.number() })

await using target = await service('speech')
await using speech = new Speech({ apiUrl: target.apiUrl, apiKey: target.apiKey })

await using live = await speech.listen(
  { model: 'nova-3', encoding: 'linear16' },
  {
    schema: Heard,
    reconnect: true,
    // Each connection counts from zero; with this, time stamps go on after a lost one.
    timestamps: { ...presets.emulator.timestamps, bytesPerSecond: 32_000 },
  },
)
// A real microphone has no end. This one has: what was heard last still comes, so the connection is closed when it is quiet.
const sending = live.sendFrom(microphone(6)).then(() => live.finish({ quietMs: 1000 }))
for await (const event of live) {
  if (event.type === 'event') console.log(`${event.data.start}-${event.data.end} s: ${event.data.text}`)
  else if (event.type === 'reconnected') console.log(`nothing was heard for ${event.data.gapMs} ms`)
  else console.log('something else:', event.data)
}
await sending
