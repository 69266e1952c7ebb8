import { OptionsError } from '@concord/runtime'
import { checkOptionNames, functionOption, type OptionNames } from '@concord/runtime/internal'
import {
  memoryRequestLog,
  memoryTokenStore,
  type StoredSession,
  type TokenStore,
} from '@concord/runtime/session'

import type { StorageAuthOptions } from './options.ts'

/** The environment variables for credentials. The names come from the service's documentation. @public */
export const STORAGE_VARIABLES = {
  accessToken: 'STORAGE_ACCESS_TOKEN',
  refreshToken: 'STORAGE_REFRESH_TOKEN',
  apiKey: 'STORAGE_API_KEY',
} as const

/** Environment variables by name. @public */
export type Environment = Readonly<Record<string, string | undefined>>

/** Options of {@link envStore}. @public */
export interface EnvStoreOptions {
  /** Default: the variables of this process. */
  readonly env?: Environment
  /**
   * Receives the variables' new values after each sign-in and each refresh. Save them where the next process gets
   * its variables: a refresh token works only once, so the next process needs the newest token. Without `save`, the
   * refresh token is not used, and the session ends when the access token expires.
   */
  readonly save?: (variables: Readonly<Record<string, string>>) => void | Promise<void>
}

const NAMES: OptionNames<EnvStoreOptions> = { env: true, save: true }

/**
 * Creates a store that reads its session from `STORAGE_ACCESS_TOKEN` and `STORAGE_REFRESH_TOKEN`. The store reads
 * these variables when it is first used, and never changes them.
 *
 * Nothing is shared with other processes: use each session in one process only, or use a file store.
 *
 * @example
 * ```ts
 * const storage = StorageAuth.fromEnv({ store: envStore({ save: (variables) => vault.write('tokens', JSON.stringify(variables)) }) })
 * ```
 * @param options - The variables, and where to save new tokens.
 * @public
 */
export function envStore(options: EnvStoreOptions = {}): TokenStore {
  checkOptionNames(options, NAMES, 'options')
  const save = functionOption(options.save, 'save')
  const inner = memoryTokenStore()
  let filled: Promise<void> | undefined
  const fill = (): Promise<void> =>
    (filled ??= (async () => {
      const session = fromVariables(options.env ?? hostVariables(), save !== undefined)
      if (session !== undefined) await inner.exclusive((held) => held.write(session))
    })())
  return {
    async read() {
      await fill()
      return inner.read()
    },
    async exclusive(work, signal) {
      await fill()
      return inner.exclusive(
        (held) =>
          work({
            ...held,
            async write(session) {
              const before = await held.read()
              if (
                session.refreshToken !== before?.refreshToken ||
                session.accessToken !== before?.accessToken
              ) {
                await save?.(toVariables(session))
              }
              await held.write(session)
            },
          }),
        signal,
      )
    },
    requestLog: memoryRequestLog(),
  }
}

/** Replaces a missing access token. This replacement counts as expired, so it is never sent. */
const NONE = 'none'

function fromVariables(env: Environment, canRefresh: boolean): StoredSession | undefined {
  const accessToken = read(env, STORAGE_VARIABLES.accessToken)
  const refreshToken = canRefresh ? read(env, STORAGE_VARIABLES.refreshToken) : undefined
  if (accessToken !== undefined) {
    // The age of the token is unknown, so the token is used until the service rejects it.
    return { accessToken, obtainedAtMs: 0, ...(refreshToken === undefined ? {} : { refreshToken }) }
  }
  return refreshToken === undefined
    ? undefined
    : { accessToken: NONE, refreshToken, obtainedAtMs: 0, expiresAtMs: 0 }
}

function toVariables({ accessToken, refreshToken }: StoredSession): Record<string, string> {
  return {
    [STORAGE_VARIABLES.accessToken]: accessToken,
    ...(refreshToken === undefined ? {} : { [STORAGE_VARIABLES.refreshToken]: refreshToken }),
  }
}

/** @throws OptionsError if a variable has an invalid value. */
function read(env: Environment, name: string): string | undefined {
  const value = env[name]
  if (value === undefined || value === '') return undefined
  if (value.trim() === value && !/[\r\n]/.test(value)) return value
  throw new OptionsError(
    name,
    'begins or ends with white space, or contains a line break.',
    'Remove the white space and line breaks from its value.',
  )
}

function hostVariables(): Environment {
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {}
}

/** The environment variables for base URLs that `StorageAuth.fromEnv` reads. The names are this client's own. @public */
export const STORAGE_ADDRESS_VARIABLES = {
  authUrl: 'STORAGE_AUTH_URL',
  dataUrl: 'STORAGE_DATA_URL',
  webUrl: 'STORAGE_WEB_URL',
} as const

/** @throws OptionsError if a base URL is not set. */
export function readEnv(
  given: Environment | undefined,
  options: Partial<StorageAuthOptions>,
): StorageAuthOptions {
  const env = given ?? hostVariables()
  const baseUrl = (option: 'authUrl' | 'dataUrl'): string => {
    const value = options[option] ?? env[STORAGE_ADDRESS_VARIABLES[option]]
    if (value) return value
    throw new OptionsError(
      option,
      `is missing, and ${STORAGE_ADDRESS_VARIABLES[option]} is not set.`,
      `Set ${STORAGE_ADDRESS_VARIABLES[option]}, or pass \`${option}\`.`,
    )
  }
  const webUrl = env[STORAGE_ADDRESS_VARIABLES.webUrl]
  const apiKey = read(env, STORAGE_VARIABLES.apiKey)
  return {
    authUrl: baseUrl('authUrl'),
    dataUrl: baseUrl('dataUrl'),
    ...(webUrl ? { webUrl } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
    store: envStore({ env }),
  }
}
