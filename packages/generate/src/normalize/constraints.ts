import type { ContractNode } from '../read/contract.ts'
import type { Json } from '../read/json.ts'
import { isExponential } from '../patterns/ambiguity.ts'
import { openNumberFormats, ownFormats, stringFormats } from './keywords.ts'
import type { Check } from './rules.ts'

export function stringChecks(schema: ContractNode): Check[] {
  const checks: Check[] = []
  const { format, pattern } = schema.raw
  if (format !== undefined) {
    const check = stringFormats.get(String(format))
    const own = ownFormats.get(String(format))
    if (check) checks.push({ check })
    else if (own) checks.push({ check: 'pattern', value: own.pattern, reason: own.reason })
    else schema.note(noCheck(format), 'format')
  }
  checks.push(...limits(schema, 'minLength', 'maxLength'))
  const source = pattern === undefined ? undefined : readPattern(schema.at('pattern'), pattern)
  if (source !== undefined) checks.push({ check: 'pattern', value: source })
  return checks
}

/**
 * Converts a pattern to the source of a JavaScript regular expression. If the pattern can't be checked, reports the
 * reason and returns undefined.
 */
export function readPattern(at: ContractNode, pattern: Json): string | undefined {
  let failure: unknown
  for (const text of [String(pattern), withoutIdleEscapes(String(pattern))]) {
    try {
      const { source } = new RegExp(text, 'u')
      if (failure !== undefined) at.note(notStrict(pattern, failure))
      if (isExponential(source)) {
        at.widen(
          `the pattern \`${String(pattern)}\` can take exponential time on a string that doesn't match, so it isn't checked; ` +
            'rewrite each repetition so that it can match a string in only one way',
        )
        return undefined
      }
      // The contract's pattern can contain line breaks, but a regular expression literal can't. Other control
      // characters are escaped too, so that the generated code contains only visible characters.
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

/** Removes unnecessary escapes, because the `u` flag doesn't allow them. */
function withoutIdleEscapes(pattern: string): string {
  let inClass = false
  return pattern.replaceAll(/\\([^])|[[\]]/g, (match, escaped: string | undefined) => {
    if (match === '[') inClass = true
    if (match === ']') inClass = false
    if (escaped === undefined || /[\dA-Za-z^$\\.*+?()[\]{}|/]/.test(escaped)) return match
    return escaped === '-' && inClass ? match : escaped
  })
}

/**
 * @param mixed Whether the schema also allows other types. If so, a string format isn't reported, because it may be
 *   meant for the other types.
 */
export function numberChecks(schema: ContractNode, type: 'number' | 'integer', mixed: boolean): Check[] {
  const checks: Check[] = type === 'integer' ? [{ check: 'integer' }] : []
  const { format } = schema.raw
  if (format === 'int32') checks.push({ check: 'int32' })
  else if (format === 'int64') {
    if (type === 'number') checks.push({ check: 'integer' })
  } else if (format !== undefined && !openNumberFormats.has(String(format))) {
    if (!mixed || !(stringFormats.has(String(format)) || ownFormats.has(String(format))))
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

export function arrayChecks(schema: ContractNode): Check[] {
  const checks = limits(schema, 'minItems', 'maxItems')
  return schema.raw['uniqueItems'] === true ? [...checks, { check: 'unique' }] : checks
}

export function objectChecks(schema: ContractNode): Check[] {
  return limits(schema, 'minProperties', 'maxProperties')
}

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
    schema.widen(`\`${key}\` must be a whole number that isn't negative`, key)
    return []
  })
}

function noCheck(format: unknown): string {
  return `the generator has no check for \`format: ${String(format)}\`; remove the format, or check the values yourself`
}
