// A client in a project that has zod 3.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

import { Extraction } from '@concord/extraction'

assert.match(createRequire(import.meta.url)('zod/package.json').version, /^3\./)
assert.throws(() => new Extraction({}), /baseUrl/)
console.log('all good')
