import { invalidOptions } from '@concord/spec-model'

import { shownAddress } from './hints.ts'

/**
 * Checks that the URLs of a service have an allowed scheme, and no user name, password, query or fragment.
 *
 * @throws ContractError if a URL is invalid.
 */
export function checkAddresses(
  baseUrl: string,
  servers: Readonly<Record<string, string>>,
  schemes: readonly string[],
): void {
  for (const [server, address] of [[undefined, baseUrl] as const, ...Object.entries(servers)]) {
    const parsed = URL.parse(address)
    if (parsed && isPlain(parsed) && schemes.includes(parsed.protocol.slice(0, -1))) continue
    const names = schemes.map((scheme) => `${scheme}://`)
    throw invalidOptions(
      wrongAddress(address, server),
      `Pass a URL that begins with ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, without a user name, password, query or fragment.`,
    )
  }
}

/** @throws ContractError if the percentage isn't from 0 to 100. */
export function checkMinCoverage(percent = 0): void {
  if (percent >= 0 && percent <= 100) return
  throw invalidOptions(`A minimum coverage of ${percent} isn't possible.`, 'Pass a percentage from 0 to 100.')
}

const isPlain = ({ username, password, search, hash }: URL): boolean =>
  username + password + search + hash === ''

/** Returns an error message that leaves out the parts of the address that may be secret. */
function wrongAddress(address: string, server?: string): string {
  const parsed = URL.parse(address)
  if (parsed === null)
    return `${server === undefined ? 'The base URL' : `The URL of the server ${server}`} isn't a valid URL.`
  const shown = shownAddress(address)
  return isPlain(parsed)
    ? `${shown} doesn't begin with a supported scheme.`
    : `The URL ${shown} was passed with a user name, a password, a query or a fragment.`
}

/** Checks that names are in the contract. @throws ContractError that lists the names in the contract. */
export function checkNames(
  { name: contract }: { readonly name: string },
  what: string,
  given: readonly string[],
  known: Iterable<string>,
): void {
  const names = [...new Set(known)]
  const stray = given.find((name) => !names.includes(name))
  if (stray === undefined) return
  throw invalidOptions(
    `${contract} has no ${what} \`${stray}\`.`,
    names.length > 0
      ? `Valid names: ${names.join(', ')}.`
      : `Remove this name, because ${contract} has no ${what}s.`,
  )
}
