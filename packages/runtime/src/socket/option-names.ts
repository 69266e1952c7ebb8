import type { OptionNames } from '../core/option-checks.ts'
import type { SocketOptions } from './options.ts'

/** The names of {@link SocketOptions}, for a client that also has options of its own. @public */
export const SOCKET_OPTIONS: OptionNames<SocketOptions> = {
  extra: true,
  signal: true,
  handshakeTimeoutMs: true,
  closeTimeoutMs: true,
  validate: true,
  compression: true,
  maxMessageBytes: true,
  sending: true,
  receiving: true,
  properEnd: true,
  reconnect: true,
  liveness: true,
  weight: true,
  connectionLimitTimeoutMs: true,
  socketFactory: true,
}
