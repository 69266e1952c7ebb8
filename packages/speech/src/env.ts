import { OptionsError } from '@concord/runtime'

/** The environment variables that `Speech.fromEnv` reads. The names are this client's own. @public */
export const SPEECH_VARIABLES = {
  apiUrl: 'SPEECH_API_URL',
  agentUrl: 'SPEECH_AGENT_URL',
  apiKey: 'SPEECH_API_KEY',
  accessToken: 'SPEECH_ACCESS_TOKEN',
} as const

type Name = keyof typeof SPEECH_VARIABLES

/** The options that the environment can provide. */
type FromEnv = { readonly apiUrl: string } & { readonly [Key in Exclude<Name, 'apiUrl'>]?: string }

/** Reads base URLs and credentials; a credential only if `given` has none. @throws OptionsError without a base URL. */
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
