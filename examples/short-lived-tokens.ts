// Lets another program use the speech service without the API key: that program gets a token for each connection.
import { presets, Speech } from '@concord/speech'

import { service } from './support/service.ts'

await using target = await service('speech')

// This part runs on your server, which has the key. The documentation doesn't name the field that contains the token,
// so the preset names the emulator's field.
await using server = new Speech({ apiUrl: target.apiUrl, apiKey: target.apiKey })
const freshToken = server.tokenSource(presets.emulator.grant)

// This part runs in the other program. A token is valid for only 30 seconds. That is enough, because the token is
// needed only while a connection is being opened.
await using program = new Speech({ apiUrl: target.apiUrl, accessToken: freshToken })
await using first = await program.listen({ model: 'nova-3' })
await using second = await program.listen({ model: 'nova-3' })
console.log(`${first.state} and ${second.state}, each with its own token`)
