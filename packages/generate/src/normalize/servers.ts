import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { text } from './docs.ts'
import { camelCase, freeName, toOperationName } from './names.ts'

/** One documented address. */
export interface AddressModel {
  /** The name by which a caller picks it. */
  readonly name: string
  /** As in the contract: it may be relative, and parts in braces are variables. */
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

/** The base URL that an operation is sent to. */
interface OperationServer {
  /** The name of the base URL of a client. */
  readonly server: string
  readonly addresses: readonly AddressModel[]
}

/** A server on the machine of its user. */
const LOOPBACK = /^https?:\/\/(?:(?:[^/:]+\.)?localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?=[:/]|$)/i

/** The longest description that becomes a name. */
const MAX_NAME = 40

/**
 * Names the base URL for each list of servers of a document: `baseUrl` for that of the whole document, or else for
 * the first one. Others are named after their host, and an address that is nothing but a variable is named after that.
 */
export class ServerNames {
  readonly #names = new Map<string, string>()

  constructor(root: JsonObject) {
    if (isList(root['servers'])) this.#of(addressesOf(root['servers']))
  }

  /** Reads the servers of an operation: its own, or else those of its path, or else those of the document. */
  read(contract: Contract, operation: JsonObject, path: JsonObject, pointer: string): OperationServer {
    const list = operation['servers'] ?? path['servers'] ?? contract.root['servers']
    if (list !== undefined && !isList(list))
      contract.widen(childPointer(pointer, 'servers'), '`servers` must be a list')
    const addresses = addressesOf(asList(list))
    return { server: this.#of(addresses), addresses }
  }

  #of(addresses: readonly AddressModel[]): string {
    const variable = /^\{([^}]+)\}(?:\/|$)/.exec(addresses[0]?.url ?? '')?.[1]
    if (variable !== undefined) return camelCase(variable)
    const key = JSON.stringify(addresses.map(({ url, variables }) => [url, variables]))
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const taken = new Set(this.#names.values())
    const host = (addresses[0]?.url ?? '').replace(/^[a-z]+:\/\//i, '').split('/', 1)[0]
    const name = taken.size === 0 || addresses.length === 0 ? 'baseUrl' : toOperationName(`${host} url`)
    const free = freeName(name, (each) => addresses.length > 0 && taken.has(each))
    this.#names.set(key, free)
    return free
  }
}

/** The absolute addresses of a document, with the defaults of their variables and without a slash at the end. */
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
  // The first one is the default, and a document that names the service and a test server means the service.
  return addresses.some(isRemote)
    ? addresses.toSorted((one, other) => Number(LOOPBACK.test(one.url)) - Number(LOOPBACK.test(other.url)))
    : addresses
}

/** `name` is of OpenAPI 3.2. */
function nameOf({ name, description, url }: JsonObject): string {
  if (typeof name === 'string' && name.trim() !== '') return toOperationName(name)
  const described = typeof description === 'string' ? toOperationName(description) : ''
  if (described !== '' && described.length <= MAX_NAME && /[A-Za-z]/.test(described)) return described
  return toOperationName(String(url).replace(/^[a-z]+:\/\//i, ''))
}

/** The variables in a URL, as far as they are documented. */
export function variablesIn(
  url: string,
  documented: JsonObject,
  follow: (entry: Json, name: string) => Json = (entry) => entry,
): AddressModel['variables'] {
  const names = [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
  return Object.fromEntries(
    names.map((name) => {
      const entry = Object.hasOwn(documented, name) ? follow(documented[name] ?? null, name) : undefined
      const { default: usual, enum: values, description } = asObject(entry)
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

/** An address with the defaults of its variables, without a slash at its end. */
export function usualAddress({ url, variables }: AddressModel): string {
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => variables[name]?.default ?? whole)
  return filled.replace(/\/+$/, '')
}
