import { spawnSync } from 'node:child_process'

import { root } from './workspace.ts'

/** Format and lint of the whole tree: fast enough to need no cache of its own. */
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
