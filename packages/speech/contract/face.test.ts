import { testFaces } from '@concord/contract-kit'

import { speechApi, speechApiWithResponse } from '../src/gen/api.gen.ts'
import { generated } from './subject.ts'

testFaces(generated, speechApi, speechApiWithResponse)
