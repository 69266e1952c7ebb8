import { OptionsError } from '@concord/runtime'

/** The environment variables that `Media.fromEnv` reads. The names are this client's own. @public */
export const MEDIA_VARIABLES = { baseUrl: 'MEDIA_BASE_URL', apiSecret: 'MEDIA_API_SECRET' } as const

/** Reads the base URL and, if set, the secret. @throws OptionsError if the base URL is not set. */
export function readEnv(
  env: Readonly<Record<string, string | undefined>> | undefined,
  given: string | undefined,
): { readonly baseUrl: string; readonly apiSecret?: string } {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const variables = env ?? host.process?.env ?? {}
  const baseUrl = given ?? variables[MEDIA_VARIABLES.baseUrl]
  const apiSecret = variables[MEDIA_VARIABLES.apiSecret]
  if (!baseUrl)
    throw new OptionsError(
      'baseUrl',
      `\`baseUrl\` is missing, and ${MEDIA_VARIABLES.baseUrl} is not set.`,
      `Set ${MEDIA_VARIABLES.baseUrl}, or pass \`baseUrl\`.`,
    )
  return { baseUrl, ...(apiSecret && { apiSecret }) }
}
