import type { StandardIssue } from './standard-schema.ts'

/**
 * What some validators tell of an issue besides its message. Those that are built without texts, to be small, say
 * only "Invalid input" there; these details are then made into words.
 */
interface IssueDetails {
  readonly code?: unknown
  readonly expected?: unknown
  readonly values?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly inclusive?: unknown
  readonly origin?: unknown
  readonly pattern?: unknown
  readonly keys?: unknown
}

const NO_TEXT = 'Invalid input'

/** Why a value was refused, in words that fit behind the path to it. The value itself is never quoted. */
export function issueReason(issue: StandardIssue, value: unknown, keys: readonly PropertyKey[]): string {
  if (issue.message !== NO_TEXT) return issue.message
  const details = issue as IssueDetails
  const found = valueAt(value, keys)
  const { expected, values, pattern } = details
  if (found === undefined)
    return typeof expected === 'string' ? `is required: ${withArticle(expected)}` : 'is required'
  if (Array.isArray(values))
    return `must be ${values.length === 1 ? '' : 'one of '}${values.map(quote).join(', ')}`
  if (typeof expected === 'string')
    return `must be ${withArticle(expected)}, not ${withArticle(typeName(found))}`
  if (typeof pattern === 'string') return `must match ${pattern}`
  if (Array.isArray(details.keys)) return `has unknown properties: ${details.keys.map(quote).join(', ')}`
  return (
    boundReason(details) ??
    (details.code === 'invalid_union' ? 'is none of the accepted forms' : issue.message)
  )
}

function boundReason({ code, minimum, maximum, inclusive, origin }: IssueDetails): string | undefined {
  const unit = UNITS[String(origin)] ?? ''
  const verb = unit === '' ? 'be' : 'have'
  if (code === 'too_small')
    return `must ${verb} ${inclusive === false ? 'more than' : 'at least'} ${String(minimum)}${unit}`
  if (code === 'too_big')
    return `must ${verb} ${inclusive === false ? 'less than' : 'at most'} ${String(maximum)}${unit}`
  return undefined
}

const UNITS: Readonly<Record<string, string>> = {
  array: ' items',
  set: ' items',
  string: ' characters',
  object: ' properties',
}

function valueAt(value: unknown, keys: readonly PropertyKey[]): unknown {
  let found = value
  for (const key of keys) found = (found as Record<PropertyKey, unknown> | null | undefined)?.[key]
  return found
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function withArticle(type: string): string {
  if (type === 'null' || type === 'undefined') return type
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function quote(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}
