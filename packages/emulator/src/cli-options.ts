import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'

import { EmulatorOptionsError } from './core/errors.ts'
import type { Settable } from './core/service-module.ts'
import { PLANS, type PlanName } from './extraction/plans.ts'
import { SERVICE_NAMES, SERVICES, type ServiceName } from './services.ts'

const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

export interface CliOptions {
  readonly json: boolean
  readonly host: string
  readonly ports: Partial<Record<ServiceName, number>>
  /** The services to serve; by default all. */
  readonly services?: ServiceName[]
  /** The values that `--set` passes, by service and option. */
  readonly set?: Partial<Record<ServiceName, Record<string, unknown>>>
  readonly cors?: boolean
  /** The choices file, or `true` to list the choices. */
  readonly choices?: string | true
  readonly control: boolean
  plan?: PlanName
  apiKey?: string
  readonly seed?: string
  readonly allowHttpWebhooks: boolean
}

/**
 * @throws CommanderError if the command line is invalid, and for `--help` and `--version`. Before it throws,
 * Commander writes the error message, the help or the version to `output`.
 */
export function readArguments(
  args: readonly string[],
  output: { out: (text: string) => void; err: (text: string) => void },
): CliOptions {
  const program = new Command('concord-emulator')
    .version(VERSION)
    .description('Serves stateful local emulators of the services that have Concord clients.')
    .option(
      '--json',
      'print only one line to standard output: the process id, base URLs and credentials as JSON',
      false,
    )
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option(
      '--port <name=number>',
      `the port of a service (${CLI_NAMES.join(', ')}); repeatable`,
      readPort,
      {},
    )
    .option('--service <name>', 'a service to serve; repeatable; by default all', readService)
    .option('--set <name.option=value>', 'set an option of a service (listed below); repeatable', readSetting)
    .option('--cors', 'allow browser requests from every origin')
    .option(
      '--choices [file]',
      'override what the emulator does where the documentation leaves a question open; the default export of the file has one object per service: { extraction: { ... } }; without a file, list all choices and their defaults (with --json, as JSON)',
    )
    .option('--control', 'serve the control interface under /_control/', false)
    .addOption(
      new Option('--plan <name>', 'extraction: the plan of all API keys').choices(Object.keys(PLANS)),
    )
    .option(
      '--api-key <key>',
      'extraction: the valid API key; by default a new key (for other services, see --set)',
    )
    .option('--seed <text>', 'generate the same identifiers and keys on every start')
    .option(
      '--allow-http-webhooks',
      'extraction: also accept http:// webhook URLs, which the real service rejects',
      false,
    )
    .addHelpText('after', `\nService options for --set:\n${describeSettable()}`)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .showHelpAfterError('(concord-emulator --help lists the options)')
  program.parse([...args], { from: 'user' })
  const { port, service, ...options } = program.opts<
    Omit<CliOptions, 'ports' | 'services'> & { port: CliOptions['ports']; service?: ServiceName[] }
  >()
  return { ...options, ports: port, ...(service ? { services: service } : {}) }
}

const CLI_NAMES = SERVICE_NAMES.map((name) => SERVICES[name].cliName)

function serviceOf(text: string): ServiceName | undefined {
  return SERVICE_NAMES.find((name) => name === text || SERVICES[name].cliName === text)
}

function readService(text: string, services: readonly ServiceName[] = []): ServiceName[] {
  const service = serviceOf(text)
  if (!service) throw new InvalidArgumentError(`Names: ${CLI_NAMES.join(', ')}.`)
  return [...services, service]
}

/** The options that `--set` accepts. `name` includes the service, for instance `media.apiSecrets`. */
const SETTABLE = SERVICE_NAMES.flatMap((service) =>
  Object.entries<Settable<unknown>>(SERVICES[service].settable ?? {}).map(([option, settable]) => ({
    ...settable,
    service,
    option,
    name: `${SERVICES[service].cliName}.${option}`,
  })),
)

function describeSettable(): string {
  const widest = Math.max(...SETTABLE.map(({ name }) => name.length))
  return SETTABLE.map(({ name, about }) => `  ${name.padEnd(widest)}  ${about}`).join('\n')
}

function readSetting(text: string, settings: NonNullable<CliOptions['set']> = {}): CliOptions['set'] {
  const [, name = '', option = '', value = ''] = /^([\w-]+)\.(\w+)=(.*)$/s.exec(text) ?? []
  const service = serviceOf(name)
  const found = SETTABLE.find((known) => known.service === service && known.option === option)
  if (!service || !found)
    throw new InvalidArgumentError(
      `${name === '' ? 'Write the argument as NAME.OPTION=VALUE. ' : ''}Valid options: ${SETTABLE.map((known) => known.name).join(', ')}.`,
    )
  return { ...settings, [service]: { ...settings[service], [option]: found.read(value) } }
}

function readPort(text: string, ports: CliOptions['ports']): CliOptions['ports'] {
  const [, name = '', number = ''] = /^([\w-]+)=(\d+)$/.exec(text) ?? []
  const service = serviceOf(name)
  if (!service)
    throw new InvalidArgumentError(
      `${name === '' ? 'Write the argument as NAME=NUMBER, for instance extraction=8080. ' : ''}Valid names: ${CLI_NAMES.join(', ')}.`,
    )
  if (Number(number) > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 (any free port) to 65535.')
  return { ...ports, [service]: Number(number) }
}

/**
 * Resolves a file path from the working folder or, if no such file exists, from the folder where npm was called.
 * `npm run` changes to the folder of package.json, and keeps the path of the original folder in INIT_CWD.
 */
function findFile(file: string): string {
  const calledIn = process.env['INIT_CWD']
  return existsSync(file) || calledIn === undefined ? resolve(file) : resolve(calledIn, file)
}

/** @throws EmulatorOptionsError if the file can't be loaded, or if its default export has the wrong shape. */
export async function loadChoices(file: string): Promise<Partial<Record<ServiceName, object>>> {
  const reject = (reason: string, cause?: unknown): never => {
    throw new EmulatorOptionsError(`--choices ${file}: ${reason}`, { cause })
  }
  const module = await import(pathToFileURL(findFile(file)).href).catch((error: unknown) =>
    reject(`the module can't be loaded: ${error instanceof Error ? error.message : String(error)}`, error),
  )
  const choices: unknown = module.default
  if (typeof choices !== 'object' || choices === null)
    return reject('the module needs a default export like { extraction: { courseOf: () => ({}) } }.')
  for (const [name, value] of Object.entries(choices)) {
    if (!Object.hasOwn(SERVICES, name))
      reject(`unknown service \`${name}\`. Valid services: ${SERVICE_NAMES.join(', ')}.`)
    if (typeof value !== 'object' || value === null) reject(`the choices of \`${name}\` must be an object.`)
  }
  return choices
}

/** Commander throws an error even for `--help` and `--version`. That error has the exit code 0. */
export function isSuccessfulExit(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0
}
