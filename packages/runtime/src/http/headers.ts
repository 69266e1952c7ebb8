import type { Issue } from '../core/errors.ts'
import type { HeadersDescriptor } from '../core/descriptors.ts'
import { headerValue } from './transport.ts'

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// Line ends are rejected, because text after a line end could become another header.
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Headers that only the transport sets, because they belong to the connection or depend on the body. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Returns why a header can't be sent; `undefined` if it can. Never quotes the value. */
export function headerProblem(name: string, value: unknown): string | undefined {
  if (!NAME.test(name)) return 'is not a valid header name'
  if (RESERVED.has(name.toLowerCase())) return 'is a header that the connection sets itself'
  if (typeof value !== 'string') return 'must be a string'
  if (!VALUE.test(value)) return 'contains a character that is not allowed in a header'
  return undefined
}

/** Returns whether a flat list of names and values has a header; `name` must be in lower case. */
export function hasHeader(list: readonly string[], name: string): boolean {
  for (let index = 0; index < list.length; index += 2) if (list[index] === name) return true
  return false
}

export function setHeader(list: string[], name: string, value: string): void {
  const lower = name.toLowerCase()
  for (let index = 0; index < list.length; index += 2) {
    if (list[index] === lower) {
      list[index + 1] = value
      return
    }
  }
  list.push(lower, value)
}

export function addHeaders(list: string[], values: Readonly<Record<string, unknown>>): Issue[] {
  const issues: Issue[] = []
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null) continue
    const text = typeof value === 'object' ? value : String(value as string)
    const problem = headerProblem(name, text)
    if (problem === undefined) setHeader(list, name, text as string)
    else issues.push({ path: `/headers/${name}`, reason: problem })
  }
  return issues
}

/**
 * Reads the documented headers of a response. A value that can't be converted to the type in its schema stays a string,
 * so that the check rejects it.
 *
 * @see OpenAPI 3.1, "Style Values": headers have the style `simple`.
 */
export const readHeaders: HeadersDescriptor['read'] = (headers, kinds) => {
  const values: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(kinds)) {
    const text = headerValue(headers, name.toLowerCase())?.trim()
    if (text === undefined) continue
    const isList = kind.endsWith('s')
    const one = isList ? kind.slice(0, -1) : kind
    values[name] = isList
      ? text === ''
        ? []
        : text.split(',').map((item) => valueOf(item.trim(), one))
      : valueOf(text, one)
  }
  return values
}

function valueOf(text: string, kind: string): unknown {
  if (kind === 'number') return /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : text
  if (kind === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  if (kind !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
