import type { CheckDescriptor, Checked, Findings, StandardIssue } from './check.ts'
import type { Issue } from './errors.ts'
import { toPointer } from './json.ts'
import { load } from './async.ts'
import { NO_TEXT, type UnionIssue, unionIssues, withArticle } from './union-issues.ts'

/** Checks a value with its schema, and turns the issues into readable reasons. */
export async function findIssues(
  descriptor: CheckDescriptor,
  value: unknown,
  { id, secrets }: Checked,
): Promise<Findings> {
  try {
    if (descriptor.accepts?.(value) === true) return undefined
    const schema = await load(Promise.resolve(descriptor.schema()), { operation: id })
    const { issues } = await schema['~standard'].validate(value)
    return issues === undefined ? undefined : explain(issues, value, secrets)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [{ path: '', reason: 'is nested too deeply, or differs in too many places, to be checked' }]
  }
}

/** The limit on listed issues: a hostile response can differ in a million places. */
export const MAX_ISSUES = 100
/** The limit on the length of a path or reason: a name in a response can be megabytes long. */
const MAX_VALUE_LENGTH = 500

/** Added to the reasons of one branch of a union, if it isn't certain that the value is meant for it. */
const GUESS = ' (for the closest of the accepted forms)'

/** Turns schema issues into readable reasons. Reasons may quote the value, so they are omitted for secret fields. */
export function explain(
  issues: readonly StandardIssue[],
  value: unknown,
  secrets: readonly string[],
): readonly Issue[] {
  const found = issues.slice(0, MAX_ISSUES).flatMap(unionIssues).slice(0, MAX_ISSUES)
  const listed = found.map((issue): Issue => {
    const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))
    const secret = keys.some((key) => typeof key === 'string' && secrets.includes(key))
    return {
      path: cut(toPointer(keys)),
      reason: secret
        ? 'does not match the contract (the value is secret)'
        : cut(issueReason(issue, value, keys)) + ((issue as UnionIssue).isGuess === true ? GUESS : ''),
    }
  })
  const left = issues.length - MAX_ISSUES
  return left > 0 ? [...listed, { path: '', reason: `differs in ${left} more places` }] : listed
}

function cut(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
}

/**
 * Details that some validators report besides the message of an issue. Those that are built without messages, to be
 * small, say only "Invalid input"; the reason is then built from these details.
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

/** Returns why a value is invalid, phrased to follow the path to it. Never quotes the value itself. */
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

function quote(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}
