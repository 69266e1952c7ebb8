import { holdToContract } from '@concord/contract-kit'

import { speechSockets, speechSubject } from './subject.ts'
import { speechSocketWalk, speechWalk } from './walk.ts'

await holdToContract({
  service: 'speech',
  subject: speechSubject(),
  walk: speechWalk,
  sockets: { subject: await speechSockets(), walk: speechSocketWalk },
  withoutPrism: ['transcribe'],
  reports: new URL('../reports/', import.meta.url),
})
