// The test runner of Node.
import { describe, it } from 'node:test'

import { describeContract } from '@concord/contract'

import mocked from '../shared/mocked.cjs'

describeContract({ describe, it, ...mocked })
