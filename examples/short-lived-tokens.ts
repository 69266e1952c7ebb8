// Lets another program use the speech service without the key: it gets a token for each connection.
import { presets, Speech } from '@concord/speech'

import { service } from './support/service.ts'

await using target = await service('speech')

// On your server, which has the key. The documentation doesn't name the field with the token; the preset names the
// emulator's field.
await using server = new Speech({ apiUrl: target.apiUrl, apiKey: target.apiKey })
const freshToken = server.tokenSource(presets.emulator.grant)

// In the other program. A token is valid for 30 seconds, but is needed only while a connection is being opened.
await using program = new Speech({ apiUrl: target.apiUrl, accessToken: freshToken })
await using first = await program.listen({ model: 'nova-3' })
await using second = await program.listen({ model: 'nova-3' })
console.log(`${first.state} and ${second.state}, each with its own token`)
