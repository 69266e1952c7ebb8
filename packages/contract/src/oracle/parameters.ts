import {
  arrayOf,
  isObject,
  objectOf,
  type Operation,
  type Parameter,
  type SchemaOracle,
} from '@concord/spec-model'

/** A name and a value in a query. The value consists of pieces with a delimiter between them. */
export interface QueryPair {
  readonly name: string
  readonly pieces: readonly string[]
  readonly delimiter: string
  /** Set if the value has nested arrays or objects. OpenAPI doesn't define how to write such a value. */
  readonly isOpen?: true
}

const delimiters: Record<string, string> = { form: ',', spaceDelimited: ' ', pipeDelimited: '|' }

/** Returns the query pairs that represent a parameter's value in the parameter's style (OpenAPI 3.1, Style Values). */
export function queryPairs(
  parameter: Pick<Parameter, 'name' | 'style' | 'explode' | 'isJson'>,
  value: unknown,
): readonly QueryPair[] {
  const { name, style, explode } = parameter
  if (parameter.isJson) return [{ name, pieces: [JSON.stringify(value)], delimiter: '' }]
  if (value === null) return []
  const delimiter = delimiters[style] ?? ','
  const members =
    isObject(value) || Array.isArray(value) ? Object.entries(value).filter(([, one]) => one !== null) : []
  if (members.some(([, one]) => typeof one === 'object')) {
    const names = explode && style === 'form' && isObject(value) ? members.map(([key]) => key) : [name]
    return names.map((each) => ({ name: each, pieces: [], delimiter, isOpen: true }))
  }
  if (Array.isArray(value)) {
    const items = members.map(([, item]) => String(item))
    if (explode) return items.map((item) => ({ name, pieces: [item], delimiter }))
    return items.length === 0 ? [] : [{ name, pieces: items, delimiter }]
  }
  if (isObject(value)) {
    const entries = members.map(([key, item]) => [key, String(item)] as const)
    if (style === 'deepObject') {
      return entries.map(([key, item]) => ({ name: `${name}[${key}]`, pieces: [item], delimiter }))
    }
    if (explode) return entries.map(([key, item]) => ({ name: key, pieces: [item], delimiter }))
    return entries.length === 0 ? [] : [{ name, pieces: entries.flat(), delimiter }]
  }
  return [{ name, pieces: [String(value)], delimiter: '' }]
}

/** Returns the query pairs of a request target. The names are decoded; the values are raw (not decoded). */
export function rawPairs(target: string): readonly (readonly [name: string, value: string])[] {
  const query = target.split('?').slice(1).join('?')
  if (query === '') return []
  return query.split('&').map((pair) => {
    const equals = pair.indexOf('=')
    return equals < 0 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), pair.slice(equals + 1)]
  })
}

/** Returns whether a raw value consists of the pair's pieces. A comma within a piece must be percent-encoded. */
export function represents(raw: string, pair: QueryPair): boolean {
  const { pieces, delimiter } = pair
  if (delimiter === '' || pieces.length <= 1) return decode(raw) === (pieces[0] ?? '')
  const spelled = delimiter === ' ' ? /%20|\+/ : delimiter === '|' ? /\||%7C/i : ','
  const found = raw.split(spelled).map(decode)
  return found.length === pieces.length && found.every((piece, at) => piece === pieces[at])
}

/**
 * Writes the value of a path, header or cookie parameter in its style. All styles other than `label` and `matrix` are
 * written as `simple`.
 */
export function segmentValue(parameter: Parameter, value: unknown): string {
  if (parameter.isJson) return JSON.stringify(value)
  const { name, style, explode } = parameter
  const [prefix, between] = style === 'label' ? ['.', explode ? '.' : ','] : ['', ',']
  const listed = Array.isArray(value) ? value.map(String) : isObject(value) ? undefined : [String(value)]
  const pairs = Object.entries(isObject(value) ? value : {})
  if (style === 'matrix') {
    const entries = listed?.map((item) => [name, item] as const) ?? pairs
    if (explode) return entries.map(([key, item]) => `;${key}=${String(item)}`).join('')
    return `;${name}=${(listed ?? pairs.flat()).map(String).join(',')}`
  }
  const items = listed ?? pairs.map(([key, item]) => `${key}${explode ? '=' : ','}${String(item)}`)
  return prefix + items.join(between)
}

