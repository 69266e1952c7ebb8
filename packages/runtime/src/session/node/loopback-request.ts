import type { IncomingMessage } from 'node:http'

/** The code of the expected navigation, or the status for any other request. */
export type Callback = { readonly code: string } | { readonly status: number; readonly allow?: string }

/** Anything longer is not a code. */
const MAX_CODE_LENGTH = 4096

/**
 * Accepts only the navigation of a person's browser to the callback. Everything else that can reach a local port is
 * rejected: other paths and methods, a name that was made to point to this machine (wrong Host), and requests of scripts,
 * pictures, frames and prefetches of other pages. The `Sec-Fetch-` headers (Fetch Metadata) are checked if the browser
 * sends them.
 */
export function readCallback(
  request: IncomingMessage,
  expected: { readonly port: number; readonly path: string; readonly parameter: string },
): Callback {
  const { method, headers, url = '' } = request
  const { port, path, parameter } = expected
  const hosts = [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]
  // Exactly one Host (RFC 9112, section 3.2). Node keeps only the first of several in `headers`.
  if (request.headersDistinct.host?.length !== 1) return { status: 400 }
  if (!hosts.includes(headers.host?.toLowerCase() ?? '')) return { status: 421 }
  if (!url.startsWith('/')) return { status: 400 }
  const queryAt = url.indexOf('?')
  if ((queryAt < 0 ? url : url.slice(0, queryAt)) !== path) return { status: 404 }
  if (method !== 'GET') return { status: 405, allow: 'GET' }
  if (!isNavigation(headers)) return { status: 403 }
  const codes = new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1)).getAll(parameter)
  const [code] = codes
  if (codes.length !== 1 || code === undefined || code === '' || code.length > MAX_CODE_LENGTH)
    return { status: 400 }
  return { code }
}

function isNavigation(headers: IncomingMessage['headers']): boolean {
  const is = (name: string, ...values: readonly string[]): boolean => {
    const value = headers[name]
    return value === undefined || (typeof value === 'string' && values.includes(value.toLowerCase()))
  }
  return (
    is('sec-fetch-mode', 'navigate') &&
    is('sec-fetch-dest', 'document') &&
    // Without Fetch Metadata: scripts that read the answer send an Origin, navigations don't.
    (headers['sec-fetch-mode'] !== undefined || headers['origin'] === undefined) &&
    headers['sec-purpose'] === undefined &&
    headers['purpose'] === undefined
  )
}
