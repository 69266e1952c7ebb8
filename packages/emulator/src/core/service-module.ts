import type { ControlledClock } from './clock.ts'
import { EmulatorOptionsError } from './errors.ts'
import type { Faults } from './faults.ts'
import type { Log, Records } from './records.ts'
import type { Dispatcher } from './node-server.ts'
import type { RandomSource } from './random.ts'

/** The tools that an emulator passes to each of its services. */
export interface SharedTools {
  readonly clock: ControlledClock
  /**
   * With the option `seed`, each service has its own source, so that calls to one service don't change the random
   * values of another service.
   */
  readonly random: RandomSource
  readonly log: Log
  readonly closing: AbortSignal
  /** Whether the control interface is served over HTTP. */
  readonly control: boolean
}

export interface ServingTools extends Omit<SharedTools, 'control'> {
  readonly faults: Faults
  readonly records: Records
}

/** The tools that all parts of a service's state share. */
export interface StateTools<Choices> extends Pick<SharedTools, 'clock' | 'random' | 'log'> {
  readonly choices: Choices
}

/** A service that runs in this process. Types such as `EmulatedMedia` add base URLs and credentials. @public */
export interface EmulatedService<Control, State> {
  /** Responds to a request without using the network. It has the same signature as the global `fetch`. */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>
  readonly control: Control
  /** A copy of the service's current state. */
  state: State
}

export interface RunningService {
  app: Dispatcher
  /** The path prefix of each base URL, by name, such as `{ authUrl: '/api' }`. A prefix can be empty. */
  readonly basePaths: Readonly<Record<string, string>>
  /** The credentials for clients, by name, such as `apiKey`. */
  readonly credentials: Readonly<Record<string, unknown>>
  readonly control: object
  /** The path of each HTML page, by the purpose of the page, such as `Approve a device`. */
  pages?: Readonly<Record<string, string>>
  /** Returns a copy of the service's state, without secrets. */
  readState(): object
}

export interface Settable<T> {
  read(text: string): T
  readonly about: string
}

/** A service's entry in `SERVICES`, the registry of services. */
export interface ServiceModule<Options> {
  /** The service's name on the command line and in host names, for instance `storage-auth`. */
  readonly cliName: string
  /** @throws EmulatorOptionsError if an option is invalid. */
  start(options: Options, tools: SharedTools): RunningService
  /** The names of all options. */
  readonly options: Readonly<Record<keyof Options & string, true>>
  /** The options that the command line can set (`--set NAME.OPTION=VALUE`), and how each option is parsed. */
  readonly settable?: Readonly<{ [K in keyof Options & string]?: Settable<NonNullable<Options[K]>> }>
}

/** Validates a path prefix, for instance `/tenant`. An empty string means no prefix. */
export function toBasePath(path: string, name = 'basePath'): string {
  if (path === '' || /^(\/[\w.~-]+)+$/.test(path)) return path
  throw new EmulatorOptionsError(
    `\`${name}\` must be empty or a path such as /tenant or /tenant/a, not "${path}".`,
  )
}

export function toSeconds(name: string, seconds: number): number {
  if (Number.isInteger(seconds) && seconds > 0) return seconds
  throw new EmulatorOptionsError(`\`${name}\` must be a whole number of seconds above 0, not ${seconds}.`)
}
