import type { Issue } from '../core/errors.ts'
import type { ParameterDescriptor } from '../core/descriptors.ts'

/** Values by parameter name, as the caller passes them. */
export type Values = Readonly<Record<string, unknown>>

/** A path template, parsed once: a string, then parameters, each with the string that follows it. */
export interface PathTemplate {
  readonly start: string
  readonly rest: readonly {
    readonly name: string
    readonly text: string
    readonly write: ParameterDescriptor['write']
  }[]
}

export function parsePathTemplate(
  prefix: string,
  template: string,
  parameters: readonly ParameterDescriptor[] = [],
): PathTemplate {
  const [start = '', ...rest] = (prefix + template).split('{')
  return {
    start,
    rest: rest.map((piece) => {
      const end = piece.indexOf('}')
      const name = piece.slice(0, end)
      const parameter = parameters.find((each) => each.in === 'path' && each.name === name)
      return { name, text: piece.slice(end + 1), write: parameter?.write }
    }),
  }
}

/** Fills a template, or returns an issue for a value that can't be part of a path. */
export function fillPath(template: PathTemplate, values: Values | undefined): string | Issue {
  let path = template.start
  for (const { name, text, write } of template.rest) {
    const value = values?.[name]
    const segment = write === undefined ? toText(value) : written(write, name, value, 'path')
    if (typeof segment === 'object') return segment
    // Servers and proxies resolve dot segments, even encoded ones: the call would reach another operation.
    if (segment === undefined || segment === '' || segment === '.' || segment === '..') {
      return { path: `/path/${name}`, reason: 'is missing, empty, or a dot segment (`.` or `..`)' }
    }
    const escaped = write === undefined ? escape(segment) : segment
    if (escaped === undefined) return { path: `/path/${name}`, reason: BROKEN }
    path += escaped + text
  }
  return path
}

const BROKEN = 'contains half of a surrogate pair, which a URL cannot contain'

