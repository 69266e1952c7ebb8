import type { ContractNode } from '../read/contract.ts'
import { type JsonObject, isList } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { placeOf, readScheme, type SchemeModel } from './security-schemes.ts'

/** The credentials of an operation or a channel. */
export interface Security {
  /**
   * The alternatives for a call. Each is the name of one security scheme, or the names of several schemes whose
   * credentials are sent together.
   */
  readonly names: readonly (string | readonly string[])[]
  /** Whether the contract also allows a call without credentials. */
  readonly optional: boolean
  readonly schemes: readonly SchemeModel[]
  /** A sentence about the required scopes. */
  readonly doc: string | undefined
}

/** Reads the `security` of an operation, or else of the document. The requirement `{}` makes credentials optional. */
export function readSecurity(operation: ContractNode): Security {
  const { contract } = operation
  const own = operation.at('security')
  const list = own.value === undefined || own.value === null ? contract.root.at('security') : own
  const names: (string | readonly string[])[] = []
  const schemes: SchemeModel[] = []
  const docs: string[] = []
  let optional = false
  for (const requirement of list.items()) {
    const all = Object.keys(requirement.raw).map((name) => {
      const reference = { $ref: childPointer('#/components/securitySchemes', name) }
      return readScheme(requirement.with(reference).follow(), name)
    })
    const sent = all.filter(({ kind }) => kind !== 'transport')
    schemes.push(...sent)
    if (sent.length === 0) optional = true
    else names.push(...waysOf(sent, requirement))
    docs.push(...scopesDoc(requirement.raw))
  }
  return {
    names,
    optional: optional && names.length > 0,
    schemes,
    doc: docs.length === 0 ? undefined : `Scopes: ${docs.join(', or ')}.`,
  }
}

/**
 * Returns the alternatives (see {@link Security.names}) for one requirement. Usually, this is one alternative: all
 * schemes together. If two credentials would be sent in the same place, each scheme becomes an alternative.
 */
function waysOf(
  schemes: readonly SchemeModel[],
  requirement: ContractNode,
): readonly (string | readonly string[])[] {
  const [first, second] = schemes
  if (first !== undefined && second === undefined) return [first.name]
  const places = schemes.map(placeOf).filter((place) => place !== undefined)
  const names = schemes.map(({ name }) => name)
  if (new Set(places).size === places.length) return [names]
  requirement.widen(
    'these credentials are sent in the same place, so a request can carry only one; the client treats any of them as enough',
  )
  return names
}

function scopesDoc(requirement: JsonObject): string[] {
  return Object.entries(requirement).flatMap(([name, scopes]) =>
    isList(scopes) && scopes.length > 0
      ? [`${scopes.map((scope) => `\`${String(scope).replaceAll('`', "'")}\``).join(', ')} of \`${name}\``]
      : [],
  )
}
