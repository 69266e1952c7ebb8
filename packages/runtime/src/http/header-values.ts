import type { HeadersDescriptor } from '../core/operation.ts'
import { headerValue } from './transport.ts'

/**
 * Reads the documented headers of a response. A value that isn't what its schema says stays a string, so that the check
 * rejects it. Headers that are missing are left out.
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
