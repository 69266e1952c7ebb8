// What `npm start` shows: every service, from start to end, against the emulator.
import { fileURLToPath } from 'node:url'

import { intro, note, outro } from '@clack/prompts'

import { extractionTour } from './tour/extraction.ts'

const output = fileURLToPath(new URL('./out', import.meta.url))
const started = performance.now()

intro('Concord: a tour, offline')
const { done } = await extractionTour(output)
note(done.map((line) => `- ${line}`).join('\n'), 'What happened')
outro(`${((performance.now() - started) / 1000).toFixed(1)} s. Next: README.md, examples/*.ts, npm test`)
