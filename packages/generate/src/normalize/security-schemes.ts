import type { ContractNode } from '../read/contract.ts'
import { type Json, type JsonObject, asObject, isObject } from '../read/json.ts'
import { aboutText } from './docs.ts'
import { freeName } from './names.ts'

/** A security scheme: how its credential is sent, and how to get tokens for it. */
export interface SchemeModel {
  readonly name: string
  /**
   * `secret`: one secret in one place. `basic`: a user name and a password. `custom`: clients don't know how the
   * credential is sent, so the caller passes a complete `Credential`. `transport`: the credential is part of the
   * connection, such as a client certificate.
   */
  readonly kind: 'secret' | 'basic' | 'custom' | 'transport'
  /** For the kind `secret`: where requests send the secret. */
  readonly place?: {
    readonly in: 'header' | 'query' | 'cookie'
    readonly name: string
    readonly prefix?: string
  }
  /** The type of the scheme in the contract. */
  readonly type: string
  readonly doc: string | undefined
  /** The OAuth 2.0 flows, by name. */
  readonly flows?: { readonly [flow: string]: FlowModel }
  readonly openIdConnectUrl?: string
}

interface FlowModel {
  readonly authorizationUrl?: string
  readonly deviceAuthorizationUrl?: string
  readonly tokenUrl?: string
  readonly refreshUrl?: string
  /** The description of each scope. */
  readonly scopes: { readonly [scope: string]: string }
}

const AUTHORIZATION = { in: 'header', name: 'authorization' } as const

/** Reads a security scheme of OpenAPI or AsyncAPI. */
export function readScheme(node: ContractNode, name: string): SchemeModel {
  const scheme = node.raw
  const type = String(scheme['type'])
  const about = { name, type, doc: aboutText(scheme) }
  const custom = (reason: string): SchemeModel => {
    // A missing scheme was already reported.
    if (node.isObject) node.widen(reason, 'type')
    return { ...about, kind: 'custom' }
  }
  switch (type) {
    case 'apiKey':
    case 'httpApiKey': {
      const { in: place, name: key } = scheme
      const isPlace = place === 'header' || place === 'query' || place === 'cookie'
      return isPlace && typeof key === 'string' && key !== ''
        ? { ...about, kind: 'secret', place: { in: place, name: key } }
        : custom(
            'clients send an API key only in a named header, query parameter or cookie; pass a complete `Credential`',
          )
    }
    case 'http': {
      const word = typeof scheme['scheme'] === 'string' ? scheme['scheme'].trim() : ''
      if (/^basic$/i.test(word)) return { ...about, kind: 'basic' }
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(word))
        return custom('`scheme` must be the name of an HTTP authentication scheme')
      // Names of schemes are case-insensitive (RFC 9110, section 11.1), but usually start with a capital letter.
      const prefix = `${word.charAt(0).toUpperCase()}${word.slice(1)} `
      return { ...about, kind: 'secret', place: { ...AUTHORIZATION, prefix } }
    }
    case 'oauth2':
      if (scheme['oauth2MetadataUrl'] !== undefined)
        node.note('the metadata URL is ignored; clients use the URLs of `flows`', 'oauth2MetadataUrl')
      return {
        ...about,
        kind: 'secret',
        place: { ...AUTHORIZATION, prefix: 'Bearer ' },
        flows: readFlows(scheme['flows']),
      }
    case 'openIdConnect': {
      const url = scheme['openIdConnectUrl']
      return {
        ...about,
        kind: 'secret',
        place: { ...AUTHORIZATION, prefix: 'Bearer ' },
        ...(typeof url === 'string' ? { openIdConnectUrl: url } : {}),
      }
    }
    case 'userPassword':
      node.note('the user name and the password are sent with HTTP Basic authentication', 'type')
      return { ...about, kind: 'basic' }
    case 'mutualTLS':
    case 'X509':
      node.note(
        'the certificate belongs to the connection; pass a transport that uses the certificate',
        'type',
      )
      return { ...about, kind: 'transport' }
    default:
      return custom(`clients don't know how \`${type}\` is sent; pass a complete \`Credential\``)
  }
}

/** AsyncAPI calls the scopes of a flow `availableScopes`. */
function readFlows(raw: Json | undefined): Record<string, FlowModel> {
  const flows = Object.entries(asObject(raw)).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  )
  return Object.fromEntries(
    flows.map(([name, flow]) => {
      const scopes = flow['scopes'] ?? flow['availableScopes']
      const urls = ['authorizationUrl', 'deviceAuthorizationUrl', 'tokenUrl', 'refreshUrl'].flatMap((key) =>
        typeof flow[key] === 'string' ? [[key, flow[key]] as const] : [],
      )
      return [
        name,
        {
          ...Object.fromEntries(urls),
          scopes: Object.fromEntries(
            Object.entries(asObject(scopes)).map(([scope, text]) => [scope, String(text)]),
          ),
        },
      ]
    }),
  )
}

/** Returns where a scheme's credential is sent, such as `header authorization`; undefined if unknown. */
export function placeOf({ kind, place }: SchemeModel): string | undefined {
  if (kind === 'basic') return 'header authorization'
  return place && `${place.in} ${place.in === 'header' ? place.name.toLowerCase() : place.name}`
}

interface Named {
  readonly security: readonly (string | readonly string[])[]
  readonly schemes: readonly SchemeModel[]
}

/**
 * Joins the schemes of operations and channels. If a channel's scheme has the name of an earlier scheme whose
 * credential is sent differently, the channel's scheme is renamed.
 */
export function joinSchemes<Channel extends Named>(
  operations: readonly Named[],
  channels: readonly Channel[],
): { readonly schemes: readonly SchemeModel[]; readonly channels: readonly Channel[] } {
  const schemes = new Map(
    operations.flatMap((operation) => operation.schemes).map((scheme) => [scheme.name, scheme]),
  )
  const joined = channels.map((channel) => {
    const names = new Map<string, string>()
    for (const scheme of channel.schemes) {
      const isTaken = (name: string) => {
        const other = schemes.get(name)
        return other !== undefined && !isSentAlike(other, scheme)
      }
      const name = isTaken(scheme.name) ? freeName(`${scheme.name}Socket`, isTaken) : scheme.name
      names.set(scheme.name, name)
      if (!schemes.has(name)) schemes.set(name, { ...scheme, name })
    }
    const rename = (name: string) => names.get(name) ?? name
    const security = channel.security.map((way) => (typeof way === 'string' ? rename(way) : way.map(rename)))
    return { ...channel, security }
  })
  return { schemes: [...schemes.values()], channels: joined }
}

function isSentAlike(one: SchemeModel, other: SchemeModel): boolean {
  return (
    one.kind === other.kind && placeOf(one) === placeOf(other) && one.place?.prefix === other.place?.prefix
  )
}
