import { holdToContract } from '@concord/contract-kit'

import { storageAuthApi, storageAuthApiWithResponse } from '../src/gen/api.gen.ts'
import { tested } from './subject.ts'
import { storageAuthWalk } from './walk.ts'

await holdToContract({
  tested,
  apis: [storageAuthApi, storageAuthApiWithResponse],
  walk: storageAuthWalk,
})
