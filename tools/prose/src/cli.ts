// Checks the English of Markdown files, TypeScript comments and strings, and contract descriptions.
// Usage: npm run prose -- [PATH ...]. Without PATH, checks all files of the workspace.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { lintProse } from './lint.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const named = process.argv.slice(2)
const paths = named.length > 0 ? named : ['.']
const { stdout } = spawnSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...paths],
  { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 },
)
const isProse = (path: string): boolean =>
  /\.(?:md|ts|yaml)$/.test(path) &&
  !/(?:^|\/)gen\/|\.gen\.ts$|^docs\/api\/|CHANGELOG\.md$|^pnpm-|^tools\/prose\/|^\.github\//.test(path) &&
  existsSync(join(root, path))

const files = stdout.split('\0').filter(isProse)
if (files.length === 0) {
  console.error(`prose: no file to check at ${paths.join(' ')}. Usage: npm run prose -- [PATH ...]`)
  process.exit(2)
}
let findings = 0
for (const path of files) {
  for (const { line, column, message } of await lintProse(path, readFileSync(join(root, path), 'utf8'))) {
    findings += 1
    console.error(`${path}:${line}:${column}: ${message}`)
  }
}
console.log(`prose: ${files.length} files checked, ${findings} findings`)
process.exit(findings === 0 ? 0 : 1)
