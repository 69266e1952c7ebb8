// Packs every published package, installs the tarballs into an empty npm project outside the workspace, and
// type-checks and runs a consumer there on every supported Node version, as ESM and through `require`.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { root } from '../workspace.ts'
import { packAll } from './pack.ts'
import { missingSources } from './source-maps.ts'

const nodes = {
  'Node 22': join(root, 'tools/nodes/node_modules/node-22/bin/node'),
  'Node 24': join(root, 'tools/nodes/node_modules/node-24/bin/node'),
  'Node 26': join(root, 'node_modules/node/bin/node'),
}
/** Packages that a consumer installs as well: the validators' peer, and the types of Node. */
const besides = ['zod', '@types/node'] as const

const versionOf = (name: string): string => {
  const from = name === 'zod' ? 'packages/extraction-validators' : '.'
  return (
    JSON.parse(readFileSync(join(root, from, 'node_modules', name, 'package.json'), 'utf8')) as {
      version: string
    }
  ).version
}

const folder = mkdtempSync(join(tmpdir(), 'concord-consumer-'))
let failures = 0
function report(what: string, ok: boolean, output = ''): void {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${what}`)
  if (ok) return
  failures += 1
  console.error(output)
}

try {
  const packed = packAll(join(folder, 'tarballs'))
  const project = join(folder, 'project')
  cpSync(join(root, 'tools/check/consumer'), project, { recursive: true })
  const dependencies = Object.fromEntries([
    ...packed.map(({ name, tarball }) => [name, `file:${tarball}`] as const),
    ...besides.map((name) => [name, versionOf(name)] as const),
  ])
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module', dependencies }, null, 2),
  )
  execFileSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--loglevel=error'],
    { cwd: project, stdio: ['ignore', 2, 2] },
  )
  report('packed tarballs install into an empty npm project', true)

  const compiled = spawnSync('tsc', ['-p', project, '--pretty', 'false'], { encoding: 'utf8' })
  report(
    'a consumer type-checks, strictly and with the libraries checked too',
    compiled.status === 0,
    compiled.stdout,
  )

  for (const { name } of packed.filter(({ name }) => name !== '@concord/specs')) {
    const missing = missingSources(join(project, 'node_modules', name))
    report(`${name} has its sources, for debuggers and editors`, missing.length === 0, missing.join('\n'))
  }

  for (const [name, node] of Object.entries(nodes)) {
    for (const file of ['run.mjs', 'run.cjs']) {
      const ran = spawnSync(node, [file], { cwd: project, encoding: 'utf8', timeout: 60_000 })
      report(
        `${file} on ${name}`,
        ran.status === 0 && ran.stdout.includes('all good'),
        `${ran.stdout}\n${ran.stderr}\n${ran.error ?? ''}`,
      )
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`packed: ${failures} failures`)
process.exit(failures === 0 ? 0 : 1)
