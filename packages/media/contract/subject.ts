import type { GeneratedCode, TestedPackage } from '@concord/contract-kit'
import * as validators from '@concord/media-validators'

import * as checks from '../src/gen/checks.gen.ts'
import * as operations from '../src/gen/operations.gen.ts'
import { Media } from '../src/index.ts'

/** The client of this package. */
export const tested: TestedPackage = {
  service: 'media',
  generated: {
    operations: operations as unknown as GeneratedCode['operations'],
    validators,
    checks,
  },
  connect: ({ baseUrl, credentials: { apiSecret } }, options) =>
    new Media({ ...options, baseUrl, ...(apiSecret === undefined ? {} : { apiSecret }) }),
}
