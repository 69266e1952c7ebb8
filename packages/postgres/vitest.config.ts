import { mergeConfig } from 'vitest/config'

import { base } from '../../tools/check/vitest.base.ts'

// Mounts a small disk, for which it must run as root on Linux. `npm run postgres` includes it.
const fillsDisk = process.env['CONCORD_FILL_DISK'] !== undefined

export default mergeConfig(base, {
  test: {
    globalSetup: 'test/support/database-server.ts',
    exclude: fillsDisk ? [] : ['test/full-disk.test.ts'],
  },
})
