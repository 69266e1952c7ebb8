// Talks to a voice agent. Audio is held back until the agent's settings are acknowledged, because the service ignores
// earlier audio.
import { presets, Speech } from '@concord/speech'

import { microphone } from './support/recording.ts'
import { service } from './support/service.ts'

await using target = await service('speech')
const { apiUrl, agentUrl, apiKey } = target
await using speech = new Speech({ apiUrl, agentUrl, apiKey })

console.log('language models:', JSON.stringify(await speech.thinkModels()))
// The documentation describes neither the settings nor the event that acknowledges them. The preset recognizes the
// emulator's event.
await using agent = await speech.agent({ type: 'Settings' }, presets.emulator.agent)
void agent.sendFrom(microphone(1))
let bytes = 0
for await (const event of agent) {
  if (event.type === 'audio') bytes += event.data.length
  else console.log(`${event.type}: ${JSON.stringify(event.data)}`)
  if (event.type === 'event' && JSON.stringify(event.data).includes('AgentAudioEnd')) break
}
console.log(`${bytes} bytes of speech to play`)
