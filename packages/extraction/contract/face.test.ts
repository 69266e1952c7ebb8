import { testApi } from '@concord/contract-kit'

import { extractionApi, extractionApiWithResponse } from '../src/gen/api.gen.ts'
import { generated } from './subject.ts'

testApi(generated, extractionApi, extractionApiWithResponse)
