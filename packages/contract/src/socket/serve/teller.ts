import type { SocketSpec } from '@concord/spec-model'

import { credentialsOf, hiderOf, withoutSecrets } from '../../recorded/credentials.ts'
import type { Handshake } from '../judge/channel-of.ts'
import type { SeenSocketEvent } from './seen.ts'

/** Returns a function that reports the events of one connection without the credentials of its handshake. */
export function teller(
  { securitySchemes }: Pick<SocketSpec, 'securitySchemes'>,
  handshake: Handshake,
  onEvent: ((seen: SeenSocketEvent) => void) | undefined,
): (seen: SeenSocketEvent) => void {
  const hideCredentials = hiderOf(credentialsOf(securitySchemes, handshake))
  return (seen) =>
    onEvent?.({
      ...seen,
      findings: withoutSecrets(seen.findings, hideCredentials),
      ...('path' in seen && { path: hideCredentials(seen.path) }),
    })
}
