import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { type Inputs, digestOf, isAddress } from './inputs.ts'
import type { Departure, Fidelity } from './problems.ts'
import { type Service, contractsOf, foldersOf } from './services.ts'
import { generatedIn, readIfThere } from './write.ts'

/** Facts about the contracts of a service, stored so that unchanged contracts needn't be parsed again. */
export interface Findings {
  readonly title: string
  readonly operations: number
  readonly channels: number
  readonly fidelity: Fidelity
  readonly departures: readonly Departure[]
}

/** The inputs and results of the last run for a service. */
interface Memory {
  /** The digest of the generator and of the options. */
  readonly key: string
  readonly inputs: readonly (readonly [input: string, digest: string | null])[]
  readonly outputs: readonly (readonly [file: string, digest: string])[]
  readonly findings: Findings
}

/**
 * Returns the result of the last run for a service, if the generator, the options, all inputs and all written files
 * are unchanged.
 */
export async function remembered(
  service: Service,
  root: string,
  inputs: Inputs,
): Promise<(Findings & { readonly files: readonly string[] }) | undefined> {
  const file = memoryFile(service, root)
  const text = file === undefined ? undefined : readIfThere(file)
  if (text === undefined) return undefined
  try {
    const memory = JSON.parse(text) as Memory
    if (memory.key !== keyOf(service)) return undefined
    for (const [path, digest] of memory.outputs) {
      const written = readIfThere(join(root, path))
      if (written === undefined || digestOf(written) !== digest) return undefined
    }
    const files = new Set(memory.outputs.map(([path]) => path))
    if (foldersOf(service).some((folder) => generatedIn(root, folder).some((path) => !files.has(path))))
      return undefined
    const named = new Map<string, string>(
      [...contractsOf(service), ...(service.overlays ?? [])].map((input) => [keyOfInput(input), input]),
    )
    for (const [key, digest] of memory.inputs) {
      const input = named.get(key) ?? key
      if (files.has(input)) continue
      const text = await (named.has(key) ? inputs.text(input) : inputs.referredText(input))
      if (digestOf(text) !== digest) return undefined
    }
    return { ...memory.findings, files: [...files] }
  } catch {
    // If the stored result or an input can't be read, the service is generated as if for the first time.
    return undefined
  }
}

/** Stores the result of a run, whose files must already be written. */
export function remember(
  service: Service,
  root: string,
  run: { readonly inputs: Inputs; readonly files: ReadonlyMap<string, string>; readonly findings: Findings },
): void {
  const file = memoryFile(service, root)
  if (file === undefined) return
  const memory: Memory = {
    key: keyOf(service),
    inputs: run.inputs.digests.map(([input, digest]) => [keyOfInput(input), digest]),
    outputs: [...run.files].map(([path, text]) => [path, digestOf(text)]),
    findings: run.findings,
  }
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.${process.pid}.tmp`, JSON.stringify(memory))
    renameSync(`${file}.${process.pid}.tmp`, file)
  } catch {
    // If the result can't be stored, the next run is only slower.
  }
}

/** A URL with a query is hashed, because queries may contain credentials. */
function keyOfInput(input: string): string {
  return isAddress(input) && input.includes('?') ? `sha256:${digestOf(input)}` : input
}

/** Stored results are in `node_modules/.cache`, where tools keep files that may be deleted at any time. */
function memoryFile(service: Service, root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules')
    if (existsSync(modules)) {
      const name = createHash('sha256').update(`${root}\0${service.name}`).digest('hex').slice(0, 16)
      return join(modules, '.cache/concord-generate', `${service.name}-${name}.json`)
    }
    if (folder === dirname(folder)) return undefined
  }
}

function keyOf(service: Service): string {
  const { minFidelity: _, ...options } = service
  return digestOf(`${generatorDigest()}\0${JSON.stringify(options)}`)
}

let generator: string | undefined

/** Includes package.json, because it contains the versions of the dependencies. */
function generatorDigest(): string {
  if (generator !== undefined) return generator
  const hash = createHash('sha256')
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(?:[jt]s|json)$/.test(name) && !name.endsWith('.test.ts'),
  )
  for (const name of files.sort())
    hash
      .update(name)
      .update('\0')
      .update(readFileSync(join(import.meta.dirname, name)))
  hash.update(readFileSync(new URL('../package.json', import.meta.url)))
  generator = hash.digest('hex')
  return generator
}
