import { randomText } from '../../core/random.ts'
import { success } from '../../core/reply.ts'
import { callerOf, jsonOf } from '../../core/service.ts'
import { deny } from '../denials.ts'
import type { RealtimeSession } from '../model.ts'
import { forOwner, type MediaContext, type MediaHandler } from '../state.ts'

const SESSION_MODEL = 'gwm1_avatars'

export function sessionHandlers(context: MediaContext): Record<string, MediaHandler> {
  const { choices, clock, random, avatars, organizations, sessions } = context
  const forSession = forOwner(sessions, () => deny(choices, 'session-not-found'))
  const showSession = ({ id, status }: RealtimeSession) => ({ id, status })
  return {
    createRealtimeSession: {
      handle(call) {
        const { name: organization } = callerOf(call)
        const { operationId } = call.operation
        const body = jsonOf(call)
        const read = choices.readBody({ operation: 'createRealtimeSession', body, nowMs: clock.now() })
        if (!read)
          return deny(choices, 'session-rejected', { value: "the fields of the request can't be read" })
        const { avatarId, model = SESSION_MODEL } = read
        if (model !== SESSION_MODEL)
          return deny(choices, 'session-rejected', {
            value: `the model must be \`${SESSION_MODEL}\`, not \`${model}\``,
          })
        if (avatarId !== undefined && avatars.get(avatarId)?.organization !== organization)
          return deny(choices, 'session-rejected', { value: `the avatar \`${avatarId}\` does not exist` })
        const session = sessions.create(organization, avatarId)
        const { credits } = choices.session
        const { id } = session
        organizations.charge({ id, organization, operationId, model, credits, charged: false })
        return success(200, session, showSession(session))
      },
    },
    getRealtimeSession: forSession((session) => success(200, session, showSession(session))),
    consumeRealtimeSession: forSession((session) => {
      if (session.consumed) return deny(choices, 'session-consumed')
      if (session.status !== 'READY') return deny(choices, 'session-not-ready', { value: session.status })
      session.consumed = true
      if (choices.session.consumeStarts) sessions.move(session.id, 'RUNNING')
      const token = `emw_${randomText(random, 40, '0123456789abcdefghijklmnopqrstuvwxyz')}`
      const placeholder = `The emulator doesn't support WebRTC (session ${session.id}).`
      return success(200, { session, token }, { placeholder, token })
    }),
  }
}
