import { testApi } from '@concord/contract-kit'

import { storageAuthApi, storageAuthApiWithResponse } from '../src/gen/api.gen.ts'
import { generated } from './subject.ts'

testApi(generated, storageAuthApi, storageAuthApiWithResponse)
