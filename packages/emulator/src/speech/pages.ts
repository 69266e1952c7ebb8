import type { Json } from '../core/json.ts'
import { jsonReply, type Reply } from '../core/reply.ts'
import { authenticate, readCredentials } from '../core/credentials.ts'
import type { Page } from '../core/service.ts'
import type { SecurityScheme } from '../core/specification.ts'
import type { SpeechContext } from './context.ts'
import type { SpeechCaller } from './model.ts'
import { refuse } from './refusals.ts'

/** What faults call the family of paths about projects. */
export const PAGE_NAMES = ['page:projects'] as const

/**
 * The families of paths under `/v1/projects/`, of which nothing is shown but where they are.
 *
 * @param admit Refuses what any other call would be refused for.
 */
export function speechPages(
  { choices, accounts }: SpeechContext,
  security: readonly SecurityScheme[],
  admit: (caller: SpeechCaller) => Reply | undefined,
): Page[] {
  return [
    {
      name: 'page:projects',
      method: '*',
      address: 'apiUrl',
      path: '/v1/projects/{rest+}',
      handle({ method, path, headers, body }) {
        const credentials = readCredentials(security, headers, new URL('http://emulator.invalid'))
        const caller = authenticate(credentials, {
          authenticate: (value, scheme) => accounts.find(value, scheme),
        })
        if (!caller) return refuse(choices, credentials.length > 0 ? 'key-invalid' : 'key-missing')
        const refusal = admit(caller)
        if (refusal) return refusal
        const json = body.kind === 'json' ? (body.value as Json) : undefined
        const answer = choices.answerProjects({ method, path, body: json })
        return jsonReply(answer.status, answer.json)
      },
    },
  ]
}
