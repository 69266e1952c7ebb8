import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Generated, Problem } from '@concord/generate'

import { command } from './command.ts'
import { committedText, compareNames, namesOf } from './contract-diff.ts'
import { type Due, remember } from './due.ts'
import { Steps, type StepEnd, type StepResult } from './steps.ts'
import { addedMessages, type Message, messagesOf, messageStub, messageToDo } from './messages.ts'
import { type Edit, statusStub, stubsFor, writeEdits } from './stubs.ts'
import { type ToDo, toDoList } from './to-do.ts'
import { type Service, contractFiles, packagesOf } from './tree.ts'

/** The result of a run: plain data that `--json` prints. */
export interface ChangeReport {
  readonly services: readonly { readonly name: string; readonly why: string }[]
  readonly steps: readonly StepEnd[]
  /** The reasons why no code can be generated from the contracts. */
  readonly problems: readonly Problem[]
  /** Paths of written files, relative to the root. */
  readonly written: readonly string[]
  readonly toDo: readonly ToDo[]
  /** Whether every step passed, and `toDo` contains nothing required. */
  readonly ok: boolean
}

interface RunContext {
  readonly root: string
  readonly signal: AbortSignal
  readonly print: (line: string) => void
  readonly begin: (name: string) => void
}

const STEPS = ['contract', 'lint', 'generate', 'plan', 'typecheck', 'tests', 'surface']

export async function runChange(due: readonly Due[], context: RunContext): Promise<ChangeReport> {
  const services = due.map(({ service }) => service)
  const steps = new Steps(context.print, context.begin, context.signal)
  const run = new ChangeRun(services, context)
  // If this run is stopped, the next run checks the same services again.
  remember(context.root, services, false)
  const isGenerated =
    (await steps.run('contract', () => run.read())) &&
    (await steps.run('lint', () => run.lint())) &&
    (await steps.run('generate', () => run.generate()))
  if (isGenerated) {
    await steps.run('plan', () => run.plan())
    if (await steps.run('typecheck', () => run.typecheck())) {
      await steps.run('tests', () => run.test())
      await steps.run('surface', () => run.surface())
    } else steps.skip(['tests', 'surface'], 'the packages have type errors')
  } else steps.skip(STEPS.slice(steps.ends.length), 'nothing was generated')
  const toDo = isGenerated ? run.toDo() : []
  const ok = steps.ok && toDo.every(({ isRequired }) => !isRequired)
  remember(context.root, services, ok)
  return {
    services: due.map(({ service, why }) => ({ name: service.name, why })),
    steps: steps.ends,
    problems: run.problems,
    written: run.written,
    toDo,
    ok,
  }
}

class ChangeRun {
  problems: readonly Problem[] = []
  readonly written: string[] = []
  readonly #services: readonly Service[]
  readonly #context: RunContext
  #generated: Generated | undefined
  readonly #drafts: ToDo[] = []

  constructor(services: readonly Service[], context: RunContext) {
    this.#services = services
    this.#context = context
  }

