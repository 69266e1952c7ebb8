import { holdToContract } from '@concord/contract-kit'

import { extractionApi, extractionApiWithResponse } from '../src/gen/api.gen.ts'
import { tested } from './subject.ts'
import { extractionWalk } from './walk.ts'

await holdToContract({
  tested,
  apis: [extractionApi, extractionApiWithResponse],
  walk: extractionWalk,
  withoutPrism: ['processDocument'],
})
