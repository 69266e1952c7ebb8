import type { ControlledClock } from './clock.ts'
import { EmulatorOptionsError } from './errors.ts'
import type { Log } from './journal.ts'
import type { Answerer } from './node-server.ts'
import type { RandomSource } from './random.ts'

/** The tools that every service of an emulator shares. */
export interface SharedTools {
  /** One clock for all services. */
  readonly clock: ControlledClock
  /** The service's own source, so that what one service draws changes nothing for another. */
  readonly random: RandomSource
  readonly log: Log
  /** Aborted when the emulator is closed. */
  readonly closing: AbortSignal
  /** Whether the control interface is served over HTTP. */
  readonly control: boolean
}

/** A service of an emulator, in process. Its addresses and credentials are members too. @public */
export interface EmulatedService<Control, State> {
  /** Responds to a request without a port; has the signature of the global `fetch`. */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>
  readonly control: Control
  /** A copy of the service's current state. */
  state: State
}

/** A service that was set up, ready to answer. */
export interface RunningService {
  app: Answerer
  /**
   * Its base addresses by name, such as `baseUrl`, `authUrl` or `webUrl`: what the paths under each start with, for
   * instance `/api`; empty for nothing. They share one port.
   */
  readonly addresses: Readonly<Record<string, string>>
  /** The credentials for clients, by name, such as `apiKey`. */
  readonly credentials: Readonly<Record<string, unknown>>
  readonly control: object
  /** Pages for people: what each is for, and its path. */
  pages?: Readonly<Record<string, string>>
  /** Copies the service's state, without secrets. */
  readState(): object
}

/** An option that the command line can set. */
export interface Settable<T> {
  read(text: string): T
  /** The description for `--help`. */
  readonly about: string
}

/** How a service takes part in an emulator: the entry of the registry. */
export interface ServiceModule<Options> {
  /** The name on the command line and in host names, for instance `storage-auth`. */
  readonly cliName: string
  /**
   * Sets it up.
   *
   * @throws EmulatorOptionsError if an option cannot be used.
   */
  start(options: Options, tools: SharedTools): RunningService
  /** Every option that it has. */
  readonly options: Readonly<Record<keyof Options & string, true>>
  /** Pages for people that always exist: the purpose of each, its address and its path. */
  pages?: Readonly<Record<string, readonly [address: string, path: string]>>
  /** Its options that the command line can set (`--set NAME.OPTION=VALUE`), and how each is read. */
  readonly settable?: Readonly<{ [K in keyof Options & string]?: Settable<NonNullable<Options[K]>> }>
}

/** Checks what every path under an address starts with, for instance `/tenant`; empty for nothing. */
export function toBasePath(path: string, name = 'basePath'): string {
  if (path === '' || /^(\/[\w.~-]+)+$/.test(path)) return path
  throw new EmulatorOptionsError(`${name} must be like /tenant or /tenant/a, not "${path}".`)
}

/** Checks a number of seconds. */
export function toSeconds(name: string, seconds: number): number {
  if (Number.isInteger(seconds) && seconds > 0) return seconds
  throw new EmulatorOptionsError(`${name} must be a whole number of seconds above 0, not ${seconds}.`)
}
