// Synthesizes speech: a sentence as a file, and a text that is still being written as audio that can be played at once.
import { writeFile } from 'node:fs/promises'

import { presets, Speech } from '@concord/speech'

import { outputFile } from './support/output.ts'
import { service } from './support/service.ts'

await using target = await service('speech')
await using speech = new Speech({ apiUrl: target.apiUrl, apiKey: target.apiKey })

// The body of the request and how the end of a text is told are not documented; the presets know the emulator's.
const spoken = await speech.speak(presets.emulator.speakRequest('The ferry leaves at nine.'))
await writeFile(await outputFile('spoken.wav'), spoken.body)
console.log(`${spoken.contentType} written to out/spoken.wav`)

async function* answerOfModel() {
  yield 'The ferry leaves at nine, '
  yield 'and the harbour is quiet '
  yield 'until noon.'
}
let bytes = 0
for await (const audio of speech.speakStream(answerOfModel(), presets.emulator.synthesis))
  bytes += audio.length
console.log(`${bytes} bytes of audio came while the text was being written`)
