// @vitest-environment node
import { describeContract } from '@concord/contract'
import { describe, it } from 'vitest'

describeContract({
  describe,
  it,
  spec: 'extraction',
  answers: [
    { operation: 'listBlueprints', status: 200, body: { blueprints: [] } },
    { operation: 'getJob', status: 404, name: 'no such job', body: { detail: 'Unknown.' } },
  ],
})
