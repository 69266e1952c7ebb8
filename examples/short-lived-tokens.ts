// Lets another program use the speech service without the key: it gets a token for each connection.
import { presets, Speech } from '@concord/speech'

import { service } from './support/service.ts'

await using target = await service('speech')

// On your server, which has the key. Where the token stands in a grant is not documented; the preset knows the emulator's.
await using server = new Speech({ apiUrl: target.apiUrl, apiKey: target.apiKey })
const freshToken = server.tokenSource(presets.emulator.grant)

// In the other program. A token lives for 30 seconds, which matters when a connection is opened and not after.
await using program = new Speech({ apiUrl: target.apiUrl, accessToken: freshToken })
await using first = await program.listen({ model: 'nova-3' })
await using second = await program.listen({ model: 'nova-3' })
console.log(`${first.state} and ${second.state}, each with a token of its own`)
