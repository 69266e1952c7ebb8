// @vitest-environment node
import { describeContract } from '@concord/contract'
import { describe, it } from 'vitest'

import mocked from '../shared/mocked.cjs'

describeContract({ describe, it, ...mocked })
