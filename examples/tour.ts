// The tour of `npm start`: every service, from start to end, against the emulator.
import { fileURLToPath } from 'node:url'

import { intro, note, outro } from '@clack/prompts'

import { extractionTour } from './tour/extraction.ts'
import { mediaTour } from './tour/media.ts'
import { speechTour } from './tour/speech.ts'
import { storageAuthTour } from './tour/storage-auth.ts'

const output = fileURLToPath(new URL('./out', import.meta.url))
const started = performance.now()

intro('Concord: a tour, offline')
const summary: string[] = []
for (const tour of [extractionTour, mediaTour, storageAuthTour, speechTour]) {
  const { service, done } = await tour(output)
  summary.push([service, ...done.map((line) => `- ${line}`)].join('\n'))
}
note(summary.join('\n\n'), 'What happened')
outro(`${((performance.now() - started) / 1000).toFixed(1)} s. Next: README.md, examples/*.ts, npm test`)
