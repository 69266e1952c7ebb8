import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

import { root } from '../workspace.ts'

/** The maximum number of files that Node may read to import a client. Each takes about half a millisecond. */
const MAX_FILES = 10

/**
 * Imports a client and makes its first call. Prints how many files the import reads, which files are read later, and
 * which of Node's own modules are loaded.
 */
const PROGRAM = `
const { registerHooks } = process.getBuiltinModule('node:module')
const { createServer } = process.getBuiltinModule('node:http')
const files = []
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) files.push(url)
    return next(url, context)
  },
})
const { Extraction } = await import('@concord/extraction')
const { length } = files
const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const extraction = new Extraction({ baseUrl: 'http://127.0.0.1:' + server.address().port, apiKey: 'key' })
const call = extraction.api.getJob({ path: { job_id: '7d4c1f0e-9f6b-4c56-8a35-1f5f0f1c2b3a' } })
await call.catch((error) => { if (error.code !== 'contract-drift') throw error })
await import('@concord/storage-auth/node')
const later = files.slice(length).map((url) => url.replace(/.*\\//, ''))
console.log(JSON.stringify({ files: length, later, modules: process.moduleLoadList }))
process.exit()
`

/**
 * Checks that a program in Node starts fast. Loading Node's own copy of undici takes longer than loading everything
 * else, so the program must not load this copy. `PROGRAM` doesn't get `node:http` with `import`, because that would
 * evaluate the module's export `WebSocket`, which loads the copy.
 */
export function startProblems(): readonly string[] {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd: join(root, 'examples'),
    encoding: 'utf8',
  })
  if (status !== 0) return [`the first call of a program failed: ${stderr}`]
  const { files, later, modules } = JSON.parse(stdout) as Loaded
  const problems: string[] = []
  if (files > MAX_FILES)
    problems.push(`importing @concord/extraction reads ${files} files; the limit is ${MAX_FILES}`)
  if (!later.includes('undici-modules.js'))
    problems.push(
      "@concord/extraction must load undici's pools during its first call, not when it is imported",
    )
  if (modules.includes('NativeModule internal/deps/undici/undici'))
    problems.push(
      "a first call, or the import of @concord/storage-auth/node, loads Node's own copy of undici",
    )
  return problems
}

interface Loaded {
  readonly files: number
  readonly later: readonly string[]
  readonly modules: readonly string[]
}
