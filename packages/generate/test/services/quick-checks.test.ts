import { join } from 'node:path'

import { services } from '../support/chosen.ts'
import { committedFiles } from '../support/committed.ts'
import { testQuickChecks } from '../support/test-quick-checks.ts'

for (const service of services)
  testQuickChecks(service.name, service, join(import.meta.dirname, '../../../..'), () =>
    committedFiles(service),
  )
