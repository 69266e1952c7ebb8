import type { Reply } from '../core/reply.ts'
import type { Service } from '../core/service.ts'
import { deny } from './denials.ts'
import type { SpeechCaller, SpeechChannel, SpeechTarget } from './model.ts'
import type { SpeechContext } from './state.ts'

export function callersOf({
  choices,
  accounts,
}: SpeechContext): Pick<Service<SpeechCaller>, 'authenticate' | 'publicCaller'> {
  return {
    authenticate: (value, scheme) => accounts.find(value, scheme),
    publicCaller(target) {
      const [key] = accounts.keys()
      const isPublic = choices.acceptsCredential({ target: target as SpeechTarget, credential: 'none' })
      return key !== undefined && isPublic ? { key } : undefined
    },
  }
}

/** Denies a REST call if its token isn't accepted, or if the call would exceed the connection limit. */
export function admitCall(
  target: SpeechTarget,
  caller: SpeechCaller,
  context: SpeechContext,
): Reply | undefined {
  const { choices, connections } = context
  if (caller.expiresAt !== undefined) {
    const hasExpired = isExpired(caller, context)
    const credential = hasExpired ? 'expired-token' : 'token'
    if (!choices.acceptsCredential({ target, credential }))
      return deny(choices, hasExpired ? 'token-expired' : 'key-invalid')
  }
  const weight = choices.connectionWeight({ target, query: new URLSearchParams() })
  if (weight === 0 || connections.taken(caller.key) + weight <= connections.allowance) return undefined
  return deny(choices, 'too-many-connections', { limit: connections.allowance })
}

/** Returns a denial, or a function to call when the connection ends. */
export function admitConnection(
  channel: SpeechChannel,
  query: URLSearchParams,
  caller: SpeechCaller | undefined,
  context: SpeechContext,
): Reply | (() => void) {
  const { choices, connections } = context
  if (!caller) return deny(choices, 'key-missing')
  if (isExpired(caller, context)) return deny(choices, 'token-expired')
  const weight = choices.connectionWeight({ target: channel, query })
  const release = connections.take(caller.key, weight)
  return release ?? deny(choices, 'too-many-connections', { limit: connections.allowance })
}

function isExpired({ expiresAt }: SpeechCaller, { clock }: SpeechContext): boolean {
  return expiresAt !== undefined && clock.now() >= expiresAt
}
