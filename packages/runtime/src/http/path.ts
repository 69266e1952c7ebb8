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
    // Servers and proxies resolve dot segments, even if they are encoded, so the call would reach another operation.
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

/** Returns issues for query parameters that the contract doesn't define, because they would be silently omitted. */
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

/** Encodes the documented query parameters, then the extra parameters. An array repeats the name. */
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
