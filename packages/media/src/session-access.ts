import { OptionsError } from '@concord/runtime'
import type { RealtimeSession } from '@concord/media-validators'

/**
 * Where the identifier and the status of a session stand in an answer. The documentation does not show their names, so
 * you say it; what is not a text is an error.
 *
 * @public
 */
export interface SessionAccess {
  idOf(session: RealtimeSession): unknown
  statusOf(session: RealtimeSession): unknown
}

/** Reads sessions as the emulator shows them: its own choice, not a fact about the service. @public */
export const emulatorSessionAccess: SessionAccess = {
  idOf: (session) => session['id'],
  statusOf: (session) => session['status'],
}

/** Gives back what can be used. @throws OptionsError */
export function checkAccess(access: SessionAccess | undefined, option: string): SessionAccess {
  if (typeof access?.idOf === 'function' && typeof access.statusOf === 'function') return access
  throw new OptionsError(
    option,
    access === undefined
      ? `\`${option}\` is missing: the documentation does not say where a session carries its id and status.`
      : `\`${option}\` does not say where a session carries its id and status.`,
    'Pass { idOf, statusOf }, or emulatorSessionAccess for the emulator.',
  )
}
