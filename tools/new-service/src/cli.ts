// Writes everything that a new service needs: `npm run new-service NAME`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { usageError } from '../../check/src/usage-error.ts'

import { type Plan, planService } from './plan.ts'
import { carryOut, CHANGED_LATER, howToUndo } from './write.ts'

const repository = join(import.meta.dirname, '../../..')
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const usage = `Usage: npm run new-service NAME [-- [--events] [--socket]]

Writes a contract, its client, validators and emulator, and their tests. The contract has two example operations.
NAME consists of lowercase letters and digits, with hyphens between words: weather-stations. See docs/new-service.md.

  --events  also add a webhook to the example, in an AsyncAPI document
  --socket  also add a WebSocket to the example: its channel in an AsyncAPI document, a method of the client, its
            behavior in the emulator, and its contract tests
`

/** Runs the command and returns the exit code: 0 success, 1 failure (everything was undone), 2 invalid usage. */
export function run(words: readonly string[], print: (line: string) => void, root = repository): number {
  let plan: Plan
  try {
    const { positionals, values } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        events: { type: 'boolean', default: false },
        socket: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    const [name, ...more] = positionals
    if (values.help || name === undefined) {
      print(usage)
      return values.help ? 0 : 2
    }
    if (more.length > 0)
      throw new Error(`Join the words of the service's name with hyphens: ${[name, ...more].join('-')}.`)
    plan = planService(root, name, { events: values.events, socket: values.socket })
  } catch (error) {
    print(`new-service: ${usageError(error)}\nNothing was written.`)
    return 2
  }
  const shared = [...plan.edited.keys(), ...CHANGED_LATER]
  const undo = howToUndo(root, shared)
  // Ctrl-C ends the program that a step runs. This process continues, and undoes everything.
  const goOn = () => {}
  for (const signal of SIGNALS) process.on(signal, goOn)
  try {
    carryOut(root, plan, () => complete(root, plan))
  } catch (error) {
    print(`new-service: ${(error as Error).message}\nEverything was undone.`)
    return 1
  } finally {
    for (const signal of SIGNALS) process.off(signal, goOn)
  }
  print(summary(plan, shared, undo))
  return 0
}

function complete(root: string, { names: { name }, created, edited }: Plan): void {
  step(root, 'pnpm', ['install', '--no-frozen-lockfile', '--prefer-offline', '--reporter=append-only'])
  const formatted = [...created.keys(), ...edited.keys()]
  step(root, 'oxfmt', formatted)
  step(root, 'node', ['--conditions=@concord/source', 'packages/generate/src/cli.ts', '--service', name])
  step(root, 'node', ['--conditions=@concord/source', 'tools/generate/src/contract-list-cli.ts'])
  // With WRITE_README, this test also fills in the tables of CHOICES.md.
  step(join(root, 'packages/emulator'), 'vitest', ['run', 'test/core/readme.test.ts'], { WRITE_README: '1' })
}

function step(folder: string, program: string, words: readonly string[], more: NodeJS.ProcessEnv = {}): void {
  const done = spawnSync(program, words, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...more } })
  if (done.error) throw done.error
  if (done.status !== 0)
    throw new Error(`${program} ${words.slice(0, 2).join(' ')} failed:\n${done.stdout}${done.stderr}`)
}

function summary({ names: { name, camel } }: Plan, shared: readonly string[], undo: string): string {
  const folders = [
    `specs/${name}`,
    `packages/${name}`,
    `packages/${name}-validators`,
    `packages/emulator/src/${name}`,
    `packages/emulator/test/${name}`,
    `tools/consumers/projects/node/services/${name}.ts`,
    `.changeset/contract-${name}.md`,
  ]
  return [
    `New: ${folders.join(', ')}.`,
    `Changed: ${shared.join(', ')}.`,
    '',
    `The contract has two example operations, which the client, the validators and the emulator (emulator.${camel}) support.`,
    'Next steps (see docs/new-service.md):',
    `  1. Describe your service in specs/${name}/openapi.yaml, then run: npm run generate`,
    `  2. Implement its operations in packages/emulator/src/${name}/handlers/${name}.ts`,
    `  3. In packages/${name}/contract/walk.ts, provoke each documented response`,
    `  4. cd packages/${name} && npm test`,
    '  5. npm run change: tests the service, and writes a changeset and the reports of the public surface',
    '',
    'To remove the new service before you commit:',
    `  ${undo}`,
    `  git clean -fdx ${folders.join(' ')}`,
  ].join('\n')
}

if (import.meta.main) process.exitCode = run(process.argv.slice(2), (line) => console.log(line))
