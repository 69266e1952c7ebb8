import { testFaces } from '@concord/contract-kit'

import { storageAuthApi, storageAuthApiWithResponse } from '../src/gen/api.gen.ts'
import { generated } from './subject.ts'

testFaces(generated, storageAuthApi, storageAuthApiWithResponse)
