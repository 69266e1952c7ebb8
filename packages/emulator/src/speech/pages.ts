import { authenticate, readCredentials } from '../core/credentials.ts'
import { chooseSuccess } from '../core/handle-operation.ts'
import type { Json } from '../core/json.ts'
import { success, type Reply } from '../core/reply.ts'
import type { Page } from '../core/service.ts'
import type { SecurityScheme } from '../core/specification.ts'
import type { SpeechContext } from './state.ts'
import type { SpeechCaller } from './model.ts'
import { deny } from './denials.ts'

/** The name of the paths under `/v1/projects`, for faults. */
export const PAGE_NAMES = ['page:projects'] as const

/** The dependencies of the pages besides the context. */
interface PageTools {
  readonly security: readonly SecurityScheme[]
  /** Returns the caller if no credential is required. */
  publicCaller(target: 'projects'): SpeechCaller | undefined
  /** Denies a call for the same reasons as any REST call. */
  admit(caller: SpeechCaller): Reply | undefined
}

/**
 * Creates the pages for all paths under `/v1/projects`. Only the paths are documented, and not even whether the collection
 * itself is among them. The response to every call repeats its method, path and body.
 */
export function speechPages({ choices, accounts }: SpeechContext, tools: PageTools): Page[] {
  const handle: Page['handle'] = async ({ method, path, headers, body: sent }) => {
    const credentials = readCredentials(tools.security, headers, new URL('http://emulator.invalid'))
    const caller =
      authenticate(credentials, { authenticate: (value, scheme) => accounts.find(value, scheme) }) ??
      tools.publicCaller('projects')
    if (!caller) return deny(choices, credentials.length > 0 ? 'key-invalid' : 'key-missing')
    const denial = tools.admit(caller)
    if (denial) return denial
    const body = sent.kind === 'json' ? (sent.value as Json) : undefined
    const shown = { method, path, ...(body === undefined ? {} : { body }) }
    return chooseSuccess('projects', success(200, { method, path, body }, shown), choices)
  }
  return ['/v1/projects', '/v1/projects/{rest+}'].map((path) => ({
    name: 'page:projects',
    method: '*',
    baseUrlName: 'apiUrl',
    path,
    handle,
  }))
}
