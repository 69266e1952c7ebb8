import { authenticate, readCredentials } from '../core/credentials.ts'
import { chooseSuccess } from '../core/handle-operation.ts'
import type { Json } from '../core/json.ts'
import { success } from '../core/reply.ts'
import type { Page } from '../core/service.ts'
import type { Specification } from '../core/specification.ts'
import { admitCall, publicCaller } from './admission.ts'
import { deny } from './denials.ts'
import type { SpeechContext } from './state.ts'

/**
 * Creates the pages for all paths under `/v1/projects`. The documentation only mentions the paths, and leaves open whether
 * `/v1/projects` itself exists. Each response repeats the method, the path and the body of the call.
 */
export function speechPages(context: SpeechContext, { operations }: Specification): Page[] {
  const { choices, accounts } = context
  const security = operations[0]?.security ?? []
  const handle: Page['handle'] = async ({ method, path, headers, body: sent }) => {
    const credentials = readCredentials(security, headers, new URL('http://emulator.invalid'))
    const caller =
      authenticate(credentials, { authenticate: (value, scheme) => accounts.find(value, scheme) }) ??
      publicCaller('projects', context)
    if (!caller) return deny(choices, credentials.length > 0 ? 'key-invalid' : 'key-missing')
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
