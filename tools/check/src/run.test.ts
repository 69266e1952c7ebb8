import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { root } from './workspace.ts'

const program = join(root, 'tools/run.mjs')

/** Runs a root script like npm, which puts the options in front of `--` into the environment. */
function npmRun(script: string, ...options: readonly string[]) {
  const kept = options.map((option) => [`npm_config_${option.replaceAll('-', '_')}`, 'true'])
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const [, ...words] = (scripts[script] ?? '').split(' ')
  const { status, stderr } = spawnSync(process.execPath, words, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, npm_lifecycle_event: script, ...Object.fromEntries(kept) },
  })
  return { status, stderr }
}

it.each([
  ['release', 'dry-run'],
  ['new-service', 'socket'],
  ['plan', 'base'],
  ['ci:local', 'list'],
])("npm run %s doesn't start if npm kept its option --%s", (script, option) => {
  expect(npmRun(script, option)).toEqual({
    status: 2,
    stderr: `concord: npm kept --${option} for itself. Put -- in front of the options: npm run ${script} -- --${option}\n`,
  })
})

/** npm has these options too. It handles `--help` and `--version` itself; people may turn on `json` for all commands. */
const NPM_OPTIONS = ['help', 'json', 'version']

it('knows all options of the scripts that their usage lists', () => {
  const source = readFileSync(program, 'utf8')
  for (const [script, usage] of [
    ['generate', 'packages/generate/src/command/options.ts'],
    ['new-service', 'tools/new-service/src/cli.ts'],
    ['change', 'tools/change/src/cli.ts'],
    ['plan', 'tools/release-plan/src/cli.ts'],
    ['consumers', 'tools/consumers/src/cli.ts'],
    ['ci-local', 'tools/release/src/ci-local.ts'],
    ['emulator', 'packages/emulator/src/cli-options.ts'],
  ] as const) {
    const [, list = ''] =
      new RegExp(`['"]?${script}['"]?: \\{\\s*options: \\[([^\\]]*)\\]`).exec(source) ?? []
    const known = [...list.matchAll(/'([\w-]+)'/g)].map(([, option]) => option)
    const text = readFileSync(join(root, usage), 'utf8')
    const listed = [...text.matchAll(/(?:^ {2}|\(')--([\w-]+)|^\s+'--([\w-]+)/gm)].map(
      ([, one, other]) => one ?? other,
    )
    expect(listed.filter((option) => !NPM_OPTIONS.includes(option ?? '')).toSorted(), script).toEqual(
      known.toSorted(),
    )
  }
})

it.each([
  'packages/generate/src/cli.ts',
  'packages/generate/src/corpus/conformance.ts',
  'packages/generate/src/corpus/corpus.ts',
  'tools/bench/src/main.ts',
  'tools/change/src/cli.ts',
  'tools/consumers/src/cli.ts',
  'tools/corpus/src/compare.ts',
  'tools/database/src/versions.ts',
  'tools/mutants/src/main.ts',
  'tools/new-service/src/cli.ts',
  'tools/prose/src/cli.ts',
  'tools/release-plan/src/cli.ts',
  'tools/release/src/ci-local.ts',
  'tools/release/src/cli.ts',
])('%s names an unknown option, and does nothing', (file) => {
  const words = ['--conditions=@concord/source', file, '--wrong']
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  expect(stdout + stderr).toContain('--wrong')
  expect(stdout + stderr).not.toMatch(/^ +at /m)
  expect(status).toBe(2)
})