  /** Generates all code in memory, so that no file is written if a contract has problems. */
  async read(): Promise<StepResult> {
    const { GenerationError, generate } = await import('@concord/generate')
    try {
      this.#generated = await generate({ services: this.#services }, this.#context.root)
    } catch (error) {
      if (!(error instanceof GenerationError)) throw error
      this.problems = error.problems
      return { ok: false, summary: counted(error.problems.length, 'problem'), details: error.message }
    }
    return { ok: true, summary: this.#services.flatMap(contractFiles).join(', ') }
  }

  async lint(): Promise<StepResult> {
    const folder = join(this.#context.root, 'specs')
    const files = this.#services.flatMap(contractFiles).map((file) => file.slice('specs/'.length))
    const tool = (name: string) => join(folder, 'node_modules/.bin', name)
    const ends = await Promise.all([
      this.#command([tool('redocly'), 'lint', ...files], folder),
      this.#command(
        [tool('spectral'), 'lint', '--ruleset', '.spectral.yaml', '--fail-severity', 'warn', ...files],
        folder,
      ),
    ])
    const failed = ends.filter(({ ok }) => !ok)
    return {
      ok: failed.length === 0,
      summary: failed.length === 0 ? 'redocly and spectral found no problems' : 'see below',
      details: failed.map(({ output }) => output).join('\n'),
    }
  }

  async generate(): Promise<StepResult> {
    const { CONTRACT_LIST, contractList } = await import('../../generate/src/contract-list.ts')
    const { root } = this.#context
    const changes = this.#generated?.changes ?? []
    this.#generated?.write()
    this.written.push(...changes.map(({ file }) => file))
    const list = contractList(root)
    if (readFileSync(join(root, CONTRACT_LIST), 'utf8') !== list) {
      writeFileSync(join(root, CONTRACT_LIST), list)
      this.written.push(CONTRACT_LIST)
    }
    const stubs = this.#services.flatMap((service) => this.#stubs(service))
    return {
      ok: true,
      summary: `${counted(changes.length, 'file')} written${stubs.length > 0 ? `; stubs in ${stubs.join(', ')}` : ''}`,
    }
  }

  /**
   * Writes stubs for the operations, statuses and messages that aren't in the last commit. Writes each stub before
   * creating the next one, because several stubs can edit the same file (such as `walk.ts`).
   */
  #stubs(service: Service): string[] {
    const { root } = this.#context
    const { changes } = this.#names(service)
    const write = (edits: readonly Edit[]): string[] => {
      writeEdits(root, edits)
      const files = edits.map(({ file }) => file)
      this.written.push(...files)
      return files
    }
    const ofMessages = this.#messages(service).flatMap((message) =>
      write(messageStub(root, service.name, message)),
    )
    return [
      ...changes.added.flatMap((operation) => write(stubsFor(root, service.name, operation))),
      ...changes.addedStatuses.flatMap((operation) => write(statusStub(root, service.name, operation))),
      ...ofMessages,
    ]
  }

  /** Returns the messages that aren't in the last commit. */
  #messages({ asyncapi }: Service): readonly Message[] {
    const { root } = this.#context
    if (asyncapi === undefined || !existsSync(join(root, asyncapi))) return []
    const committed = committedText(root, asyncapi)
    // A new service needs no stubs: `npm run new-service` has already written the steps for its messages.
    if (committed === undefined) return []
    return addedMessages(messagesOf(committed), messagesOf(readFileSync(join(root, asyncapi), 'utf8')))
  }

  async typecheck(): Promise<StepResult> {
    const filters = this.#services
      .map(packagesOf)
      .flatMap(({ client, validators }) => [`--filter=...${validators}`, `--filter=...${client}`])
    return this.#turbo(
      ['typecheck', ...filters, '--filter=@concord/emulator'],
      'the packages and their dependents',
    )
  }

  /** Runs the tests of the services' packages. The task `test:service` runs the services' tests in other folders. */
  async test(): Promise<StepResult> {
    const filters = this.#services
      .map(packagesOf)
      .flatMap(({ client, validators }) => [`--filter=${validators}`, `--filter=${client}`])
    return this.#turbo(
      ['test', 'test:service', ...filters, '--continue'],
      `packages of ${this.#services.map(({ name }) => name).join(', ')}`,
    )
  }

  async surface(): Promise<StepResult> {
    const { root } = this.#context
    const names = this.#services.flatMap(({ name }) => [name, `${name}-validators`])
    // The emulator exports the types of each service, so a new service also changes the emulator's public surface.
    const isNew = this.#services.some(({ openapi }) => committedText(root, openapi) === undefined)
    if (isNew) names.push('emulator')
    const built = await this.#turbo(['build', ...names.map((name) => `--filter=@concord/${name}`)], '')
    if (!built.ok) return built
    const { ok, output } = await this.#command(
      ['node', 'tools/check/src/published/surface-cli.ts', ...names],
      root,
    )
    const changed = [...output.matchAll(/^changed\s+(\S+) (.*)$/gm)]
    this.written.push(...changed.map(([, file = '']) => file))
    return {
      ok,
      summary: changed.map(([, file, lines]) => `${file} ${lines}`).join(', ') || 'docs/api is up to date',
      details: output,
    }
  }

  /** Plans a release, and drafts changesets. Before the first release, the plan covers only uncommitted changes. */
  async plan(): Promise<StepResult> {
    const { draftChangesets, planRelease, writeDrafts } = await import('@concord/release-plan')
    const { root } = this.#context
    const released = await planRelease({ tree: root })
    const plan = released.base.kind === 'none' ? await planRelease({ tree: root, base: 'HEAD' }) : released
    const names = this.#services.map(({ name }) => name)
    const own = { ...plan, services: plan.services.filter(({ name }) => names.includes(name)) }
    const drafts = draftChangesets(own, root)
    writeDrafts(drafts, root)
    for (const { file, status } of drafts) {
      if (status === 'new' || status === 'refreshed') this.written.push(file)
      if (status === 'new')
        this.#drafts.push({
          file,
          what: 'in the first sentence, say what users need to know',
          isRequired: false,
        })
    }
    const bumps = plan.packages
      .filter(({ services }) => services.some((name) => names.includes(name)))
      .map(({ name, bump }) => `${name} ${bump}`)
    return { ok: true, summary: bumps.length === 0 ? 'no release is needed' : bumps.join(', ') }
  }

  toDo(): readonly ToDo[] {
    const left = this.#services.flatMap((service) => {
      const { after, changes } = this.#names(service)
      const { root } = this.#context
      return [
        ...toDoList(root, service, after, changes),
        ...messageToDo(root, service.name, this.#messages(service)),
      ]
    })
    return [...left, ...this.#drafts].toSorted(
      (one, other) => Number(other.isRequired) - Number(one.isRequired),
    )
  }

  #names({ openapi }: Service) {
    const { root } = this.#context
    const after = namesOf(readFileSync(join(root, openapi), 'utf8'))
    const committed = committedText(root, openapi)
    const before = committed === undefined ? after : namesOf(committed)
    return { after, changes: compareNames(before, after) }
  }

  async #turbo(words: readonly string[], about: string): Promise<StepResult> {
    const { ok, output } = await this.#command(
      ['turbo', 'run', ...words, '--output-logs=errors-only', '--log-order=grouped', '--concurrency=2'],
      this.#context.root,
    )
    const [, cached = '0', total = '0'] = /Cached:\s+(\d+) cached, (\d+) total/.exec(output) ?? []
    const summary = `${about}${about === '' ? '' : ': '}${counted(Number(total), 'task')}, ${cached} from the cache`
    // Stack trace lines in `node_modules` say nothing about the contract.
    const details = output.replaceAll(/^.*\s+at .*node_modules.*\n/gm, '')
    return { ok, summary: ok ? summary : 'see below', details }
  }

  #command(words: readonly string[], cwd: string) {
    return command(words, cwd, this.#context.signal)
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