/** Decodes a percent-encoded string in which `+` is a space, as in forms. Returns an invalid string unchanged. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Decodes a percent-encoded path segment, in which `+` is a plus sign. Returns an invalid segment unchanged. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

export function alternativesOf(oracle: SchemaOracle, schema: unknown): readonly unknown[] {
  const { anyOf, oneOf } = objectOf(oracle.deref(schema))
  return [...arrayOf(anyOf), ...arrayOf(oneOf)].map((one) => oracle.deref(one))
}

export function isListType(type: unknown): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'))
}

/**
 * Returns the values that `texts` can represent. If the schema's `type` includes `array`, or if `texts` has
 * several items, every value is a list.
 */
export function readings(
  oracle: SchemaOracle,
  schema: unknown,
  texts: readonly string[],
  isSplit = false,
): readonly unknown[] {
  const resolved = objectOf(oracle.deref(schema))
  const one = (text: string): unknown[] => [
    text,
    ...(/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? [Number(text)] : []),
    ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
  ]
  const items = objectOf(oracle.deref(resolved['items']))['type']
  const asList = (list: readonly string[]): unknown[] => [
    list,
    list.map((text) => (items === 'integer' || items === 'number' ? Number(text) : text)),
    list.map((text) => (items === 'boolean' ? text === 'true' : text)),
  ]
  const first = texts[0] ?? ''
  return isListType(resolved['type'])
    ? asList(isSplit || texts.length > 1 ? texts : first.split(','))
    : texts.length > 1
      ? asList(texts)
      : one(first)
}

/**
 * Finds the operation for a method and a target, and the raw values of its path parameters. In some contracts, a path
 * has a query, such as `/jobs?type=photo`. An operation with such a path matches only if all pairs of its query were
 * sent.
 */
export function matchOperation(
  operations: readonly Operation[],
  method: string,
  target: string,
): { readonly operation: Operation; readonly values: Readonly<Record<string, string>> } | undefined {
  const sent = rawPairs(target).map(pairKey)
  const matches = operations
    .filter((operation) => operation.method === method)
    .flatMap((operation) => {
      const values = matchPath(operation.path, target)
      const isSent = rawPairs(operation.path).every((pair) => sent.includes(pairKey(pair)))
      return values && isSent ? [{ operation, values }] : []
    })
  // A literal segment takes precedence over a parameter: /jobs/{id} over /{kind}/{id}.
  return matches.sort((one, other) => literals(other.operation) - literals(one.operation))[0]
}

const literals = (operation: Operation): number =>
  operation.path.split('/').filter((segment) => !segment.includes('{')).length +
  rawPairs(operation.path).length

const pairKey = ([name, raw]: readonly [string, string]): string => JSON.stringify([name, decode(raw)])

/**
 * Matches the path of a request target against a template. Returns the raw values of the template's parameters, or
 * undefined if the path doesn't match.
 */
export function matchPath(template: string, target: string): Record<string, string> | undefined {
  const names: string[] = []
  const source = withoutQuery(template)
    .split(/(\{[^}]*\})/)
    .map((piece) => {
      if (!piece.startsWith('{')) return piece.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      names.push(piece.slice(1, -1))
      return '([^/]+)'
    })
    .join('')
  const found = new RegExp(`^${source}$`).exec(withoutQuery(target))
  return found ? Object.fromEntries(names.map((name, at) => [name, found[at + 1] ?? ''])) : undefined
}

const withoutQuery = (target: string): string => target.split('?')[0] ?? ''
