// Follows a conversation turn by turn. While it is running, the settings for turn detection are changed.
import { ConfigureDeniedError, Speech } from '@concord/speech'

import { microphone } from './support/recording.ts'
import { service } from './support/service.ts'

await using target = await service('speech')
await using speech = new Speech({ apiUrl: target.apiUrl, apiKey: target.apiKey })
await using conversation = await speech.converse({ encoding: 'linear16' })

// Pass thresholds as numbers; the client sends them as strings. Omitted settings keep their values.
const applied = await conversation.configure({ thresholds: { eot_threshold: 0.8 }, keyterms: ['ferry'] })
console.log('applied:', JSON.stringify(applied))
await conversation.configure({ thresholds: { eot_threshold: 7 } }).catch((error: unknown) => {
  if (!ConfigureDeniedError.is(error)) throw error
  console.log(`denied: ${error.message}`)
})

void conversation.sendFrom(microphone(4))
void conversation.finish({ quietMs: 1000 })
for await (const { type, data } of conversation) console.log(`${type}: ${JSON.stringify(data).slice(0, 100)}`)
