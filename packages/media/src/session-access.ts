import { OptionsError } from '@concord/runtime'
import { readPointer } from '@concord/runtime/internal'
import type { RealtimeSession, RealtimeSessionStatus } from '@concord/media-validators'

/**
 * Where a session record has its identifier and its status, as JSON Pointers (RFC 6901). The names of these fields are not
 * documented.
 *
 * @public
 */
export interface SessionAccess {
  /** Such as `/id`. The value must be a string. */
  readonly id: string
  /** Such as `/status`. The value must be a string. */
  readonly status: string
}

/** The pointers for the emulator: its own choice, not a fact about the service. @public */
export const emulatorSessionAccess: SessionAccess = { id: '/id', status: '/status' }

/** Checks and returns an access. @throws OptionsError */
export function checkAccess(access: SessionAccess | undefined, option: string): SessionAccess {
  if (isPointer(access?.id) && isPointer(access.status)) return access
  throw new OptionsError(
    option,
    access === undefined
      ? `\`${option}\` is missing. The documentation doesn't say which fields of a session contain its identifier and its status.`
      : `\`${option}\` must contain the JSON Pointers of the identifier and the status of a session.`,
    "Pass { id: '/id', status: '/status' } with the names that you know, or emulatorSessionAccess for the emulator.",
  )
}

/** The identifier in a record; `undefined` if it isn't a non-empty string. */
export function sessionId(session: RealtimeSession | undefined, { id }: SessionAccess): string | undefined {
  const found = readPointer(session, id)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** The status in a record; `undefined` if it isn't a string. Undocumented statuses are returned unchanged. */
export function sessionStatus(
  session: RealtimeSession | undefined,
  { status }: SessionAccess,
): RealtimeSessionStatus | undefined {
  const found = readPointer(session, status)
  return typeof found === 'string' ? (found as RealtimeSessionStatus) : undefined
}

function isPointer(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/')
}
