import {
  bearerCredential,
  type ClientOptions,
  type CommonOptions,
  type Credential,
  OptionsError,
  type ConcurrencyLimit,
  type SocketFactory,
  tokenCredential,
} from '@concord/runtime'
import {
  baseUrlOption,
  checkOptionNames,
  COMMON_OPTIONS,
  type SecretSource,
  type OptionNames,
} from '@concord/runtime/internal'
import type { ConversationOptions, LiveTranscriptionOptions } from '@concord/speech-validators'

import { explain, refineError } from './errors.ts'

/** The documented options of `/v1/listen`. Pass undocumented options in `extra.query`. @public */
export type ListenOptions = LiveTranscriptionOptions
/** The documented options of `/v2/listen`. Pass undocumented options in `extra.query`. @public */
export type ConverseOptions = ConversationOptions

/** A WebSocket that is about to be opened. @public */
export interface Opening {
  readonly channel: 'liveTranscription' | 'conversation' | 'speechStream' | 'agent'
  /** The query parameters of the WebSocket's URL. */
  readonly query: Readonly<Record<string, unknown>>
}

/** Returns the weight of a WebSocket: how much of the connection limit it uses. @public */
export type WeighOpening = (opening: Opening) => number

/** Options of {@link Speech} besides the credential. @public */
export interface SpeechSettings extends CommonOptions {
  /** The http:// or https:// base URL of the speech service, for calls and WebSockets. The URL may have a path. */
  readonly apiUrl: string
  /** The base URL of the voice agent and its language models. Only `agent` and `thinkModels` need it. */
  readonly agentUrl?: string
  /**
   * The base URLs of WebSockets, if they differ from `apiUrl` and `agentUrl`. Default: the same URLs, with ws://
   * instead of http:// and wss:// instead of https://. The documentation doesn't confirm this default.
   */
  readonly socketUrls?: { readonly apiUrl?: string; readonly agentUrl?: string }
  /**
   * How many WebSockets may be open at once. Further WebSockets wait until others close. The service counts open
   * connections and denies connections above its limit (429). Several clients can share a `Semaphore`, and several
   * machines can share a `postgresSemaphore` from `@concord/postgres`. Default: no limit.
   */
  readonly connectionLimit?: number | ConcurrencyLimit
  /**
   * Returns the weight of a connection: how much of the limit it uses. Return more than 1 for options that need a lot
   * of computation, such as diarization: they lower the service's limit. The documentation doesn't say by how much.
   * Default: always 1.
   */
  readonly weigh?: WeighOpening
  /**
   * Opens WebSockets. Default: the package `ws` in Node, and `fetch` on Cloudflare Workers. Elsewhere, the default is
   * the platform's `WebSocket`, which can't send the credential.
   */
  readonly socketFactory?: SocketFactory
}

/**
 * The caller's credential: an API key (sent as `Authorization: Token ...`) or a JWT (`Authorization: Bearer ...`).
 * The client reads it for every call and every new WebSocket, so a function can return a fresh credential. The
 * documentation doesn't say which calls need a credential. A client without a credential sends requests without one.
 *
 * @public
 */
export type SpeechCredential =
  | { readonly apiKey: SecretSource; readonly accessToken?: undefined }
  | { readonly accessToken: SecretSource; readonly apiKey?: undefined }
  | { readonly apiKey?: undefined; readonly accessToken?: undefined }

/** Options of {@link Speech}. Only `apiUrl` is required. Pass at most one of `apiKey` and `accessToken`. @public */
export type SpeechOptions = SpeechSettings & SpeechCredential

const NAMES: OptionNames<SpeechOptions> = {
  apiUrl: true,
  agentUrl: true,
  socketUrls: true,
  apiKey: true,
  accessToken: true,
  connectionLimit: true,
  weigh: true,
  socketFactory: true,
  ...COMMON_OPTIONS,
}
const SOCKET_URLS: OptionNames<NonNullable<SpeechSettings['socketUrls']>> = { apiUrl: true, agentUrl: true }

const EXAMPLE = 'https://speech.example'

