import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { generateLists, generateService } from './generate.ts'
import { GenerationError } from './problems.ts'
import { type Service, services } from './services.ts'
import { type Change, compare, write } from './write.ts'

const usage = `Usage: generate [--service NAME] [--out DIR] [--check]

Generates packages/*/src/gen from the contracts in specs/.

  --service NAME  only this service; may be repeated
  --out DIR       write under this folder instead of the repository
  --check         write nothing; exit with 1 when a committed file differs from what would be generated
`

const repository = fileURLToPath(new URL('../../../', import.meta.url))

/** Where contracts are read, and for which services. */
export interface Workshop {
  readonly root: string
  readonly services: readonly Service[]
}

/** Runs the command. Returns the exit code: 0 done, 1 files differ, 2 it could not be done. */
export async function run(
  words: readonly string[],
  print: (line: string) => void,
  workshop: Workshop = { root: repository, services },
): Promise<number> {
  let options
  try {
    options = parseArgs({
      args: [...words],
      options: {
        service: { type: 'string', multiple: true },
        out: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    print(`generate: ${(error as Error).message}\n\n${usage}`)
    return 2
  }
  if (options.help) {
    print(usage)
    return 0
  }
  const chosen = choose(options.service, workshop.services)
  if (typeof chosen === 'string') {
    print(`generate: ${chosen}\n\n${usage}`)
    return 2
  }
  const out = options.out === undefined ? workshop.root : resolve(options.out)
  try {
    return await generate(workshop, chosen, { out, check: options.check }, print)
  } catch (error) {
    print(
      `generate: ${error instanceof GenerationError ? error.message : String((error as Error).stack ?? error)}`,
    )
    print('generate: nothing was written.')
    return 2
  }
}

async function generate(
  { root, services: all }: Workshop,
  chosen: readonly Service[],
  { out, check }: { readonly out: string; readonly check: boolean },
  print: (line: string) => void,
): Promise<number> {
  const started = performance.now()
  const files = new Map<string, string>()
  for (const service of chosen) {
    for (const [file, text] of await generateService(service, root)) files.set(file, text)
  }
  for (const [file, text] of generateLists(all, root)) files.set(file, text)
  const folders = chosen.flatMap(({ validators, client }) => [validators.folder, client.folder])
  const changes = compare(files, out, folders)
  if (!check) write(changes, out)
  for (const change of changes) print(describe(change, check))
  print(
    `generate: ${summary(changes.length, files.size, chosen, check)} (${((performance.now() - started) / 1000).toFixed(1)} s).`,
  )
  return check && changes.length > 0 ? 1 : 0
}

function summary(changed: number, total: number, chosen: readonly Service[], check: boolean): string {
  const names = chosen.map(({ name }) => name).join(', ')
  if (changed === 0) return `${total} files of ${names} are up to date`
  if (check) return `${changed} of ${total} files differ; run \`npm run generate\` and commit the result`
  return `${changed} of ${total} files of ${names} written`
}

function describe({ file, kind, added, removed }: Change, check: boolean): string {
  const words = {
    new: check ? 'missing' : 'new',
    changed: check ? 'differs' : 'changed',
    stale: check ? 'stale' : 'removed',
  }
  return `${words[kind].padEnd(8)} ${file} (+${added} -${removed} lines)`
}

function choose(
  names: readonly string[] | undefined,
  known: readonly Service[],
): readonly Service[] | string {
  if (names === undefined) return known
  const unknown = names.find((name) => !known.some((service) => service.name === name))
  if (unknown === undefined) return known.filter(({ name }) => names.includes(name))
  return `there is no service ${JSON.stringify(unknown)}; there are: ${known.map(({ name }) => name).join(', ')}`
}

if (import.meta.main) process.exitCode = await run(process.argv.slice(2), (line) => console.log(line))
