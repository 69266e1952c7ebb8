import type { Issue } from '../core/errors.ts'
import type { ParameterDescriptor } from '../core/descriptors.ts'

export type Values = Readonly<Record<string, unknown>>

/** A parsed path template: the string before the first parameter, then each parameter and the string after it. */
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

export function fillPath(template: PathTemplate, values: Values | undefined): string | Issue {
  let path = template.start
  for (const { name, text, write = writeSegment } of template.rest) {
    const segment = written(write, name, values?.[name], 'path')
    if (typeof segment === 'object') return segment
    // Servers and proxies resolve even encoded dot segments, so the call would reach another operation.
    if (segment === undefined || segment === '' || segment === '.' || segment === '..') {
      return { path: `/path/${name}`, reason: 'is missing, empty, or a dot segment (`.` or `..`)' }
    }
    path += segment + text
  }
  return path
}

type Write = NonNullable<ParameterDescriptor['write']>

const writeSegment: Write = (_, value) => {
  const text = toText(value)
  return text === undefined ? undefined : encodeURIComponent(text)
}

/** Escapes a string for a URL; returns `undefined` if it isn't well-formed Unicode. */
export function escape(text: string): string | undefined {
  try {
    return encodeURIComponent(text)
  } catch {
    return undefined
  }
}

export function written(
  write: Write,
  name: string,
  value: unknown,
  place: string,
): string | undefined | Issue {
  try {
    return write(name, value)
  } catch (error) {
    const reason =
      error instanceof URIError
        ? 'contains half of a surrogate pair, which a URL cannot contain'
        : 'cannot be written as JSON'
    return { path: `/${place}/${name}`, reason }
  }
}

/** Returns an issue for each query parameter that the contract doesn't define. Such parameters would not be sent. */
export function lostParameters(
  parameters: readonly { readonly name: string }[],
  values: Values | undefined,
): Issue[] {
  const issues: Issue[] = []
  for (const name in values)
    if (values[name] !== undefined && parameters.every((parameter) => parameter.name !== name))
      issues.push({
        path: `/query/${name}`,
        reason: 'is not documented (pass undocumented parameters in `extra.query`)',
      })
  return issues
}

export function writeQuery(
  parameters: readonly Pick<ParameterDescriptor, 'name' | 'write'>[],
  values: Values | undefined,
  extra: Values | undefined,
): string | Issue {
  let query: string | Issue = ''
  if (values !== undefined)
    for (const { name, write = writePairs } of parameters) query = append(query, write, name, values[name])
  for (const [name, value] of Object.entries(extra ?? {})) query = append(query, writePairs, name, value)
  return query
}

function append(query: string | Issue, write: Write, name: string, value: unknown): string | Issue {
  if (typeof query !== 'string') return query
  const added = written(write, name, value, 'query')
  if (typeof added === 'object') return added
  return added === undefined || added === '' ? query : `${query}${query === '' ? '?' : '&'}${added}`
}

const writePairs: Write = (name, value) => pairs(name, value).join('&')

/** Returns `name=value` for a value, or for each item of an array. */
export function pairs(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pairs(name, item))
  const text = toText(value)
  return text === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`]
}

export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object') return value instanceof Date ? value.toISOString() : JSON.stringify(value)
  return String(value as number | boolean | bigint)
}
