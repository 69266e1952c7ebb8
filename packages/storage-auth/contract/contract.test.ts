import { holdToContract } from '@concord/contract-kit'

import { storageAuthSubject } from './subject.ts'
import { storageAuthWalk } from './walk.ts'

await holdToContract({
  service: 'storage-auth',
  subject: storageAuthSubject(),
  walk: storageAuthWalk,
  reports: new URL('../reports/', import.meta.url),
})
