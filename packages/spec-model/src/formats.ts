import { createRequire } from 'node:module'

import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats, { type FormatName } from 'ajv-formats'

interface ContractFormat {
  readonly pattern: string
  /** Says why a string was rejected, such as `must be an ISO 8601 date`. */
  readonly reason: string
}

/** The nonstandard formats of the contracts in `@concord/specs`, by name. */
export const contractFormats = createRequire(import.meta.url)('@concord/specs/formats.json') as Readonly<
  Record<string, ContractFormat>
>

/** Copies a document. Replaces each of the `contractFormats` with its `pattern`, for tools that don't know them. */
export function formatsAsPatterns<T>(document: T): T {
  if (Array.isArray(document)) return document.map(formatsAsPatterns) as T
  if (typeof document !== 'object' || document === null) return document
  const copy = Object.fromEntries(
    Object.entries(document).map(([key, value]) => [key, formatsAsPatterns(value)]),
  )
  const own = typeof copy['format'] === 'string' ? contractFormats[copy['format']] : undefined
  if (!own) return copy as T
  const { format: _, ...rest } = copy
  return { ...rest, pattern: own.pattern } as T
}

/** The standard formats that generated clients check. The clients ignore the others, as JSON Schema permits. */
const COMMON_FORMATS: readonly FormatName[] = ['date', 'date-time', 'int32', 'uri', 'uuid']

/**
 * Creates an Ajv for JSON Schema 2020-12. It checks the standard formats, and the `contractFormats`.
 *
 * @param options - `onlyCommon`: whether to ignore standard formats that generated clients don't check.
 */
export function contractAjv({ allErrors = true, onlyCommon = false } = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors,
    logger: false,
    code: { regExp: Object.assign(regExpOf, { code: 'new RegExp' }) },
  })
  addFormats.default(ajv, onlyCommon ? [...COMMON_FORMATS] : undefined)
  for (const [name, { pattern }] of Object.entries(contractFormats))
    ajv.addFormat(name, new RegExp(pattern, 'u'))
  return ajv
}

/**
 * If a pattern isn't valid in JavaScript, returns a regular expression that matches every string. The pattern isn't
 * an error, because it may be valid in another programming language.
 */
function regExpOf(pattern: string, flags: string): RegExp {
  for (const tried of [flags, flags.replace('u', '')]) {
    try {
      return new RegExp(pattern, tried)
    } catch {
      continue
    }
  }
  return /(?:)/
}
