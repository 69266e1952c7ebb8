import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'

import { EmulatorOptionsError } from './core/errors.ts'
import { PLANS, type PlanName } from './extraction/plans.ts'

/** The services that can be served. */
export const SERVICES = ['extraction'] as const

/** The name of a service. */
export type ServiceName = (typeof SERVICES)[number]

/** What the command line asks for. */
export interface CliOptions {
  json: boolean
  host: string
  ports: Partial<Record<ServiceName, number>>
  choices?: string
  control: boolean
  plan?: PlanName
  apiKey?: string
  seed?: string
  allowHttpWebhooks: boolean
}

/**
 * Reads the command line.
 *
 * @throws CommanderError where it cannot be read, and for `--help`; what there is to say was written already.
 */
export function readArguments(
  args: readonly string[],
  output: { out: (text: string) => void; err: (text: string) => void },
): CliOptions {
  const program = new Command('concord-emulator')
    .description('Serves stateful local stand-ins of the services that Concord has clients for.')
    .option(
      '--json',
      'print one line of JSON with addresses and keys, and nothing else, on standard output',
      false,
    )
    .option('--host <host>', 'where to listen', '127.0.0.1')
    .option(
      '--port <name=number>',
      `the port of a service (${SERVICES.join(', ')}); repeatable`,
      readPort,
      {},
    )
    .option(
      '--choices <file>',
      'a module whose default export replaces choices, by service: { extraction: { ... } }',
    )
    .option('--control', 'serve the control interface under /_control/', false)
    .addOption(new Option('--plan <name>', 'the plan of every key').choices(Object.keys(PLANS)))
    .option('--api-key <key>', 'the API key that is valid; by default a new one')
    .option('--seed <text>', 'make identifiers and keys the same each time')
    .option(
      '--allow-http-webhooks',
      'accept http:// webhook addresses too, which the service does not',
      false,
    )
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .showHelpAfterError('(concord-emulator --help lists the options)')
  program.parse([...args], { from: 'user' })
  const { port, ...options } = program.opts<Omit<CliOptions, 'ports'> & { port: CliOptions['ports'] }>()
  return { ...options, ports: port }
}

function readPort(text: string, ports: CliOptions['ports']): CliOptions['ports'] {
  const [, name = '', number = ''] = /^([\w-]+)=(\d+)$/.exec(text) ?? []
  const service = SERVICES.find((known) => known === name)
  if (!service)
    throw new InvalidArgumentError(
      `Write it as NAME=NUMBER, for instance extraction=8080. Names: ${SERVICES.join(', ')}.`,
    )
  if (Number(number) > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 (a free one) to 65535.')
  return { ...ports, [service]: Number(number) }
}

/**
 * Loads a module of choices.
 *
 * @throws EmulatorOptionsError where it cannot be loaded, or its default export is not choices by service.
 */
export async function loadChoices(file: string): Promise<Partial<Record<ServiceName, object>>> {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new EmulatorOptionsError(`--choices ${file}: ${reason}`, { cause })
  }
  const module = await import(pathToFileURL(resolve(file)).href).catch((error: unknown) =>
    refuse(`the module cannot be loaded: ${error instanceof Error ? error.message : String(error)}`, error),
  )
  const choices: unknown = module.default
  if (typeof choices !== 'object' || choices === null)
    return refuse('the module needs a default export like { extraction: { queuedMs: () => 10 } }.')
  for (const [name, value] of Object.entries(choices)) {
    if (!SERVICES.some((service) => service === name))
      refuse(`there is no service ${name}. Names: ${SERVICES.join(', ')}.`)
    if (typeof value !== 'object' || value === null) refuse(`the choices of ${name} must be an object.`)
  }
  return choices
}

/** Whether reading the command line ended well, as it does for `--help`. */
export function isWellEnded(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0
}
