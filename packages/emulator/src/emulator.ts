import { type Clock, ControlledClock, systemClock } from './core/clock.ts'
import { withCors } from './core/cors.ts'
import { checkNames, EmulatorOptionsError } from './core/errors.ts'
import { silentLog, type Log } from './core/records.ts'
import { memorySockets } from './core/memory-socket.ts'
import { serveOverHttp, type NodeServer } from './core/node-server.ts'
import { seededRandom, systemRandom, type RandomSource } from './core/random.ts'
import type { RunningService, ServiceModule } from './core/service-module.ts'
import { withHealth, withIndexPage, type IndexEntry } from './own-paths.ts'
import { inProcessOrigin, SERVICE_NAMES, SERVICES, type ServiceName, type Services } from './services.ts'

/** The options of an emulator: shared options, and the options of each service under the service's name. @public */
export type EmulatorOptions = SharedOptions & {
  readonly [N in ServiceName]?: Services[N]['options']
}

/** The options that all services of an emulator share. @public */
export interface SharedOptions {
  /**
   * The clock; by default the system clock. If you pass a virtual clock, you can also pass it to clients in the same
   * process.
   */
  readonly clock?: Clock
  /** Makes identifiers, keys and random decisions the same on every run. */
  readonly seed?: string | number
  /** A source of numbers in [0, 1). By default it is derived from `seed`. Without a seed, it is unpredictable. */
  readonly random?: RandomSource
  /** Whether to serve the control interface over HTTP, under `/_control/`. Default: false. */
  readonly control?: boolean
  /**
   * The origins whose pages may call the emulator from a browser; `true` for every origin. By default, the emulator
   * sends no CORS headers, because the CORS behavior of the services is undocumented.
   */
  readonly cors?: boolean | readonly string[]
  /** Receives the emulator's log entries. By default, they are discarded. */
  readonly log?: Log
}

/** Which services to serve, and on which host and ports. @public */
export interface ServeOptions {
  /** The host name or IP address to listen on; by default, `127.0.0.1`. */
  readonly host?: string
  /** The port of each service; by default 0, which picks a free port. */
  readonly ports?: { readonly [N in ServiceName]?: number }
  /** The services to serve; by default all. */
  readonly services?: readonly ServiceName[]
}

/** The services that an emulator serves over HTTP, with their base URLs and credentials. @public */
export type ServedEmulator = AsyncDisposable & {
  readonly [N in ServiceName]: Services[N]['served']
} & {
  /** Stops listening and destroys open connections immediately. */
  close(): Promise<void>
}

/**
 * Stateful emulators of the services. A service starts when it is first used, or immediately if
 * its options are passed to `createEmulator`.
 *
 * @public
 */
export type Emulator = AsyncDisposable & {
  readonly [N in ServiceName]: Services[N]['emulated']
} & {
  /**
   * Serves the services over HTTP, each on its own port.
   *
   * @throws EmulatorOptionsError if an option is invalid or a port isn't available.
   */
  serve(options?: ServeOptions): Promise<ServedEmulator>
  /** Stops all servers, timers and pending webhook deliveries. */
  close(): Promise<void>
}

const SHARED_OPTIONS = [
  'clock',
  'seed',
  'random',
  'control',
  'cors',
  'log',
] as const satisfies readonly (keyof SharedOptions)[]
const SERVE_OPTIONS = ['host', 'ports', 'services'] as const satisfies readonly (keyof ServeOptions)[]

/**
 * Creates an emulator. No port is opened until `serve` is called.
 *
 * @throws EmulatorOptionsError if an option is invalid.
 * @public
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkNames(options, [...SHARED_OPTIONS, ...SERVICE_NAMES], 'the emulator')
  for (const name of SERVICE_NAMES)
    if (options[name] !== undefined)
      checkNames(options[name], Object.keys(SERVICES[name].options), `\`${name}\``)
  const running = new RunningEmulator(options)
  const emulator = {
    serve: (serving?: ServeOptions) => running.serve(serving),
    close: () => running.close(),
    [Symbol.asyncDispose]: () => running.close(),
  }
  for (const name of SERVICE_NAMES) {
    if (options[name] !== undefined) running.service(name)
    Object.defineProperty(emulator, name, { get: () => running.service(name).emulated, enumerable: true })
  }
  return emulator as unknown as Emulator
}

interface StartedService {
  readonly service: RunningService
  /** The public object of the service, such as `emulator.extraction`. */
  readonly emulated: object
}

