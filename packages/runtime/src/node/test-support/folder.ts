import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

/** Creates a folder that is removed when the test has finished. */
export async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'concord-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}
