import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'

import { expect, it } from 'vitest'

const file = join(import.meta.dirname, '..', '..', '..', 'tools', 'database', 'src', 'embedded-postgres.ts')

it('the test database does not change the exit code of a failed run', () => {
  const program = `
    const { loadEmbeddedPostgres } = await import(${JSON.stringify(pathToFileURL(file).href)})
    await loadEmbeddedPostgres()
    process.exitCode = 3`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
})
