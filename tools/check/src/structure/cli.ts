import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { root, workspaceFiles } from '../workspace.ts'
import { checkFiles, checkServices, type Violation } from './rules.ts'
import { readSource } from './source-file.ts'

const foldersWith = (path: string, ...marks: readonly string[]) =>
  readdirSync(join(root, path)).filter((name) =>
    marks.some((mark) => existsSync(join(root, path, name, mark))),
  )

const files = workspaceFiles('packages/**/*.ts', 'tools/**/*.ts', 'examples/**/*.ts').map((path) =>
  readSource(root, path),
)
const violations: Violation[] = [
  ...checkFiles(files),
  ...checkServices(
    foldersWith('specs', 'openapi.yaml', 'asyncapi.yaml'),
    foldersWith('packages', 'package.json'),
    foldersWith('packages', 'vitest.service.config.ts'),
  ),
]

const lock = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
if (lock.includes('://'))
  violations.push({
    path: 'pnpm-lock.yaml',
    message: 'contains a download URL; install again without a custom registry',
  })

for (const { path, line, message } of violations)
  console.error(`${path}${line ? `:${line}` : ''}: ${message}`)
console.log(`structure: ${files.length} files checked, ${violations.length} violations`)
process.exit(violations.length === 0 ? 0 : 1)
