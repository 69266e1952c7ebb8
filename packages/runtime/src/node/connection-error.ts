import { ConnectionError, type ConnectionPhase } from '../core/errors.ts'
import type { TransportRequest } from '../http/transport.ts'

const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/

const UNREACHED_CODE =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/

interface SystemError extends Error {
  readonly code?: unknown
  readonly syscall?: unknown
}

export const PHASE_ADVICE: Readonly<Record<ConnectionPhase, string>> = {
  dns: 'the server name could not be resolved. Check the base URL and the network.',
  connect: 'the server could not be reached. Check the base URL, the network and the proxy.',
  tls: 'the TLS handshake failed. Check the certificate, and whether the server uses https.',
  send: 'the connection was lost while the request was being sent.',
  receive: 'the connection was lost before the response was complete.',
}

/** Advice for host names that end in `.invalid`. They never resolve (RFC 2606), and in-process emulators use them. */
const IN_PROCESS =
  'this address exists only inside a process. For an emulator in the same process, pass `transport: memoryTransport(fetch)` ' +
  "with the emulator's `fetch`. If a library such as msw intercepts `fetch`, pass `transport: fetchTransport()`."

export function toConnectionError(
  error: Error,
  request: TransportRequest,
  bodySent: boolean,
): ConnectionError {
  const { sent } = request.control
  const phase = phaseOf(error, request, bodySent)
  const advice = phase === 'dns' && request.origin.endsWith('.invalid') ? IN_PROCESS : PHASE_ADVICE[phase]
  return new ConnectionError(
    `${request.method} ${request.origin}: ${advice}`,
    { phase, sent },
    { cause: error },
  )
}

function phaseOf(error: SystemError, request: TransportRequest, bodySent: boolean): ConnectionPhase {
  const { sent } = request.control
  if (sent === 'yes') return 'receive'
  // `sent` can already be 'maybe' here: libraries that intercept sockets report a connection before they resolve the
  // name.
  if (error.syscall === 'getaddrinfo') return 'dns'
  if (sent === 'maybe') return bodySent ? 'receive' : 'send'
  return connectionPhase(error, request.origin.startsWith('https:')) ?? 'send'
}

/** Returns the phase in which connecting failed; `undefined` if the server was reached and the failure came later. */
export function connectionPhase(error: SystemError, secure: boolean): ConnectionPhase | undefined {
  if (error.syscall === 'getaddrinfo') return 'dns'
  const code = typeof error.code === 'string' ? error.code : ''
  if (TLS_CODE.test(code)) return 'tls'
  if (error.syscall === 'connect' || UNREACHED_CODE.test(code)) return 'connect'
  // If a secure connection is reset before a request is sent, the TLS handshake failed.
  return secure && code === 'ECONNRESET' && error.message !== 'socket hang up' ? 'tls' : undefined
}
