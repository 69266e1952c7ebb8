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
  /** Pointer to the session's id, for example `/id`. The id must be a string. */
  readonly id: string
  /** Pointer to the session's status, for example `/status`. The status must be a string. */
  readonly status: string
}

/** The pointers for the emulator's sessions. The service's fields can have other names. @public */
export const emulatorSessionAccess: SessionAccess = { id: '/id', status: '/status' }

/** @throws OptionsError if a pointer is missing or invalid. */
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

export function sessionId(session: RealtimeSession | undefined, { id }: SessionAccess): string | undefined {
  const found = readPointer(session, id)
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** Undocumented statuses are returned unchanged. */
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
