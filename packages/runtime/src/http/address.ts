import { OptionsError } from '../core/errors.ts'
import { absoluteAddress } from '../core/option-checks.ts'

/** A base address in the two parts that a request needs. @public */
export interface BaseAddress {
  /** Scheme, host and port. */
  readonly origin: string
  /** The path prefix, without a slash at its end; empty where there is none. */
  readonly prefix: string
}

/**
 * Parses a base address. Paths are appended to it, never resolved against it, so that a prefix is kept.
 *
 * @throws OptionsError if it is not absolute (in browsers: nor a path), or has a query, a fragment or a user name.
 * @public
 */
export function parseBaseAddress(value: unknown, option: string): BaseAddress {
  const address = absoluteAddress(value)
  const url = address === undefined ? null : URL.parse(address)
  if (url === null) {
    throw new OptionsError(
      option,
      `\`${option}\` is not an absolute http or https address.`,
      'Pass scheme and host, and the path prefix if there is one: https://api.example.com/prefix. A path such as /api works only in browsers.',
    )
  }
  if (
    url.search !== '' ||
    url.hash !== '' ||
    (value as string).includes('?') ||
    (value as string).includes('#')
  ) {
    throw new OptionsError(
      option,
      `\`${option}\` has a query or a fragment, which would be lost.`,
      'Pass the address without it, and query parameters with each call.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new OptionsError(
      option,
      `\`${option}\` contains a user name or password.`,
      'Pass the address without it; credentials have their own options.',
    )
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}
