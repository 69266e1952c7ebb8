import { mergeConfig } from 'vitest/config'

import { base } from '../../tools/check/vitest.base.ts'

// `full-disk.test.ts` mounts a small disk, so it must run as root on Linux. `npm run postgres` includes this test.
const fillsDisk = process.env['CONCORD_FILL_DISK'] !== undefined

export default mergeConfig(base, {
  test: {
    globalSetup: 'test/support/database-server.ts',
    exclude: fillsDisk ? [] : ['test/full-disk.test.ts'],
  },
})
