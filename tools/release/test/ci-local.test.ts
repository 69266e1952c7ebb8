import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, expect, it } from 'vitest'

import { main } from '../src/ci-local.ts'
import { root } from '../src/workspace-copy.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Creates a repository with a workflow, whose scripts write what they see into a file outside of it. */
function repository(workflow: string, scripts: (seen: string) => Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'concord-ci-test-'))
  folders.push(folder)
  const own = join(folder, 'repository')
  const seen = join(folder, 'seen.txt')
  mkdirSync(join(own, '.github/workflows'), { recursive: true })
  writeFileSync(join(own, '.github/workflows/checks.yml'), workflow)
  writeFileSync(join(own, 'package.json'), JSON.stringify({ private: true, scripts: scripts(seen) }))
  writeFileSync(seen, '')
  // Not `node --eval`, which takes the arguments that npm adds for its own.
  writeFileSync(
    join(own, 'note.cjs'),
    `require('node:fs').appendFileSync('${seen}', process.argv.slice(2).join(' ') + '\\n')`,
  )
  const git = (...words: string[]) => execFileSync('git', words, { cwd: own })
  git('init', '--quiet')
  git('add', '--all')
  const author = ['-c', 'user.name=Concord', '-c', 'user.email=ci@concord.invalid']
  git(...author, '-c', 'commit.gpgsign=false', 'commit', '--quiet', '--message=Start')
  // Only what is committed is in the clone.
  writeFileSync(join(own, 'left.txt'), '')
  const lines: string[] = []
  const run = (...words: string[]) => main(words, own, (line) => lines.push(line))
  return { run, lines, seen: () => readFileSync(seen, 'utf8').trim().split('\n') }
}

const node = (code: string): string => `node -e ${JSON.stringify(code)}`
const append = (file: string, value: string): string =>
  node(`require('node:fs').appendFileSync('${file}', ${value} + '\\n')`)

it("lists the commands of this repository's workflows, and marks those that need the CI host", () => {
  const lines: string[] = []
  expect(main(['--list'], root, (line) => lines.push(line))).toBe(0)
  expect(lines).toEqual([
    'checks/test (Node 22): npm test',
    'checks/test (Node 24): npm test',
    'checks/test (Node 26): npm test',
    'checks/generated (Node 26): npm run generate -- --check',
    'checks/release (Node 26): npm run release -- --dry-run',
    'release-plan/plan (Node 26): npm run plan -- --format markdown --out release-plan.md',
    'release-plan/plan (Node 26): npm run plan -- --format sarif --out release-plan.sarif',
    expect.stringContaining('gh pr comment'),
    expect.stringContaining('github/codeql-action/upload-sarif'),
    'release-plan/plan (Node 26): npm run plan -- --check',
    'release/version (Node 26): npm run generate -- --check',
    'release/version (Node 26): npm run release:version',
    'release/publish (Node 26): npm test',
    'release/publish (Node 26): npm run release',
  ])
})

it('runs each job in the files of the commit, with its Node and its environment, and publishes nothing', () => {
  const { run, seen, lines } = repository(
    `
jobs:
  look:
    strategy: { matrix: { node: [24, 26] } }
    steps:
      - uses: actions/checkout@0
      - run: npm run look
        env: { GREETING: hello, TOKEN: '\${{ secrets.TOKEN }}' }
      - run: gh pr comment 1
  publish:
    steps:
      - uses: actions/setup-node@0
        with: { node-version: 26 }
      - uses: changesets/action/publish@0
        with: { script: npm run release }
`,
    (file) => ({
      look: `${append(file, "[process.version.split('.')[0], process.env.GREETING, process.env.TOKEN, process.env.CI, require('node:fs').readdirSync('.').filter((name) => name !== '.git').join()].join(' ')")} && node -e "require('node:fs').writeFileSync('made.txt', '')"`,
      release: 'node note.cjs release',
    }),
  )
  expect(run()).toBe(0)
  expect(seen()).toEqual([
    'v24 hello  true .github,note.cjs,package.json',
    'v26 hello  true .github,note.cjs,package.json',
    'release --dry-run',
  ])
  expect(lines.filter((line) => line.startsWith('only on the host'))).toHaveLength(2)
})

it('ends a job after a failed command, runs the next job, and exits with 1', () => {
  const { run, seen, lines } = repository(
    `
jobs:
  first: { steps: [{ run: npm run fail }, { run: npm run note }] }
  second: { steps: [{ run: npm run note }] }
`,
    () => ({ fail: node('process.exit(3)'), note: 'node note.cjs noted' }),
  )
  expect(run()).toBe(1)
  expect(seen()).toEqual(['noted'])
  expect(lines.slice(-3).map((line) => line.split(' ')[0])).toEqual(['failed', 'skipped', 'passed'])
  expect(run('checks/third')).toBe(2)
  expect(lines.at(-1)).toBe('ci:local: unknown job `checks/third`. Valid names: checks/first, checks/second.')
})