/** Escapes a string for a URL; returns `undefined` if it isn't well-formed Unicode. */
export function escape(text: string): string | undefined {
  try {
    return encodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Writes a value with a parameter's own writer, or returns an issue for a value that it can't write. */
export function written(
  write: NonNullable<ParameterDescriptor['write']>,
  name: string,
  value: unknown,
  place: string,
): string | undefined | Issue {
  try {
    return write(name, value)
  } catch (error) {
    const reason = error instanceof URIError ? BROKEN : 'cannot be written as JSON'
    return { path: `/${place}/${name}`, reason }
  }
}

/** Returns issues for query parameters that the contract doesn't define, since they would be silently omitted. */
export function lostParameters(
  parameters: readonly { readonly name: string }[],
  values: Values | undefined,
): Issue[] {
  const issues: Issue[] = []
  for (const name in values)
    if (values[name] !== undefined && parameters.every((parameter) => parameter.name !== name))
      issues.push({
        path: `/query/${name}`,
        reason: 'is not documented; pass undocumented parameters in extra.query',
      })
  return issues
}

/** Encodes the documented query parameters, then the extra ones; arrays repeat the name. */
export function writeQuery(
  parameters: readonly ParameterDescriptor[],
  values: Values | undefined,
  extra: Values | undefined,
): string | Issue {
  let query: string | Issue = ''
  if (values !== undefined) {
    for (const { name, in: place, write } of parameters) {
      if (place !== 'query') continue
      if (write === undefined) query = append(query, name, values[name])
      else if (typeof query === 'string') query = addPairs(query, written(write, name, values[name], 'query'))
    }
  }
  if (extra !== undefined) {
    for (const name of Object.keys(extra)) query = append(query, name, extra[name])
  }
  return query
}

function append(query: string | Issue, name: string, value: unknown): string | Issue {
  if (typeof query !== 'string') return query
  if (Array.isArray(value)) return value.reduce((all: string | Issue, item) => append(all, name, item), query)
  const text = toText(value)
  if (text === undefined) return query
  const [escapedName, escapedText] = [escape(name), escape(text)]
  if (escapedName === undefined || escapedText === undefined)
    return { path: `/query/${name}`, reason: BROKEN }
  return `${query}${query === '' ? '?' : '&'}${escapedName}=${escapedText}`
}

function addPairs(query: string, pairs: string | undefined | Issue): string | Issue {
  if (typeof pairs === 'object') return pairs
  return pairs === undefined || pairs === '' ? query : `${query}${query === '' ? '?' : '&'}${pairs}`
}

/** Returns a parameter as a string; `undefined` if it is missing. */
export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object') return value instanceof Date ? value.toISOString() : JSON.stringify(value)
  return String(value as number | boolean | bigint)
}

/**
 * Writes the value of a parameter, escaped, in a style of OpenAPI that `toText` doesn't cover: the pairs of a
 * query (`a=1&b=2`), the text of a segment of a path, or the value of a header or of a cookie. Undefined if there is
 * nothing to send. Generated descriptors name the writer of a parameter, so that a client holds only those that it needs.
 *
 * @throws URIError if a string contains half of a surrogate pair.
 * @see OpenAPI 3.1, "Style Values"
 */
export type ParameterWriter = (name: string, value: unknown) => string | undefined

/** `form`, exploded: arrays repeat the name, and the members of an object are parameters of their own. */
export const writeForm: ParameterWriter = (name, value) =>
  joined(
    exploded(name, value).flatMap(([key, member]) => pairs(key, member)),
    '&',
  )

/** `form`, not exploded: `name=a,b`. */
export const writeCommas: ParameterWriter = (name, value) => delimited(name, value, ',')

/** `spaceDelimited`: `name=a%20b`. */
export const writeSpaces: ParameterWriter = (name, value) => delimited(name, value, '%20')

/** `pipeDelimited`: `name=a%7Cb`. */
export const writePipes: ParameterWriter = (name, value) => delimited(name, value, '%7C')

/** `deepObject`: `name[key]=value`, at any depth; arrays repeat the name, as is common. */
export const writeDeepObject: ParameterWriter = (name, value) =>
  joined(deep(encodeURIComponent(name), value), '&')

/** A parameter that is the whole query, in the form `application/x-www-form-urlencoded`: its name isn't sent. */
export const writeFormQuery: ParameterWriter = (name, value) => writeForm(name, value)?.replaceAll('%20', '+')

/** A parameter whose content is JSON. */
export const writeJson: ParameterWriter = (name, value) =>
  prefixed(`${encodeURIComponent(name)}=`, writeJsonSegment(name, value))

/** A segment of a path whose content is JSON. */
export const writeJsonSegment: ParameterWriter = (name, value) => {
  const text = writeJsonHeader(name, value)
  return text === undefined ? undefined : encodeURIComponent(text)
}

/** A header whose content is JSON. */
export const writeJsonHeader: ParameterWriter = (_, value) =>
  value === undefined ? undefined : JSON.stringify(value)

/** `cookie`, not exploded: `name=a,b`, and nothing is escaped but what would end the cookie. */
export const writeCookies: ParameterWriter = (name, value) =>
  prefixed(`${name}=`, joined(flat(value, ',', inCookie), ','))

/** `cookie`, exploded: arrays repeat the name, and the members of an object are cookies of their own. */
export const writeCookiesExploded: ParameterWriter = (name, value) => {
  const cookies = exploded(name, value).flatMap(([key, member]) =>
    flat(member, ',', inCookie).map((text) => `${inCookie(key)}=${text}`),
  )
  return joined(cookies, '; ')
}

/** `simple` in a path: `a,b` and `key,value`. */
export const writeSimple: ParameterWriter = (_, value) => joined(flat(value, ','), ',')

/** `simple` in a path, exploded: `a,b` and `key=value`. */
export const writeSimpleExploded: ParameterWriter = (_, value) => joined(flat(value, '='), ',')

/** `simple` in a header: as in a path, but nothing is escaped. */
export const writeHeader: ParameterWriter = (_, value) => joined(flat(value, ',', plain), ',')

/** `simple` in a header, exploded. */
export const writeHeaderExploded: ParameterWriter = (_, value) => joined(flat(value, '=', plain), ',')

/** `label` in a path: `.a,b`. */
export const writeLabel: ParameterWriter = (_, value) => prefixed('.', joined(flat(value, ','), ','))

/** `label` in a path, exploded: `.a.b` and `.key=value`. */
export const writeLabelExploded: ParameterWriter = (_, value) => prefixed('.', joined(flat(value, '='), '.'))

/** `matrix` in a path: `;name=a,b`, and `;name` for an empty string. */
export const writeMatrix: ParameterWriter = (name, value) => {
  const text = joined(flat(value, ','), ',')
  return text === undefined ? undefined : segment(encodeURIComponent(name), text)
}

/** `matrix` in a path, exploded: `;name=a;name=b` and `;key=value`. */
export const writeMatrixExploded: ParameterWriter = (name, value) => {
  const segments = exploded(name, value).flatMap(([key, member]) =>
    flat(member, ',').map((text) => segment(encodeURIComponent(key), text)),
  )
  return joined(segments, '')
}

/** RFC 6570, section 3.2.7: an empty value has no `=`. */
function segment(name: string, text: string): string {
  return text === '' ? `;${name}` : `;${name}=${text}`
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** Returns the members that are neither `undefined` nor `null`. */
function membersOf(value: Readonly<Record<string, unknown>>): [name: string, member: unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined && member !== null)
}

/** Returns the members of an object, each as a parameter of its own, or the parameter itself. */
function exploded(name: string, value: unknown): [name: string, member: unknown][] {
  return isMembers(value) ? membersOf(value) : [[name, value]]
}

/** `name=value` for a value, or for each item of an array. */
function pairs(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pairs(name, item))
  const text = toText(value)
  return text === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`]
}

/** Returns the items of an array, the names and values of an object, or the value itself. */
function flat(
  value: unknown,
  between: string,
  escape: (text: string) => string = encodeURIComponent,
): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => flat(item, between, escape))
  if (isMembers(value))
    return membersOf(value).map(([key, member]) => `${escape(key)}${between}${escape(toText(member) ?? '')}`)
  const text = toText(value)
  return text === undefined ? [] : [escape(text)]
}

function plain(text: string): string {
  return text
}

function inCookie(text: string): string {
  return text.replaceAll(';', '%3B')
}

function delimited(name: string, value: unknown, delimiter: string): string | undefined {
  return prefixed(`${encodeURIComponent(name)}=`, joined(flat(value, delimiter), delimiter))
}

/** @param name the name so far, escaped */
function deep(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => deep(name, item))
  if (isMembers(value))
    return membersOf(value).flatMap(([key, member]) =>
      deep(`${name}%5B${encodeURIComponent(key)}%5D`, member),
    )
  const text = toText(value)
  return text === undefined ? [] : [`${name}=${encodeURIComponent(text)}`]
}

function joined(parts: readonly string[], between: string): string | undefined {
  return parts.length === 0 ? undefined : parts.join(between)
}

function prefixed(prefix: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : prefix + text
}
