import { holdToContract } from '@concord/contract-kit'

import { mediaApi, mediaApiWithResponse } from '../src/gen/api.gen.ts'
import { tested } from './subject.ts'
import { mediaWalk } from './walk.ts'

await holdToContract({
  tested,
  apis: [mediaApi, mediaApiWithResponse],
  walk: mediaWalk,
})
