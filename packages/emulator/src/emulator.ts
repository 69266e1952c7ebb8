import { systemClock, type Clock } from './core/clock.ts'
import { controlledClock } from './core/controlled-clock.ts'
import { EmulatorOptionsError } from './core/errors.ts'
import { silentLog, type Log } from './core/log.ts'
import { serveOverHttp, type NodeServer } from './core/node-server.ts'
import { seededRandom, systemRandom, type RandomSource } from './core/random.ts'
import type { ExtractionControl, ExtractionState } from './extraction/control.ts'
import type { ExtractionOptions } from './extraction/options.ts'
import { createExtractionService } from './extraction/service.ts'

/** How an emulator is set up. @public */
export interface EmulatorOptions {
  /** Where its time comes from; by default the host's clock. Share a virtual one with a client in the same process. */
  clock?: Clock
  /** Makes identifiers, keys and chance the same each time. */
  seed?: string | number
  /** A source of numbers in [0, 1); by default one of the seed, or one that nobody can foresee. */
  random?: RandomSource
  /** Serves the control interface over HTTP under `/_control/`; by default it is not. */
  control?: boolean
  /** Takes what the emulator has to say; by default nobody does. */
  log?: Log
  /** The extraction service. */
  extraction?: ExtractionOptions
}

/** A service of an emulator, in process. @public */
export interface EmulatedService<Control, State> {
  /** Answers a request without a port; takes what the global `fetch` takes. */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>
  /** The address to give a client that uses `fetch`. */
  readonly baseUrl: string
  /** A valid API key. */
  readonly apiKey: string
  readonly control: Control
  /** What the service knows at this moment; a copy. */
  readonly state: State
}

/** Where the services of an emulator listen. @public */
export interface ServeOptions {
  /** By default `127.0.0.1`. */
  host?: string
  /** By service; 0, the default, takes a free port. */
  ports?: { extraction?: number }
}

/** The listening services of an emulator. @public */
export interface ServedEmulator extends AsyncDisposable {
  extraction: { url: string; apiKey: string }
  /** Ends at once: listening stops and open connections are destroyed. */
  close(): Promise<void>
}

/** Stateful stand-ins of the services. @public */
export interface Emulator extends AsyncDisposable {
  readonly extraction: EmulatedService<ExtractionControl, ExtractionState>
  /**
   * Serves every service over HTTP, each on its own port.
   *
   * @throws EmulatorOptionsError where a port cannot be had.
   */
  serve(options?: ServeOptions): Promise<ServedEmulator>
  /** Ends everything: servers, timers, deliveries under way. */
  close(): Promise<void>
}

/**
 * Makes an emulator. It opens nothing until `serve` is called.
 *
 * @throws EmulatorOptionsError where an option cannot be used.
 * @public
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const clock = controlledClock(options.clock ?? systemClock)
  const random = options.random ?? (options.seed === undefined ? systemRandom : seededRandom(options.seed))
  const closer = new AbortController()
  const servers = new Set<NodeServer>()
  const extraction = createExtractionService(options.extraction ?? {}, {
    clock,
    random,
    log: options.log ?? silentLog,
    closing: closer.signal,
    control: options.control ?? false,
  })

  const emulator: Emulator = {
    extraction: {
      fetch: (input, init) =>
        extraction.app.dispatch(
          input instanceof Request && init === undefined ? input : new Request(input, init),
        ),
      baseUrl: `http://extraction.emulator.invalid${extraction.basePath}`,
      apiKey: extraction.apiKey,
      control: extraction.control,
      get state() {
        return extraction.readState()
      },
    },
    async serve({ host = '127.0.0.1', ports = {} } = {}) {
      if (closer.signal.aborted)
        throw new EmulatorOptionsError('The emulator is closed already. Make a new one.')
      const server = await serveOverHttp(extraction.app, host, ports.extraction ?? 0)
      servers.add(server)
      const close = async () => {
        servers.delete(server)
        await server.close()
      }
      return {
        extraction: { url: server.url + extraction.basePath, apiKey: extraction.apiKey },
        close,
        [Symbol.asyncDispose]: close,
      }
    },
    async close() {
      closer.abort(new DOMException('The emulator was closed.', 'AbortError'))
      clock.clear()
      await Promise.all([...servers].map((server) => server.close()))
      servers.clear()
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
  return emulator
}
