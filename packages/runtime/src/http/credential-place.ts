import type { Credential } from './credential.ts'
import { headerProblem } from './headers.ts'
import { escape } from './path.ts'

/** The places of a credential, in words. */
export const PLACES = { header: 'header', query: 'query parameter', cookie: 'cookie' } as const

// The characters of a cookie's value: RFC 6265, section 4.1.1.
const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Returns why a value can't be sent in its place; `undefined` if it can. Never quotes the value. */
export function placeProblem(
  { in: place, name }: Pick<Credential, 'in' | 'name'>,
  value: unknown,
): string | undefined {
  if (place === 'header') return headerProblem(name, value)
  if (place === 'cookie' && !COOKIE_NAME.test(name)) return 'is not a valid name of a cookie'
  if (name === '') return 'is empty'
  if (typeof value !== 'string') return 'must be a string'
  if (place === 'cookie')
    return COOKIE_VALUE.test(value) ? undefined : 'contains a character that is not allowed in a cookie'
  return escape(value) === undefined ? 'contains half of a surrogate pair' : undefined
}
