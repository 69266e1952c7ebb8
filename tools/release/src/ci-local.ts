// npm run ci:local
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'

import { usageError } from '../../check/src/usage-error.ts'

import { type LocalStep, stepsOf } from './workflow-steps.ts'
import { root } from './workspace-copy.ts'

const USAGE = `Usage: npm run ci:local -- [JOB ...] [--list] [--keep]

Runs the commands of .github/workflows in a fresh clone of the last commit, with the workflows' order, environment and Node versions. Steps that need the CI host are printed, but not run. Nothing is published.

  JOB      Run only these jobs. Write a job as workflow/job, such as checks/generated.
  --list   List the jobs and commands without running them.
  --keep   Keep the clone, and print its folder.

Exit codes: 0: all commands succeeded; 1: a command failed; 2: invalid usage.
`

interface Ran {
  readonly step: LocalStep
  readonly result: 'passed' | 'failed' | 'skipped' | 'only on the host'
  readonly seconds: number
}

const readWords = (words: readonly string[]) =>
  parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })

/** Runs the jobs of a repository's workflows and returns the exit code. */
export function main(words: readonly string[], repository: string, print: (line: string) => void): number {
  let values, positionals
  try {
    ;({ values, positionals } = readWords(words))
  } catch (error) {
    print(`ci:local: ${usageError(error)}\n\n${USAGE}`)
    return 2
  }
  if (values.help) {
    print(USAGE)
    return 0
  }
  const all = readSteps(repository)
  const jobs = [...new Set(all.map(({ job }) => job))]
  const unknown = positionals.find((name) => !jobs.includes(name))
  if (unknown !== undefined) {
    print(`ci:local: unknown job \`${unknown}\`. Valid names: ${jobs.join(', ')}.`)
    return 2
  }
  const chosen = all.filter(({ job }) => positionals.length === 0 || positionals.includes(job))
  if (values.list) {
    for (const step of chosen) print(titleOf(step))
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'concord-ci-'))
  try {
    const clone = join(folder, 'clone')
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', repository, clone])
    const ran = runAll(chosen, { clone, tools: join(folder, 'nodes'), print })
    print('')
    for (const { step, result, seconds } of ran)
      print(`${result.padEnd(16)} ${seconds.toFixed(1).padStart(7)} s  ${titleOf(step)}`)
    return ran.some(({ result }) => result === 'failed') ? 1 : 0
  } finally {
    if (values.keep) print(`Kept ${folder}`)
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

interface Place {
  readonly clone: string
  /** A folder for links to the Node versions. */
  readonly tools: string
  readonly print: (line: string) => void
}

function runAll(steps: readonly LocalStep[], { clone, tools, print }: Place): Ran[] {
  const failed = new Set<string>()
  const ran: Ran[] = []
  let current = ''
  for (const step of steps) {
    const run = `${step.job} ${step.node}`
    if (run !== current) execFileSync('git', ['reset', '--quiet', '--hard'], { cwd: clone })
    if (run !== current) execFileSync('git', ['clean', '--quiet', '-fd'], { cwd: clone })
    current = run
    if (step.words === undefined) {
      ran.push({ step, result: 'only on the host', seconds: 0 })
      continue
    }
    if (failed.has(run)) {
      ran.push({ step, result: 'skipped', seconds: 0 })
      continue
    }
    print(`\n> ${titleOf(step)}`)
    const started = performance.now()
    const [program = '', ...words] = step.words
    const env = { ...hostEnvironment(nodeFolder(step.node, tools)), ...step.env }
    const { status, error } = spawnSync(program, words, {
      cwd: clone,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    if (error) print(`${program} can't be started: ${error.message}`)
    const result = status === 0 ? 'passed' : 'failed'
    if (result === 'failed') failed.add(run)
    ran.push({ step, result, seconds: (performance.now() - started) / 1000 })
  }
  return ran
}

/** Returns an environment like a CI host's, without the variables that npm and other tools set for this process. */
function hostEnvironment(node: string | undefined): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|PNPM_|TURBO_|NODE_OPTIONS$|INIT_CWD$)/i.test(name),
  )
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
  return {
    ...Object.fromEntries(own),
    PATH: [...(node === undefined ? [] : [node]), ...path].join(delimiter),
    CI: 'true',
    GITHUB_ACTIONS: '',
  }
}

/**
 * Returns a folder whose `node` has the given version. Returns undefined if the workspace doesn't have this version.
 * The step then runs with this machine's Node.
 */
function nodeFolder(version: string, tools: string): string | undefined {
  const own = join(root, 'node_modules/node/bin/node')
  const binary = version === '26' ? own : join(root, `tools/nodes/node_modules/node-${version}/bin/node`)
  if (!existsSync(binary)) return undefined
  const folder = join(tools, version)
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true })
    symlinkSync(binary, join(folder, 'node'))
  }
  return folder
}

function readSteps(repository: string): LocalStep[] {
  const folder = join(repository, '.github/workflows')
  return readdirSync(folder)
    .sort()
    .flatMap((name) => stepsOf(name.replace(/\.ya?ml$/, ''), readFileSync(join(folder, name), 'utf8')))
}

const titleOf = ({ job, node, said }: LocalStep): string => `${job} (Node ${node}): ${said}`

if (import.meta.main)
  process.exitCode = main(process.argv.slice(2), root, (line) => void process.stdout.write(`${line}\n`))
