import { randomText } from '../../core/random.ts'
import { success } from '../../core/reply.ts'
import { bodyOf, callerOf, type MediaCall, type MediaContext, type MediaHandler } from '../state.ts'
import type { RealtimeSession } from '../model.ts'
import { deny } from '../denials.ts'
import { showSession } from '../shapes.ts'

/** The model of real-time sessions. */
const SESSION_MODEL = 'gwm1_avatars'

function findSession(call: MediaCall, { sessions }: MediaContext): RealtimeSession | undefined {
  const session = sessions.find(call.parameters['id'] ?? '')
  return session?.organization === callerOf(call).name ? session : undefined
}

/** POST /v1/realtime_sessions. */
function createRealtimeSession(context: MediaContext): MediaHandler {
  const { choices, clock, knowledge, organizations, sessions } = context
  return {
    handle(call) {
      const { name } = callerOf(call)
      const read = choices.readBody({
        operation: 'createRealtimeSession',
        body: bodyOf(call),
        nowMs: clock.now(),
      })
      if (!read) return deny(choices, 'session-rejected', { value: "its fields can't be read" })
      const { avatarId, model } = read
      if (model !== undefined && model !== SESSION_MODEL)
        return deny(choices, 'session-rejected', { value: `its model is ${SESSION_MODEL}, not ${model}` })
      if (avatarId !== undefined && !knowledge.findAvatar(name, avatarId))
        return deny(choices, 'session-rejected', { value: `the avatar ${avatarId} does not exist` })
      const session = sessions.create(name, avatarId)
      const { operationId } = call.operation
      const credits = choices.session.credits
      const { id, organization } = session
      organizations.charge({ id, organization, operationId, model: SESSION_MODEL, credits, charged: false })
      return success(200, session, showSession(session))
    },
  }
}

/** GET /v1/realtime_sessions/{id}. */
function getRealtimeSession(context: MediaContext): MediaHandler {
  const { choices } = context
  return {
    handle(call) {
      const session = findSession(call, context)
      return session ? success(200, session, showSession(session)) : deny(choices, 'session-not-found')
    },
  }
}

/** POST /v1/realtime_sessions/{id}/consume: returns the credentials, once. */
function consumeRealtimeSession(context: MediaContext): MediaHandler {
  const { choices, random, sessions } = context
  return {
    handle(call) {
      const session = findSession(call, context)
      if (!session) return deny(choices, 'session-not-found')
      if (session.consumed) return deny(choices, 'session-consumed')
      if (session.status !== 'READY') return deny(choices, 'session-not-ready', { value: session.status })
      session.consumed = true
      if (choices.session.consumeStarts) sessions.move(session.id, 'RUNNING')
      const token = `emw_${randomText(random, 40, '0123456789abcdefghijklmnopqrstuvwxyz')}`
      const placeholder = `The emulator has no WebRTC; session ${session.id}.`
      return success(200, { session, token }, { placeholder, token })
    },
  }
}

export function sessionHandlers(context: MediaContext): Record<string, MediaHandler> {
  return {
    createRealtimeSession: createRealtimeSession(context),
    getRealtimeSession: getRealtimeSession(context),
    consumeRealtimeSession: consumeRealtimeSession(context),
  }
}
