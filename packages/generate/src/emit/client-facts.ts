import type { AddressModel } from '../normalize/servers.ts'
import type { ClientNames } from './client-names.ts'
import { mapValues } from './operations-file.ts'

/** Whether an address is relative to the URL of the contract, which clients don't know. */
function isRelative({ url }: AddressModel): boolean {
  return !/^https?:\/\/[^/]/i.test(url) && !/^\{[^{}]+\}(?::\/\/|$|\/)/.test(url)
}

/**
 * The addresses that are absolute when their variables have the default values. A client can use only these addresses
 * as default URLs.
 */
export function usable(addresses: readonly AddressModel[]): AddressModel[] {
  return addresses.filter((address) => {
    if (isRelative(address)) return false
    const [variable] = Object.entries(address.variables)
    const startsWithVariable = address.url.startsWith('{')
    return !startsWithVariable || /^https?/i.test(variable?.[1].default ?? '')
  })
}

/** The facts that a client class passes to the runtime, as plain data. */
export function factsOf({ className, prefix, servers, credentials }: ClientNames): object {
  return {
    name: className,
    prefix,
    servers: Object.fromEntries(
      [...servers].map(([option, addresses]) => [
        option,
        Object.fromEntries(
          usable(addresses).map(({ name, url, variables }) => [
            name,
            {
              url,
              variables:
                Object.keys(variables).length === 0
                  ? undefined
                  : mapValues(variables, ({ default: usual, enum: values }) => ({
                      default: usual,
                      enum: values,
                    })),
            },
          ]),
        ),
      ]),
    ),
    credentials: Object.fromEntries(
      [...credentials].map(([option, { name: scheme, kind, place }]) => [option, { scheme, kind, place }]),
    ),
  }
}
