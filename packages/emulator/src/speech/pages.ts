import { identify } from '../core/credentials.ts'
import { chooseSuccess } from '../core/handle-operation.ts'
import type { Json } from '../core/json.ts'
import { success } from '../core/reply.ts'
import type { Page } from '../core/service.ts'
import type { Specification } from '../core/specification.ts'
import { admitCall, callersOf } from './admission.ts'
import { deny } from './denials.ts'
import type { SpeechContext } from './state.ts'

/** The URL to pass to `identify`. It has no query, because this service's credentials are never in the query. */
const NO_QUERY = new URL('http://emulator.invalid')

/**
 * Creates the handlers for all paths under `/v1/projects`, which aren't in the contract. The documentation mentions
 * these paths without describing them, and doesn't say whether `/v1/projects` itself exists.
 */
export function speechPages(context: SpeechContext, { operations }: Specification): Page[] {
  const { choices } = context
  const target = { id: 'projects', security: operations[0]?.security ?? [] }
  const handle: Page['handle'] = async ({ method, path, headers, body: sent }) => {
    const { caller, problem = 'key-missing' } = identify(callersOf(context), target, headers, NO_QUERY)
    if (!caller) return deny(choices, problem)
    const denial = admitCall('projects', caller, context)
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
