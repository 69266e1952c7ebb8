import { holdToContract } from '@concord/contract-kit'

import { speechApi, speechApiWithResponse } from '../src/gen/api.gen.ts'
import { tested, testedSockets } from './subject.ts'
import { speechSocketWalk, speechWalk } from './walk.ts'

await holdToContract({
  tested,
  apis: [speechApi, speechApiWithResponse],
  walk: speechWalk,
  sockets: { tested: testedSockets, walk: speechSocketWalk },
  withoutPrism: ['transcribe'],
})
