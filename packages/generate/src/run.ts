import { resolve } from 'node:path'

import { type Findings, remember, remembered } from './cache.ts'
import { type CheckedConfig, ConfigError, checkConfig } from './config/check-config.ts'
import type { Config } from './config/config.ts'
import { Inputs, nameOf } from './inputs.ts'
import { useOwnCompiler } from './own-compiler.ts'
import { type Service, foldersOf } from './services.ts'
import { didYouMean } from './words/closest.ts'
import { type Change, compare, write } from './write.ts'

/** Options of one run. */
export interface RunOptions {
  /** The names of the services to generate for. Default: all of them. */
  readonly services?: readonly string[] | undefined
  /** The folder that the generated files are compared with and written to. Default: the root of the config. */
  readonly out?: string | undefined
  /** Uses strict mode for all services, whatever the config says. */
  readonly strict?: boolean | undefined
  /** Fetches http(s) URLs. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** Called with the path or the URL of each input before it is read. */
  readonly onInput?: ((input: string) => void) | undefined
}

/** The result for one service. */
export interface ServiceResult extends Findings {
  readonly name: string
  /**
   * The path or URL of the OpenAPI document, or of the AsyncAPI document if the service has only that one.
   * `place.file` in a departure has the same form.
   */
  readonly contract: string
  /** The paths of the generated files. */
  readonly files: readonly string[]
  /** A message for the user. Present only if the fidelity is below `minFidelity`. */
  readonly shortfall?: string
}

/** The result of a run. No generated file is written until {@link Generated.write} is called. */
export interface Generated {
  readonly services: readonly ServiceResult[]
  /** The differences between the generated files and the files on disk. */
  readonly changes: readonly Change[]
  /** Writes all changes. Each file is first written to a temporary file, then moved, so no file is incomplete. */
  write(): void
}

/**
 * Generates the files for the services in a config.
 *
 * @param config The default export of a `concord.config.ts`.
 * @param folder The folder that `config.root` is relative to.
 * @throws ConfigError if the config is wrong
 * @throws GenerationError with all problems of the first service that has problems
 * @example
 * ```ts
 * const generated = await generate({ services: [{ name: 'shop', openapi: 'openapi.yaml', output: 'src/gen' }] }, process.cwd())
 * generated.write()
 * ```
 */
export function generate(config: Config, folder: string, options: RunOptions = {}): Promise<Generated> {
  const { root, services } = checkConfig(config)
  return generateAll({ root: resolve(folder, root), services }, options)
}

export async function generateAll(config: CheckedConfig, options: RunOptions = {}): Promise<Generated> {
  const { root } = config
  const out = options.out ?? root
  const results: ServiceResult[] = []
  const files = new Map<string, string>()
  const folders: string[] = []
  const done: (() => void)[] = []
  for (const chosen of choose(config, options.services)) {
    const service = options.strict === true ? { ...chosen, strict: true } : chosen
    const inputs = new Inputs({
      root,
      ...(service.allowHosts && { allowHosts: service.allowHosts }),
      ...(options.fetch && { fetch: options.fetch }),
      ...(options.onInput && { onInput: options.onInput }),
    })
    const before = out === root ? await remembered(service, root, inputs) : undefined
    if (before) {
      results.push(resultOf(service, before, before.files))
      continue
    }
    // `generate.ts` imports modules that are slow to load and that an unchanged service doesn't need.
    useOwnCompiler()
    const { generateService } = await import('./generate.ts')
    const { model, files: own } = await generateService(service, inputs)
    const { title, operations, channels, fidelity, departures } = model
    const findings = { title, operations: operations.length, channels: channels.length, fidelity, departures }
    results.push(resultOf(service, findings, [...own.keys()]))
    for (const [file, text] of own) files.set(file, text)
    folders.push(...foldersOf(service))
    if (out === root) done.push(() => remember(service, root, { inputs, files: own, findings }))
  }
  const changes = compare(files, out, folders)
  const finish = () => done.forEach((each) => each())
  if (changes.length === 0) finish()
  return {
    services: results,
    changes,
    write() {
      write(changes, out)
      finish()
    },
  }
}

function choose({ services }: CheckedConfig, names: readonly string[] | undefined): readonly Service[] {
  if (names === undefined) return services
  const known = services.map(({ name }) => name)
  for (const name of names)
    if (!known.includes(name))
      throw new ConfigError(
        `unknown service ${JSON.stringify(name)}${didYouMean(name, known) || `; valid names: ${known.join(', ')}`}`,
      )
  return services.filter(({ name }) => names.includes(name))
}

function resultOf(service: Service, findings: Findings, files: readonly string[]): ServiceResult {
  const { name, openapi } = service
  const shortfall = shortfallOf(service, findings)
  return {
    name,
    contract: nameOf(openapi),
    ...findings,
    files,
    ...(shortfall !== undefined && { shortfall }),
  }
}

/** The percentage of places (schemas, parameters, bodies and responses) that are generated exactly. */
export function percentKept({ places, widened }: Findings['fidelity']): number {
  return places === 0 ? 100 : (1 - widened / places) * 100
}

function shortfallOf({ name, minFidelity = 0 }: Service, { fidelity }: Findings): string | undefined {
  const percent = percentKept(fidelity)
  if (percent >= minFidelity) return undefined
  return (
    `${name}: ${percentText(fidelity)} of ${fidelity.places} places are kept exactly, but the config requires ${minFidelity} % ` +
    '(`minFidelity`). The fidelity report lists the places that accept more values than the contract.'
  )
}

/** Rounds down, so that `100.0 %` means that all places are kept exactly. */
export function percentText(fidelity: Findings['fidelity']): string {
  return `${(Math.floor(percentKept(fidelity) * 10) / 10).toFixed(1)} %`
}
