import { ConnectionError, type ConnectionPhase } from '../core/errors.ts'
import type { TransportRequest } from '../http/transport.ts'

const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/

/** Codes of a server that was not reached, also where all its addresses were tried. */
const UNREACHED_CODE =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/

/** What Node says of an error of the network. */
export interface SystemError extends Error {
  readonly code?: unknown
  readonly syscall?: unknown
}

export const PHASE_ADVICE: Readonly<Record<ConnectionPhase, string>> = {
  dns: 'the name of the server is not known. Check the base address and the network.',
  connect: 'the server could not be reached. Check the base address, the network and the proxy.',
  tls: 'no secure connection could be agreed on. Check the certificate, and that the address is meant to be https.',
  send: 'the connection was lost while the request was sent.',
  receive: 'the connection was lost before the answer was complete.',
}

/** Says at which point the network failed. Nothing has been sent as long as no connection took the request. */
export function toConnectionError(
  error: Error,
  request: TransportRequest,
  bodySent: boolean,
): ConnectionError {
  const { sent } = request.control
  const phase = phaseOf(error, request, bodySent)
  return new ConnectionError(
    `${request.method} ${request.origin}: ${PHASE_ADVICE[phase]}`,
    { phase, sent },
    { cause: error },
  )
}

function phaseOf(error: SystemError, request: TransportRequest, bodySent: boolean): ConnectionPhase {
  const { sent } = request.control
  if (sent === 'yes') return 'receive'
  if (sent === 'maybe') return bodySent ? 'receive' : 'send'
  return connectionPhase(error, request.origin.startsWith('https:')) ?? 'send'
}

/** At which point no connection could be made; `undefined` when the server was reached and failed after that. */
export function connectionPhase(error: SystemError, secure: boolean): ConnectionPhase | undefined {
  if (error.syscall === 'getaddrinfo') return 'dns'
  const code = typeof error.code === 'string' ? error.code : ''
  if (TLS_CODE.test(code)) return 'tls'
  if (error.syscall === 'connect' || UNREACHED_CODE.test(code)) return 'connect'
  // A reset after the TCP connection was made, before any request: the TLS handshake failed.
  return secure && code === 'ECONNRESET' && error.message !== 'socket hang up' ? 'tls' : undefined
}
