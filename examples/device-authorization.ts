// Obtains an API key without anyone having to copy it.
import { Extraction } from '@concord/extraction'

import { service } from './support/service.ts'

await using target = await service('extraction')
await using extraction = new Extraction({ baseUrl: target.baseUrl })

let kept = ''
const { keyPrefix } = await extraction.authorizeDevice({
  agentName: 'Invoice reader',
  onPrompt({ verification_uri_complete, user_code }) {
    console.log(`Open ${verification_uri_complete} and check that it shows ${user_code}.`)
    // No one is at a browser here, so the example approves the request through the emulator.
    target.emulator?.extraction.control.approveDevice(user_code)
  },
  // Keep the key with your secrets. It is returned only once.
  save(apiKey) {
    kept = apiKey
  },
})
console.log(`A key was received and saved: ${keyPrefix}... (${kept === '' ? 'lost!' : 'safe'})`)
