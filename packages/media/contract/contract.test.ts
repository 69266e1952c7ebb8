import { holdToContract } from '@concord/contract-kit'

import { mediaSubject } from './subject.ts'
import { mediaWalk } from './walk.ts'

await holdToContract({
  service: 'media',
  subject: mediaSubject(),
  walk: mediaWalk,
  reports: new URL('../reports/', import.meta.url),
})
