import type { Contract } from '../read/contract.ts'
import type { Json, JsonObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { isExponential } from '../patterns/ambiguity.ts'
import { openNumberFormats, ownFormats, stringFormats } from './keywords.ts'
import type { Check } from './rules.ts'

type Limit = 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties'

/** The checks of strings in `raw`. */
export function stringChecks(contract: Contract, raw: JsonObject, pointer: string): Check[] {
  const checks: Check[] = []
  const { format, pattern } = raw
  if (format !== undefined) {
    const check = stringFormats[String(format)]
    const own = ownFormats[String(format)]
    if (check) checks.push({ check })
    else if (own) checks.push({ check: 'pattern', value: own.pattern, reason: own.reason })
    else contract.note(childPointer(pointer, 'format'), noCheck(format))
  }
  const [least, most] = [
    limit(contract, raw, pointer, 'minLength'),
    limit(contract, raw, pointer, 'maxLength'),
  ]
  if (least !== undefined) checks.push({ check: 'minCodePoints', value: least })
  if (most !== undefined) checks.push({ check: 'maxCodePoints', value: most })
  const source =
    pattern === undefined ? undefined : readPattern(contract, pattern, childPointer(pointer, 'pattern'))
  if (source !== undefined) checks.push({ check: 'pattern', value: source })
  return checks
}

/** Returns the source of a pattern, or undefined if it isn't valid in JavaScript. It is then not checked. */
export function readPattern(contract: Contract, pattern: Json, pointer: string): string | undefined {
  let failure: unknown
  for (const text of [String(pattern), withoutIdleEscapes(String(pattern))]) {
    try {
      const { source } = new RegExp(text, 'u')
      if (failure !== undefined) contract.note(pointer, notStrict(pattern, failure))
      if (isExponential(source)) {
        contract.widen(
          pointer,
          `\`${String(pattern)}\` can take exponential time on a string that doesn't match, so nothing is checked; ` +
            'let each loop read a string in one way only',
        )
        return undefined
      }
      // Line separators and control characters are allowed in a string, but not in a regular expression literal.
      return source.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escaped)
    } catch (error) {
      failure ??= error
    }
  }
  contract.widen(pointer, notStrict(pattern, failure))
  return undefined
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function notStrict(pattern: Json, failure: unknown): string {
  return `the pattern \`${String(pattern)}\` is not valid in JavaScript (with the u flag): ${String(failure).split(': ').at(-1)}`
}

/** Removes escapes of characters that need none, because the flag `u` doesn't allow them. */
function withoutIdleEscapes(pattern: string): string {
  let inClass = false
  return pattern.replaceAll(/\\([^])|[[\]]/g, (match, escaped: string | undefined) => {
    if (match === '[') inClass = true
    if (match === ']') inClass = false
    if (escaped === undefined || /[\dA-Za-z^$\\.*+?()[\]{}|/]/.test(escaped)) return match
    return escaped === '-' && inClass ? match : escaped
  })
}

/** The checks of numbers in `raw`. If the schema has other types too (`mixed`), its format may be meant for one of those. */
export function numberChecks(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  { type, mixed }: { readonly type: 'number' | 'integer'; readonly mixed: boolean },
): Check[] {
  const checks: Check[] = type === 'integer' ? [{ check: 'integer' }] : []
  const { format } = raw
  if (format === 'int32') checks.push({ check: 'int32' })
  else if (format === 'int64') {
    if (type === 'number') checks.push({ check: 'integer' })
  } else if (format !== undefined && !openNumberFormats.has(String(format))) {
    if (!mixed || !(stringFormats[String(format)] || ownFormats[String(format)]))
      contract.note(childPointer(pointer, 'format'), noCheck(format))
  }
  for (const key of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const) {
    const value = raw[key]
    if (value === undefined) continue
    if (typeof value === 'number' && (key !== 'multipleOf' || value > 0)) checks.push({ check: key, value })
    else
      contract.widen(
        childPointer(pointer, key),
        `\`${key}\` needs a ${key === 'multipleOf' ? 'positive ' : ''}number`,
      )
  }
  return checks
}

/** The checks of the number of items, and of their uniqueness. */
export function arrayChecks(contract: Contract, raw: JsonObject, pointer: string): Check[] {
  const [least, most] = [limit(contract, raw, pointer, 'minItems'), limit(contract, raw, pointer, 'maxItems')]
  return [
    ...(least === undefined ? [] : [{ check: 'minItems', value: least } as const]),
    ...(most === undefined ? [] : [{ check: 'maxItems', value: most } as const]),
    ...(raw['uniqueItems'] === true ? [{ check: 'unique' } as const] : []),
  ]
}

/** The checks of the number of properties. */
export function objectChecks(contract: Contract, raw: JsonObject, pointer: string): Check[] {
  const [least, most] = [
    limit(contract, raw, pointer, 'minProperties'),
    limit(contract, raw, pointer, 'maxProperties'),
  ]
  return [
    ...(least === undefined ? [] : [{ check: 'minProperties', value: least } as const]),
    ...(most === undefined ? [] : [{ check: 'maxProperties', value: most } as const]),
  ]
}

function limit(contract: Contract, raw: JsonObject, pointer: string, key: Limit): number | undefined {
  const value = raw[key]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  contract.widen(childPointer(pointer, key), `\`${key}\` needs a whole number`)
  return undefined
}

function noCheck(format: unknown): string {
  return `\`format: ${String(format)}\` has no check in this generator; leave it out, or add a check for it`
}
