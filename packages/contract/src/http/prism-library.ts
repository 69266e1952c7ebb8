import { invalidOptions, objectOf, reasonOf } from '@concord/spec-model'

/** The fields of a Prism operation that Concord uses. */
export interface PrismOperation {
  readonly method: string
  readonly path: string
  readonly request?: { readonly body?: { readonly contents?: PrismContent[] } }
  /** Alternatives, each a list of schemes that are used together. */
  readonly security?: readonly (readonly PrismScheme[])[]
}

export interface PrismScheme {
  type: string
  scheme?: string
  in?: string
  name?: string
}

interface PrismContent {
  readonly mediaType: string
  encodings?: unknown[]
  schema?: unknown
}

export interface PrismServer {
  listen(port: number, address: string): Promise<string>
  close(): Promise<void>
}

/** The part of pino's interface that Prism calls. */
export interface PrismLogger {
  child(bindings: object): PrismLogger
  [level: string]: unknown
}

/** @param note Called for each message that Prism logs. `about` is the object that Prism logs with the message. */
export function prismLogger(
  note: (level: string, message: string, about: { readonly name?: unknown }) => void,
): PrismLogger {
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'success'].map((level) => [
    level,
    (about: unknown, message?: unknown): void => {
      if (typeof message === 'string') note(level, message, objectOf(about))
    },
  ])
  const logger: PrismLogger = { ...Object.fromEntries(levels), child: () => logger }
  return logger
}

interface PrismLibrary {
  readonly getHttpOperationsFromSpec: (fileOrDocument: unknown) => Promise<PrismOperation[]>
  readonly createServer: (
    operations: readonly PrismOperation[],
    options: {
      readonly components: { readonly logger: PrismLogger }
      readonly cors: boolean
      readonly config: PrismConfig
    },
  ) => PrismServer
}

export interface PrismConfig {
  readonly isProxy: boolean
  readonly upstream?: URL
  readonly checkSecurity: boolean
  readonly validateRequest: boolean
  readonly validateResponse: boolean
  readonly errors: boolean
  readonly mock: { readonly dynamic: boolean }
}

/** Takes almost a second, so call this function only if Prism is needed. @throws {@link ContractError} */
export async function loadPrism(): Promise<PrismLibrary> {
  try {
    const [http, server] = await Promise.all([
      import('@stoplight/prism-http') as Promise<unknown>,
      import('@stoplight/prism-http-server') as Promise<unknown>,
    ])
    return {
      getHttpOperationsFromSpec: (http as PrismLibrary).getHttpOperationsFromSpec,
      createServer: (server as PrismLibrary).createServer,
    }
  } catch (cause) {
    throw invalidOptions(
      `Prism could not be loaded: ${reasonOf(cause)}.`,
      'Install Prism with `npm install --save-dev @stoplight/prism-http@5.16.0 @stoplight/prism-http-server@5.16.0`. Prism requires Node 24.18 or later. To run without Prism, pass `prism: false`.',
      { cause },
    )
  }
}
