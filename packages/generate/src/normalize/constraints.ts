import type { ContractNode } from '../read/contract.ts'
import type { Json } from '../read/json.ts'
import { isExponential } from '../patterns/ambiguity.ts'
import { openNumberFormats, ownFormats, stringFormats } from './keywords.ts'
import type { Check } from './rules.ts'

/** The checks for strings. */
export function stringChecks(schema: ContractNode): Check[] {
  const checks: Check[] = []
  const { format, pattern } = schema.raw
  if (format !== undefined) {
    const check = stringFormats[String(format)]
    const own = ownFormats[String(format)]
    if (check) checks.push({ check })
    else if (own) checks.push({ check: 'pattern', value: own.pattern, reason: own.reason })
    else schema.note(noCheck(format), 'format')
  }
  checks.push(...limits(schema, 'minLength', 'maxLength'))
  const source = pattern === undefined ? undefined : readPattern(schema.at('pattern'), pattern)
  if (source !== undefined) checks.push({ check: 'pattern', value: source })
  return checks
}

/** Returns the source of a pattern, or undefined if the pattern can't be checked. Reports the reason. */
export function readPattern(at: ContractNode, pattern: Json): string | undefined {
  let failure: unknown
  for (const text of [String(pattern), withoutIdleEscapes(String(pattern))]) {
    try {
      const { source } = new RegExp(text, 'u')
      if (failure !== undefined) at.note(notStrict(pattern, failure))
      if (isExponential(source)) {
        at.widen(
          `\`${String(pattern)}\` can take exponential time on a string that doesn't match, so the pattern isn't checked; ` +
            'write each loop so that it can match a string in only one way',
        )
        return undefined
      }
      // Line separators and control characters are allowed in a string, but not in a regular expression literal.
      return source.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escaped)
    } catch (error) {
      failure ??= error
    }
  }
  at.widen(notStrict(pattern, failure))
  return undefined
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function notStrict(pattern: Json, failure: unknown): string {
  return `the pattern \`${String(pattern)}\` is not valid in JavaScript (with the u flag): ${String(failure).split(': ').at(-1)}`
}

/** Removes unnecessary escapes, because the flag `u` doesn't allow them. */
function withoutIdleEscapes(pattern: string): string {
  let inClass = false
  return pattern.replaceAll(/\\([^])|[[\]]/g, (match, escaped: string | undefined) => {
    if (match === '[') inClass = true
    if (match === ']') inClass = false
    if (escaped === undefined || /[\dA-Za-z^$\\.*+?()[\]{}|/]/.test(escaped)) return match
    return escaped === '-' && inClass ? match : escaped
  })
}

/** The checks for numbers. If the schema has other types too (`mixed`), its format may be meant for one of those. */
export function numberChecks(schema: ContractNode, type: 'number' | 'integer', mixed: boolean): Check[] {
  const checks: Check[] = type === 'integer' ? [{ check: 'integer' }] : []
  const { format } = schema.raw
  if (format === 'int32') checks.push({ check: 'int32' })
  else if (format === 'int64') {
    if (type === 'number') checks.push({ check: 'integer' })
  } else if (format !== undefined && !openNumberFormats.has(String(format))) {
    if (!mixed || !(stringFormats[String(format)] || ownFormats[String(format)]))
      schema.note(noCheck(format), 'format')
  }
  for (const key of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const) {
    const value = schema.raw[key]
    if (value === undefined) continue
    if (typeof value === 'number' && (key !== 'multipleOf' || value > 0)) checks.push({ check: key, value })
    else schema.widen(`\`${key}\` needs a ${key === 'multipleOf' ? 'positive ' : ''}number`, key)
  }
  return checks
}

/** The checks of the number of items, and of their uniqueness. */
export function arrayChecks(schema: ContractNode): Check[] {
  const checks = limits(schema, 'minItems', 'maxItems')
  return schema.raw['uniqueItems'] === true ? [...checks, { check: 'unique' }] : checks
}

/** The checks of the number of properties. */
export function objectChecks(schema: ContractNode): Check[] {
  return limits(schema, 'minProperties', 'maxProperties')
}

/** The keywords that limit a size, with the names of their checks. */
const LIMITS = {
  minLength: 'minCodePoints',
  maxLength: 'maxCodePoints',
  minItems: 'minItems',
  maxItems: 'maxItems',
  minProperties: 'minProperties',
  maxProperties: 'maxProperties',
} as const

function limits(schema: ContractNode, ...keys: readonly (keyof typeof LIMITS)[]): Check[] {
  return keys.flatMap((key) => {
    const value = schema.raw[key]
    if (value === undefined) return []
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0)
      return [{ check: LIMITS[key], value }]
    schema.widen(`\`${key}\` needs a whole number`, key)
    return []
  })
}

function noCheck(format: unknown): string {
  return `\`format: ${String(format)}\` has no check in this generator; leave it out, or add a check for it`
}
