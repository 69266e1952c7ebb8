// Synthesizes speech: a sentence as a file, and a reply as audio that arrives while the reply is still being written.
import { writeFile } from 'node:fs/promises'

import { presets, Speech } from '@concord/speech'

import { outputFile } from './support/output.ts'
import { service } from './support/service.ts'

await using target = await service('speech')
await using speech = new Speech({ apiUrl: target.apiUrl, apiKey: target.apiKey })

// The request body and the message that ends the input aren't documented. The presets create both in the form
// that the emulator expects.
const spoken = await speech.speak(presets.emulator.speakRequest('The ferry leaves at nine.'))
await writeFile(await outputFile('spoken.wav'), spoken.body)
console.log(`${spoken.contentType} written to out/spoken.wav`)

async function* modelReply() {
  yield 'The ferry leaves at nine, '
  yield 'and the harbor is quiet '
  yield 'until noon.'
}
let bytes = 0
for await (const audio of speech.speakStream(modelReply(), presets.emulator.synthesis)) bytes += audio.length
console.log(`${bytes} bytes of audio arrived while the reply was being written`)