/** @throws OptionsError if an option is missing, unknown or invalid. */
export function toClientOptions(options: SpeechOptions): ClientOptions {
  checkOptionNames(options, NAMES, 'options')
  const {
    apiUrl,
    agentUrl,
    socketUrls = {},
    apiKey,
    accessToken,
    connectionLimit: _limit,
    weigh: _weigh,
    ...shared
  } = options
  checkOptionNames(socketUrls, SOCKET_URLS, 'socketUrls')
  const servers = {
    apiUrl: baseUrlOption(apiUrl, 'apiUrl', EXAMPLE),
    apiSocketUrl: toHttp(socketUrls.apiUrl, 'socketUrls.apiUrl') ?? apiUrl,
  }
  const agentSocketUrl = toHttp(socketUrls.agentUrl, 'socketUrls.agentUrl') ?? agentUrl
  return {
    ...shared,
    servers: {
      ...servers,
      ...(agentUrl === undefined ? undefined : { agentUrl: baseUrlOption(agentUrl, 'agentUrl', EXAMPLE) }),
      ...(agentSocketUrl === undefined ? undefined : { agentSocketUrl }),
    },
    credentials: toCredentials(apiKey, accessToken),
    explain,
    refineError,
  }
}

function toCredentials(
  apiKey: SecretSource | undefined,
  accessToken: SecretSource | undefined,
): Readonly<Record<string, Credential>> {
  if (apiKey !== undefined && accessToken !== undefined)
    throw new OptionsError(
      'accessToken',
      '`accessToken` and `apiKey` cannot be combined.',
      'Pass only one of them.',
    )
  if (accessToken !== undefined) return { accessToken: bearerCredential(accessToken, 'accessToken') }
  if (apiKey !== undefined) return { apiKey: tokenCredential(apiKey, 'apiKey') }
  return {}
}

/** Rewrites ws URLs to http. The runtime expects http URLs, even for WebSockets, and changes them to ws itself. */
function toHttp(address: string | undefined, option: string): string | undefined {
  if (address === undefined) return undefined
  if (/^(ws|http)s?:\/\//i.test(address)) return address.replace(/^ws/i, 'http')
  throw new OptionsError(
    option,
    `\`${option}\` must begin with ws://, wss://, http:// or https://.`,
    'Pass the URL with its scheme.',
  )
}

/** The environment variables that `Speech.fromEnv` reads. The client, not the service, defines the names. @public */
export const SPEECH_VARIABLES = {
  apiUrl: 'SPEECH_API_URL',
  agentUrl: 'SPEECH_AGENT_URL',
  apiKey: 'SPEECH_API_KEY',
  accessToken: 'SPEECH_ACCESS_TOKEN',
} as const

type Name = keyof typeof SPEECH_VARIABLES

type FromEnv = { readonly apiUrl: string } & { readonly [Key in Exclude<Name, 'apiUrl'>]?: string }

/** Reads the base URLs, and a credential if `given` has none. @throws OptionsError if `apiUrl` is missing. */
export function readEnv(
  env: Readonly<Record<string, string | undefined>> | undefined,
  given: { readonly apiUrl?: unknown; readonly apiKey?: unknown; readonly accessToken?: unknown },
): Partial<FromEnv> {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const variables = env ?? host.process?.env ?? {}
  const hasCredential = given.apiKey !== undefined || given.accessToken !== undefined
  const names: readonly Name[] = hasCredential
    ? ['apiUrl', 'agentUrl']
    : ['apiUrl', 'agentUrl', 'apiKey', 'accessToken']
  const found = names.flatMap((name) => {
    const value = variables[SPEECH_VARIABLES[name]]
    return value ? [[name, value] as const] : []
  })
  if (given.apiUrl === undefined && !found.some(([name]) => name === 'apiUrl'))
    throw new OptionsError(
      'apiUrl',
      `\`apiUrl\` is missing, and ${SPEECH_VARIABLES.apiUrl} is not set.`,
      `Set ${SPEECH_VARIABLES.apiUrl}, or pass \`apiUrl\`.`,
    )
  return Object.fromEntries(found)
}
