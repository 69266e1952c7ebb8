// Code for zod 3 beside the validators, which need zod 4.
import assert from 'node:assert/strict'

import { job } from '@concord/extraction-validators'
import * as z3 from 'zod/v3'

assert.equal(z3.object({ id: z3.string() }).safeParse({ id: 7 }).success, false)
assert.equal(job.safeParse({ id: '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a', status: 'queued' }).success, true)
console.log('all good')
