import type { ServiceModel } from '../normalize/model.ts'
import { freeName, pascalCase, toMemberName, toOperationName } from '../normalize/names.ts'
import type { SchemeModel } from '../normalize/security-schemes.ts'
import type { AddressModel } from '../normalize/servers.ts'

/**
 * The options that every client class has. If an option from a contract had one of these names, the compiler would
 * reject the class.
 */
const SHARED_OPTIONS: readonly string[] =
  `allServers clock connections deadline headers maxResponseBytes observe onDrift polling
  quotaHeaders random requestIdHeader retry server serverVariables signal socketFactory timeoutMs transport validate`.split(
    /\s+/,
  )

/** The members that every object inherits. An option with one of these names would seem to be set in every object. */
const OBJECT_MEMBERS: readonly string[] = Object.getOwnPropertyNames(Object.prototype)

/** The members for tags and channels in a client class can't have these names. */
const SHARED_MEMBERS: readonly string[] = 'api client close constructor toJSON waits withResponse'.split(' ')

/** The types that client.gen.ts can import from the runtime. */
const IMPORTED_TYPES: readonly string[] =
  `BasicSecret ClassOptions Client ClientFacts ConnectOptions Connection Credential
  SecretSource Submitting Waiting Waits`.split(/\s+/)

export interface ClientNames {
  readonly className: string
  readonly optionsName: string
  readonly waitsName: string
  /** The prefix of the names of environment variables. */
  readonly prefix: string
  /** The documented values of each base URL, by the name of the option that sets the base URL. */
  readonly servers: ReadonlyMap<string, readonly AddressModel[]>
  /** The security scheme of each credential, by the name of the option that sets the credential. */
  readonly credentials: ReadonlyMap<string, SchemeModel>
  /** The name of the method that opens each channel, by the name of the channel. */
  readonly channels: ReadonlyMap<string, string>
  /** The groups of operations with the same first tag, by the name of the class member that contains the group. */
  readonly groups: ReadonlyMap<string, Group>
}

interface Group {
  readonly tag: string
  readonly operations: readonly string[]
}

export function clientNames(model: ServiceModel, wanted: string): ClientNames {
  const types = new Set([...model.schemas.keys(), ...IMPORTED_TYPES, ...mapTypes(model)])
  const derived = (name: string) => [name, `${name}Options`, `${name}Waits`]
  const isTaken = (name: string) => derived(name).some((each) => types.has(each))
  const className = isTaken(wanted) ? freeName(`${wanted}Client`, isTaken) : wanted
  const [, optionsName = '', waitsName = ''] = derived(className)
  const servers = serversOf(model)
  const options = new Set([...SHARED_OPTIONS, ...OBJECT_MEMBERS, ...servers.keys()])
  const credentials = new Map(
    model.schemes.map(
      (scheme) => [take(toOperationName(scheme.name), options, 'Credential'), scheme] as const,
    ),
  )
  const members = new Set(SHARED_MEMBERS)
  const channels = new Map(
    model.channels.map(({ id }) => [id, take(`connect${pascalCase(id)}`, members)] as const),
  )
  return {
    className,
    optionsName,
    waitsName,
    prefix: upperSnake(className),
    servers,
    credentials,
    channels,
    groups: groupsOf(model, members),
  }
}

function mapTypes({ channels }: ServiceModel): string[] {
  return channels.flatMap(({ sends, receives }) => [sends.mapType, receives.mapType])
}

/** The base URLs that operations use, in the order of the contract, then the base URLs that only channels use. */
function serversOf({ operations, channels }: ServiceModel): Map<string, readonly AddressModel[]> {
  const servers = new Map(operations.map(({ server, addresses }) => [server, addresses] as const))
  for (const { server, servers: documented } of channels)
    if (!servers.has(server)) servers.set(server, documented)
  return servers
}

/**
 * Groups operations by their first tag. Tags that become the same member name, such as `Web Hooks` and `web-hooks`,
 * share a group.
 */
function groupsOf({ operations }: ServiceModel, members: ReadonlySet<string>): Map<string, Group> {
  const groups = new Map<string, Group>()
  for (const { id, tags } of operations) {
    const [tag] = tags
    if (tag === undefined) continue
    const name = toMemberName(tag)
    const member = members.has(name) ? `${name}Operations` : name
    const before = groups.get(member)
    groups.set(member, { tag: before?.tag ?? tag, operations: [...(before?.operations ?? []), id] })
  }
  return groups
}

function take(wanted: string, taken: Set<string>, suffix = ''): string {
  const name = taken.has(wanted) ? freeName(`${wanted}${suffix}`, (each) => taken.has(each)) : wanted
  taken.add(name)
  return name
}

/** Turns `baseUrl` into `BASE_URL`. The runtime derives the names of environment variables in the same way. */
export function upperSnake(name: string): string {
  return name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .replaceAll(/[^\p{L}\p{Nl}\p{Nd}]+/gu, '_')
    .toUpperCase()
}
