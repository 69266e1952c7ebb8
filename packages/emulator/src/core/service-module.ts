import type { Answerer } from './node-server.ts'
import type { SharedTools } from './shared-tools.ts'

/** A service of an emulator, in process. Addresses and credentials stand beside these members. @public */
export interface EmulatedService<Control, State> {
  /** Answers a request without a port; takes what the global `fetch` takes. */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>
  readonly control: Control
  /** What the service knows at this moment; a copy. */
  readonly state: State
}

/** A service that was set up, ready to answer. */
export interface RunningService {
  app: Answerer
  /**
   * Its base addresses by name, such as `baseUrl`, `authUrl` or `webUrl`: what the paths under each start with, for
   * instance `/api`; empty for nothing. They share one port.
   */
  addresses: Readonly<Record<string, string>>
  /** What a client needs to be let in, by name, such as `apiKey`. */
  credentials: Readonly<Record<string, unknown>>
  control: object
  /** Copies what the service knows, without secrets. */
  readState(): object
}

/** How a service takes part in an emulator: the entry of the registry. */
export interface ServiceModule<Options> {
  /** What it is called on the command line and in host names, for instance `storage-auth`. */
  cliName: string
  /**
   * Sets it up.
   *
   * @throws EmulatorOptionsError where an option cannot be used.
   */
  start(options: Options, tools: SharedTools): RunningService
  /** What an address is called where it is served, if not the same as in process. */
  servedNames?: Readonly<Record<string, string>>
  /** Its options that the command line can set (`--set NAME.OPTION=VALUE`), and how each is read. */
  settable?: Readonly<{ [K in keyof Options & string]?: (text: string) => NonNullable<Options[K]> }>
}
