import { OptionsError } from '@concord/runtime'

import { envApiKey, type Environment, envStore, hostVariables } from './env-store.ts'
import type { StorageAuthOptions } from './options.ts'

/** The environment variables for base URLs that `StorageAuth.fromEnv` reads. The names are this client's own. @public */
export const STORAGE_ADDRESS_VARIABLES = {
  authUrl: 'STORAGE_AUTH_URL',
  dataUrl: 'STORAGE_DATA_URL',
  webUrl: 'STORAGE_WEB_URL',
} as const

/** Reads base URLs and credentials. @throws OptionsError if a base URL is not set. */
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
      `\`${option}\` is missing, and ${STORAGE_ADDRESS_VARIABLES[option]} is not set.`,
      `Set it, or pass \`${option}\`.`,
    )
  }
  const webUrl = env[STORAGE_ADDRESS_VARIABLES.webUrl]
  const apiKey = envApiKey(env)
  return {
    authUrl: baseUrl('authUrl'),
    dataUrl: baseUrl('dataUrl'),
    ...(webUrl ? { webUrl } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
    store: envStore({ env }),
  }
}
