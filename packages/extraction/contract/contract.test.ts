import { holdToContract } from '@concord/contract-kit'

import { extractionSubject } from './subject.ts'
import { extractionWalk } from './walk.ts'

await holdToContract({
  service: 'extraction',
  subject: extractionSubject(),
  walk: extractionWalk,
  withoutPrism: ['processDocument'],
  reports: new URL('../reports/', import.meta.url),
})
