import type { Operation, Spec } from '@concord/spec-model'

import { headerValue, mediaTypeOf, type RecordedResponse } from '../http/exchange.ts'

export interface SeenResponse {
  readonly operation: Operation
  readonly response: RecordedResponse
  /** Whether the request was meant to succeed. */
  readonly expectsSuccess: boolean
  /** Whether a credential from the options was sent. A deliberately wrong credential doesn't count. */
  readonly withKey: boolean
}

/** Returns hints about likely mistakes in the settings. */
export function hintsFrom(spec: Spec, baseUrl: string, seen: readonly SeenResponse[]): readonly string[] {
  if (seen.length === 0) return []
  const all = (holds: (one: SeenResponse) => boolean): boolean => seen.every(holds)
  const shown = shownAddress(baseUrl)
  if (
    all(({ response }) => response.status === 404 || response.status === 405) &&
    seen.some((one) => one.expectsSuccess)
  )
    return [
      `The server responds with ${statusesOf(seen)} to everything below ${shown}. ${pathHint(spec, baseUrl)}`,
    ]
  if (all(({ response }) => response.status >= 300 && response.status < 400)) {
    const location = headerValue(seen[0]?.response.headers ?? [], 'location')
    const target = location === undefined ? null : URL.parse(location, baseUrl)
    const where = target ? ` (for example, to ${target.origin}${target.pathname})` : ''
    return [
      `The server redirects every request${where}, and redirects are not followed: pass the final URL as --base-url.`,
    ]
  }
  const withKey = seen.filter((one) => one.withKey)
  if (
    withKey.length > 0 &&
    withKey.every(({ response }) => response.status === 401 || response.status === 403)
  )
    return [
      `The server responds with ${statusesOf(withKey)} to every request that has a credential: is the credential valid for ${shown}?`,
    ]
  const documentsHtml = spec.operations.some((one) =>
    one.responses.some((response) => response.media.some(({ type }) => type.startsWith('text/html'))),
  )
  if (!documentsHtml && all(({ response }) => mediaTypeOf(response.headers) === 'text/html'))
    return [`Every response is an HTML page: is ${shown} the URL of a website instead of the API?`]
  return []
}

function pathHint(spec: Spec, baseUrl: string): string {
  const path = new URL(baseUrl).pathname.replace(/\/$/, '')
  const documented = spec.operations
    .map(({ server }) => URL.parse(server, 'http://contract.invalid')?.pathname.replace(/\/$/, '') ?? '')
    .find((one) => one !== '' && !/%7B|\{/i.test(one) && one !== path)
  if (documented !== undefined)
    return `Is a base path missing? The server in the contract has the path ${documented}.`
  return path === ''
    ? 'Is a base path missing? The paths of the contract are appended to the URL.'
    : `Is ${path} the right base path? The paths of the contract are appended to it.`
}

function statusesOf(seen: readonly SeenResponse[]): string {
  return [...new Set(seen.map(({ response }) => response.status))].sort().join(' or ')
}

/** Returns a URL without its user name, password, query and fragment. */
export function shownAddress(address: string): string {
  const { protocol, host, pathname } = new URL(address)
  // `localhost:80` parses as a URL with the scheme `localhost` and no host.
  return host === '' ? `${protocol}${pathname}` : `${protocol}//${host}${pathname.replace(/\/$/, '')}`
}
