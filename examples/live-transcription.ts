// Transcribes audio while it is spoken. The connection is kept alive during silence, and reconnects if it is lost.
import { presets, Speech } from '@concord/speech'
import * as z from 'zod'

import { microphone } from './support/recording.ts'
import { service } from './support/service.ts'

/** The shape of the emulator's events. Events of another shape arrive as `other`. */
const Heard = z.object({ text: z.string(), start: z.number(), end: z.number() })

await using target = await service('speech')
await using speech = new Speech({ apiUrl: target.apiUrl, apiKey: target.apiKey })

await using live = await speech.listen(
  { model: 'nova-3', encoding: 'linear16' },
  {
    schema: Heard,
    reconnect: true,
    // The timestamps of each connection start at zero. With this option, they continue after a reconnect.
    timestamps: { ...presets.emulator.timestamps, bytesPerSecond: 32_000 },
  },
)
// Unlike a real microphone, this one ends. `finish` waits until all audio is sent, and then for the last events.
void live.sendFrom(microphone(6))
void live.finish({ quietMs: 1000 })
for await (const event of live) {
  if (event.type === 'event') console.log(`${event.data.start}-${event.data.end} s: ${event.data.text}`)
  else if (event.type === 'reconnected') console.log(`reconnected after a gap of ${event.data.gapMs} ms`)
  else console.log('other event:', event.data)
}
