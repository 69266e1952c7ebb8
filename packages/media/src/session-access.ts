import { OptionsError } from '@concord/runtime'
import { readPointer } from '@concord/runtime/internal'
import type { RealtimeSession, RealtimeSessionStatus } from '@concord/media-validators'

/**
 * JSON Pointers (RFC 6901) to the two fields of a session record that contain its id and its status. The names of
 * these fields are not documented.
 *
 * @public
 */
export interface SessionAccess {
  /** For example `/id`. The value must be a string. */
  readonly id: string
  /** For example `/status`. The value must be a string. */
  readonly status: string
}

/** The pointers for the emulator's sessions. The service's fields can have other names. @public */
export const emulatorSessionAccess: SessionAccess = { id: '/id', status: '/status' }

/** Checks that both pointers are valid, and returns the given object. @throws OptionsError if they aren't. */
export function checkAccess(access: SessionAccess | undefined, option: string): SessionAccess {
  if (isPointer(access?.id) && isPointer(access.status)) return access
  throw new OptionsError(
    option,
    access === undefined
      ? `\`${option}\` is required, because the service's documentation doesn't say which fields of a session contain its id and status.`
      : `\`${option}\` must contain JSON Pointers to the id and the status of a session.`,
    "Pass an object such as { id: '/id', status: '/status' }, with pointers to the service's own fields. For the emulator, pass emulatorSessionAccess.",
  )
}

/** Returns the id in a record, or `undefined` if the id is missing, empty or not a string. */
export function sessionId(session: RealtimeSession | undefined, { id }: SessionAccess): string | undefined {
  const found = readPointer(session, id)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** Returns the status in a record, or `undefined` if it isn't a string. Undocumented statuses are returned unchanged. */
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
