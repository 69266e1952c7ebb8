import { OptionsError } from '@concord/runtime'

/** The environment variables that `Extraction.fromEnv` reads. The names are this client's own. @public */
export const EXTRACTION_VARIABLES = { baseUrl: 'EXTRACTION_BASE_URL', apiKey: 'EXTRACTION_API_KEY' } as const

/** Reads the base URL and, if set, the key. @throws OptionsError if the base URL is not set. */
export function readEnv(
  env: Readonly<Record<string, string | undefined>> | undefined,
  given: string | undefined,
): { readonly baseUrl: string; readonly apiKey?: string } {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const variables = env ?? host.process?.env ?? {}
  const baseUrl = given ?? variables[EXTRACTION_VARIABLES.baseUrl]
  const apiKey = variables[EXTRACTION_VARIABLES.apiKey]
  if (!baseUrl)
    throw new OptionsError(
      'baseUrl',
      `\`baseUrl\` is missing, and ${EXTRACTION_VARIABLES.baseUrl} is not set.`,
      `Set ${EXTRACTION_VARIABLES.baseUrl}, or pass \`baseUrl\`.`,
    )
  return apiKey ? { baseUrl, apiKey } : { baseUrl }
}
