import { type ContractNode, perContract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, isList, isObject } from '../read/json.ts'
import { text } from './docs.ts'
import { camelCase, freeName, toOperationName } from './names.ts'

/** The address of a documented server. */
export interface AddressModel {
  /** The name by which a caller selects the address. */
  readonly name: string
  /** The URL in the contract. It may be relative, and parts in braces are variables. */
  readonly url: string
  readonly doc: string | undefined
  readonly variables: {
    readonly [name: string]: {
      readonly default?: string
      readonly enum?: readonly string[]
      readonly description?: string
    }
  }
}

/** The servers of an operation, which share one client option. */
interface OperationServer {
  /** The client option that sets the base URL, such as `baseUrl`. */
  readonly server: string
  readonly addresses: readonly AddressModel[]
}

const LOOPBACK = /^https?:\/\/(?:(?:[^/:]+\.)?localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?=[:/]|$)/i

/** The maximum length of a name that is derived from a server's description. */
const MAX_NAME = 40

/** Maps each list of servers to the name of its base URL. The document's own list is named first. */
const namesIn = perContract((contract) => {
  const names = new Map<string, string>()
  const { servers } = contract.root.raw
  if (isList(servers)) nameServer(addressesOf(servers), names)
  return names
})

/** Reads the servers of an operation: its own, or else those of its path, or else those of the document. */
export function readServer(operation: ContractNode, ofPath: ContractNode | undefined): OperationServer {
  const { contract, raw } = operation
  const list = raw['servers'] ?? ofPath?.value ?? contract.root.raw['servers']
  if (list !== undefined && !isList(list)) operation.widen('`servers` must be a list', 'servers')
  const addresses = addressesOf(asList(list))
  return { server: nameServer(addresses, namesIn(contract)), addresses }
}

/**
 * Names the base URL of a list of servers. If the first URL has a variable instead of a host, as in `{apiUrl}/v1`,
 * the base URL is named after the variable. Otherwise, the first list and any empty list get the name `baseUrl`, and
 * other lists are named after the host in their first URL.
 */
function nameServer(addresses: readonly AddressModel[], names: Map<string, string>): string {
  const variable = /^\{([^}]+)\}(?:\/|$)/.exec(addresses[0]?.url ?? '')?.[1]
  if (variable !== undefined) return camelCase(variable)
  const key = JSON.stringify(addresses.map(({ url, variables }) => [url, variables]))
  const known = names.get(key)
  if (known !== undefined) return known
  const taken = new Set(names.values())
  const host = (addresses[0]?.url ?? '').replace(/^[a-z]+:\/\//i, '').split('/', 1)[0]
  const name = taken.size === 0 || addresses.length === 0 ? 'baseUrl' : toOperationName(`${host} url`)
  const free = freeName(name, (each) => addresses.length > 0 && taken.has(each))
  names.set(key, free)
  return free
}

/** The absolute URLs of a document's servers, as {@link usualAddress} returns them. */
export function basesOf(root: JsonObject): ReadonlySet<string> {
  const usual = addressesOf(asList(root['servers'])).map(usualAddress)
  return new Set(usual.filter((url) => /^https?:\/\/[^/{]/i.test(url)))
}

function addressesOf(list: readonly Json[]): AddressModel[] {
  const names = new Set<string>()
  const addresses = list.filter(isObject).flatMap((server) => {
    if (typeof server['url'] !== 'string') return []
    const name = freeName(nameOf(server), (each) => names.has(each))
    names.add(name)
    const url = server['url'].trim()
    return [
      {
        name,
        url,
        doc: text(server['description']),
        variables: variablesIn(String(server['url']), asObject(server['variables'])),
      },
    ]
  })
  const isRemote = ({ url }: AddressModel) => /^https?:/i.test(url) && !LOOPBACK.test(url)
  // The first address is the default, so remote servers come before servers on the user's own machine.
  return addresses.some(isRemote)
    ? addresses.toSorted((one, other) => Number(LOOPBACK.test(one.url)) - Number(LOOPBACK.test(other.url)))
    : addresses
}

/** The name of a server: its `name` (OpenAPI 3.2), or else a name derived from its description or URL. */
function nameOf({ name, description, url }: JsonObject): string {
  if (typeof name === 'string' && name.trim() !== '') return toOperationName(name)
  const described = typeof description === 'string' ? toOperationName(description) : ''
  if (described !== '' && described.length <= MAX_NAME && /[A-Za-z]/.test(described)) return described
  return toOperationName(String(url).replace(/^[a-z]+:\/\//i, ''))
}

/** The variables in a URL, including undocumented variables. */
export function variablesIn(
  url: string,
  documented: JsonObject,
  follow: (name: string) => JsonObject = (name) => asObject(documented[name]),
): AddressModel['variables'] {
  const names = [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
  return Object.fromEntries(
    names.map((name) => {
      const entry = Object.hasOwn(documented, name) ? follow(name) : {}
      const { default: usual, enum: values, description } = entry
      return [
        name,
        {
          ...(usual === undefined || usual === null ? {} : { default: String(usual) }),
          ...(isList(values) && values.length > 0 ? { enum: values.map(String) } : {}),
          ...(typeof description === 'string' ? { description } : {}),
        },
      ]
    }),
  )
}

/** Returns the URL of an address. Replaces variables with their defaults, and removes slashes at the end. */
export function usualAddress({ url, variables }: AddressModel): string {
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => variables[name]?.default ?? whole)
  return filled.replace(/\/+$/, '')
}
