import { spawnSync } from 'node:child_process'

import { root } from './workspace.ts'

/** The formatter and the linter always check all files: they are fast enough without a cache. */
const checks = [
  ['oxfmt', '--check'],
  ['oxlint', '--deny-warnings'],
] as const

let failed = false
for (const [program, ...words] of checks) {
  const done = spawnSync(program, words, { cwd: root, stdio: 'inherit' })
  if (done.error) throw done.error
  if (done.status !== 0) failed = true
}
process.exit(failed ? 1 : 0)
