import { testApi } from '@concord/contract-kit'

import { speechApi, speechApiWithResponse } from '../src/gen/api.gen.ts'
import { generated } from './subject.ts'

testApi(generated, speechApi, speechApiWithResponse)