class RunningEmulator {
  readonly #options: EmulatorOptions
  readonly #clock: ControlledClock
  readonly #closer = new AbortController()
  readonly #servers = new Set<NodeServer>()
  readonly #services = new Map<ServiceName, StartedService>()

  constructor(options: EmulatorOptions) {
    this.#options = options
    this.#clock = new ControlledClock(options.clock ?? systemClock)
  }

  service(name: ServiceName): StartedService {
    const known = this.#services.get(name)
    if (known) return known
    const { random, seed, log = silentLog, control = false, cors = false } = this.#options
    const module: ServiceModule<object> = SERVICES[name]
    const service = module.start(this.#options[name] ?? {}, {
      clock: this.#clock,
      random: random ?? (seed === undefined ? systemRandom : seededRandom(`${seed}/${name}`)),
      log,
      closing: this.#closer.signal,
      control,
    })
    if (cors) service.app = withCors(service.app, cors)
    const started = { service, emulated: inProcess(service, inProcessOrigin(name)) }
    this.#services.set(name, started)
    return started
  }

  async serve(serving: ServeOptions = {}): Promise<ServedEmulator> {
    checkNames(serving, SERVE_OPTIONS, 'serve()')
    const { host = '127.0.0.1', ports = {}, services = SERVICE_NAMES } = serving
    checkNames(ports, SERVICE_NAMES, 'the option `ports`', 'member')
    const named = Object.fromEntries(services.map((name) => [name, 0]))
    checkNames(named, SERVICE_NAMES, 'the option `services`', 'value')
    if (this.#closer.signal.aborted)
      throw new EmulatorOptionsError('The emulator is already closed. Create a new emulator.')
    const opened: NodeServer[] = []
    const close = () => this.#closeServers(opened)
    const served: Record<string, object> = {}
    const entries: IndexEntry[] = []
    try {
      for (const name of services) {
        const { service } = this.service(name)
        const app = withHealth(withIndexPage(service.app, () => entries))
        const server = await serveOverHttp(app, host, ports[name] ?? 0)
        this.#servers.add(server)
        opened.push(server)
        const baseUrls = urlsAt(server.url, service.basePaths)
        const pages = urlsAt(server.url, service.pages)
        entries.push({ name: SERVICES[name].cliName, baseUrls, pages })
        served[name] = { ...baseUrls, ...service.credentials }
      }
    } catch (error) {
      await close()
      throw error
    }
    return { ...served, close, [Symbol.asyncDispose]: close } as unknown as ServedEmulator
  }

  async close(): Promise<void> {
    this.#closer.abort(new DOMException('The emulator was closed.', 'AbortError'))
    this.#clock.clear()
    await this.#closeServers([...this.#servers])
  }

  async #closeServers(servers: readonly NodeServer[]): Promise<void> {
    await Promise.all(servers.map((server) => server.close()))
    for (const server of servers) this.#servers.delete(server)
  }
}

function inProcess(service: RunningService, origin: string): object {
  return {
    fetch: (input: Request | URL | string, init?: RequestInit) =>
      service.app.dispatch(input instanceof Request && init === undefined ? input : new Request(input, init)),
    ...urlsAt(origin, service.basePaths),
    ...service.credentials,
    ...(service.app.sockets ? { socketFactory: memorySockets(service.app.sockets) } : {}),
    control: service.control,
    get state() {
      return service.readState()
    },
  }
}

function urlsAt(origin: string, paths: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, origin + path]))
}
