import { pairs, toText } from './path.ts'

/**
 * Writes the value of a parameter in one OpenAPI style: as query pairs (`a=1&b=2`), a path segment, a header value,
 * or cookies (`a=1; b=2`). Returns `undefined` if the parameter isn't sent. Each style has its own function, so that
 * bundles contain only the styles that a client uses.
 *
 * @throws URIError if a string contains half of a surrogate pair.
 * @see OpenAPI 3.1, "Style Values"
 */
export type ParameterWriter = (name: string, value: unknown) => string | undefined

/** `form`, exploded: an array repeats the name for each item; the members of an object become separate parameters. */
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

/** `deepObject`: `name[key]=value`, at any depth. An array repeats the name for each item, as is common practice. */
export const writeDeepObject: ParameterWriter = (name, value) =>
  joined(deep(encodeURIComponent(name), value), '&')

/**
 * Writes an object as the whole query, encoded as `application/x-www-form-urlencoded`. The name of the parameter
 * isn't sent.
 */
export const writeFormQuery: ParameterWriter = (name, value) => writeForm(name, value)?.replaceAll('%20', '+')

/** A query parameter or a cookie whose content is JSON: `name=%7B…`. */
export const writeJson: ParameterWriter = (name, value) =>
  prefixed(`${encodeURIComponent(name)}=`, writeJsonSegment(name, value))

/** A path segment whose content is JSON. */
export const writeJsonSegment: ParameterWriter = (name, value) => {
  const text = writeJsonHeader(name, value)
  return text === undefined ? undefined : encodeURIComponent(text)
}

/** A header whose content is JSON. */
export const writeJsonHeader: ParameterWriter = (_, value) =>
  value === undefined ? undefined : JSON.stringify(value)

/** `cookie`, not exploded: `name=a,b`. Only semicolons are escaped, because a semicolon would end the cookie. */
export const writeCookies: ParameterWriter = (name, value) =>
  prefixed(`${name}=`, joined(flat(value, ',', inCookie), ','))

/** `cookie`, exploded: an array repeats the name for each item; the members of an object become separate cookies. */
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

function membersOf(value: Readonly<Record<string, unknown>>): [name: string, member: unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined && member !== null)
}

/** Returns each member of an object as a parameter of its own. A value that isn't an object stays one parameter. */
function exploded(name: string, value: unknown): [name: string, member: unknown][] {
  return isMembers(value) ? membersOf(value) : [[name, value]]
}

/** Returns escaped strings: the items of an array, the members of an object, or the value itself. */
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

/** @param name The escaped name up to this depth, such as `filter%5Bsize%5D`. */
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
