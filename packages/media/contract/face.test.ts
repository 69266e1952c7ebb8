import { testApi } from '@concord/contract-kit'

import { mediaApi, mediaApiWithResponse } from '../src/gen/api.gen.ts'
import { generated } from './subject.ts'

testApi(generated, mediaApi, mediaApiWithResponse)
