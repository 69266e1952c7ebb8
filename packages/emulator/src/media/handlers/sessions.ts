import {
  bodyOf,
  callerOf,
  succeed,
  type MediaCall,
  type MediaContext,
  type MediaHandler,
} from '../context.ts'
import type { RealtimeSession } from '../model.ts'
import { refuse } from '../refusals.ts'

/** The model of real-time sessions. */
const SESSION_MODEL = 'gwm1_avatars'

function findSession(call: MediaCall, { sessions }: MediaContext): RealtimeSession | undefined {
  const session = sessions.find(call.parameters['id'] ?? '')
  return session?.organization === callerOf(call).name ? session : undefined
}

/** POST /v1/realtime_sessions. */
export function createRealtimeSession(context: MediaContext): MediaHandler {
  const { choices, knowledge, organizations, sessions } = context
  return {
    handle(call) {
      const { name } = callerOf(call)
      const { avatarId, model } = choices.readSession(bodyOf(call))
      if (model !== undefined && model !== SESSION_MODEL)
        return refuse(choices, 'session-refused', { value: `its model is ${SESSION_MODEL}, not ${model}` })
      if (avatarId !== undefined && !knowledge.findAvatar(name, avatarId))
        return refuse(choices, 'session-refused', { value: `there is no avatar ${avatarId}` })
      const session = sessions.create(name, avatarId)
      const { operationId } = call.operation
      const credits = choices.sessionCredits(session)
      const { id, organization } = session
      organizations.charge({ id, organization, operationId, model: SESSION_MODEL, credits, charged: false })
      return succeed(call, choices, choices.showSession(session))
    },
  }
}

/** GET /v1/realtime_sessions/{id}. */
export function getRealtimeSession(context: MediaContext): MediaHandler {
  const { choices } = context
  return {
    handle(call) {
      const session = findSession(call, context)
      return session
        ? succeed(call, choices, choices.showSession(session))
        : refuse(choices, 'session-not-found')
    },
  }
}

/** POST /v1/realtime_sessions/{id}/consume: hands the credentials over, once. */
export function consumeRealtimeSession(context: MediaContext): MediaHandler {
  const { choices, random, sessions } = context
  return {
    handle(call) {
      const session = findSession(call, context)
      if (!session) return refuse(choices, 'session-not-found')
      if (session.consumed) return refuse(choices, 'session-consumed')
      if (session.status !== 'READY') return refuse(choices, 'session-not-ready', { value: session.status })
      session.consumed = true
      if (choices.consumeStarts) sessions.move(session.id, 'RUNNING')
      return succeed(call, choices, choices.newCredentials(session, random))
    },
  }
}
