import type { CheckDescriptor, Checked, Findings, StandardIssue } from './check.ts'
import type { Issue } from './errors.ts'
import { toPointer } from './json.ts'
import { load } from './async.ts'

/** Returns readable reasons why a value doesn't match its schema, or `undefined` if it matches. */
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
    const reason =
      'cannot be checked, because it is nested too deeply or differs from the contract in too many places'
    return [{ path: '', reason }]
  }
}

/** Validators that are bundled without error messages use this text for every issue. */
const NO_TEXT = 'Invalid input'
/** The maximum number of issues to list. A hostile response can cause a million. */
export const MAX_ISSUES = 100
/** The maximum length of a path or reason. A property name in a response can be megabytes long. */
const MAX_VALUE_LENGTH = 500

const GUESS = ' (this is the closest of several allowed forms)'

/** Turns schema issues into readable reasons. A reason may quote the value, so a secret field gets a fixed reason. */
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
        ? 'does not match the contract (details are omitted, because the value is secret)'
        : cut(issueReason(issue, value, keys)) + ((issue as DetailedIssue).isGuess === true ? GUESS : ''),
    }
  })
  const left = issues.length - MAX_ISSUES
  return left > 0
    ? [...listed, { path: '', reason: `differs in ${left} more ${left === 1 ? 'place' : 'places'}` }]
    : listed
}

function cut(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
}

/** Details that some validators report besides the message of an issue. */
interface DetailedIssue extends StandardIssue {
  readonly code?: unknown
  readonly expected?: unknown
  readonly values?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly inclusive?: unknown
  readonly origin?: unknown
  readonly pattern?: unknown
  readonly keys?: unknown
  /** The issues of each branch of a union. */
  readonly errors?: unknown
  /** True if the issue is from the closest branch of a union, but the value may be meant for another branch. */
  readonly isGuess?: true
}

/**
 * Returns why a value is invalid, as words to put after the value's path: `is required`, for example. The validator's
 * own message, if any, is returned unchanged and may quote the value.
 */
export function issueReason(issue: StandardIssue, value: unknown, keys: readonly PropertyKey[]): string {
  if (issue.message !== NO_TEXT) return issue.message
  const details = issue as DetailedIssue
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

function boundReason({ code, minimum, maximum, inclusive, origin }: DetailedIssue): string | undefined {
  const isSmall = code === 'too_small'
  if (!isSmall && code !== 'too_big') return undefined
  const limit = String(isSmall ? minimum : maximum)
  const unit = UNITS[String(origin)]?.[limit === '1' ? 0 : 1]
  const [exclusive, inclusiveWords] = isSmall ? ['more than', 'at least'] : ['less than', 'at most']
  const amount = `${inclusive === false ? exclusive : inclusiveWords} ${limit}`
  return unit === undefined ? `must be ${amount}` : `must have ${amount} ${unit}`
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  array: ['item', 'items'],
  set: ['item', 'items'],
  string: ['character', 'characters'],
  object: ['property', 'properties'],
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

type Branch = readonly StandardIssue[]

/**
 * Replaces the issue of a union with the issues of one branch. Usually, each branch allows only certain values of a
 * property such as `model` or `type`.
 *
 * - If only one branch allows the property's value, that branch is used.
 * - If no branch allows the property's value, the reason names the allowed values of all branches.
 * - In all other cases, the closest branch is used. If several branches are equally close but have different issues,
 *   no branch is used, and the function returns the union's own issue.
 */
function unionIssues(issue: StandardIssue): readonly StandardIssue[] {
  const branches = branchesOf(issue)
  if (branches === undefined) return [issue]
  const prefix = issue.path ?? []
  const meant = branches.length === 1 ? branches : branches.filter((issues) => !issues.some(isListed))
  const [only] = meant
  if (meant.length === 1 && only !== undefined) return inside(prefix, only.flatMap(unionIssues))
  const listed = branches.map((issues) => issues.find(isListed))
  const [first] = listed
  if (first !== undefined && listed.every((each) => each !== undefined && place(each) === place(first))) {
    const values = [...new Set(listed.flatMap((each) => (each as DetailedIssue).values as unknown[]))]
    return [{ ...first, path: [...prefix, ...(first.path ?? [])], values } as StandardIssue]
  }
  const closest = closestBranch(meant.length > 0 ? meant : branches)
  if (closest !== undefined) return inside(prefix, closest)
  const expected = expectedTypes(branches)
  return [expected === undefined ? issue : ({ ...issue, code: 'invalid_type', expected } as StandardIssue)]
}

/** The closest branch is the one with the fewest issues, among the branches that accept the value's type. */
function closestBranch(branches: readonly Branch[]): Branch | undefined {
  const ofType = branches.filter((issues) => !issues.some(isOfOtherType))
  const inner = ofType.filter((issues) => !issues.some(isAtTop))
  const found = (inner.length > 0 ? inner : ofType).map((issues) => issues.flatMap(unionIssues))
  const least = Math.min(...found.map(({ length }) => length))
  const [first, ...others] = found.filter(({ length }) => length === least)
  if (first === undefined || others.some((each) => textOf(each) !== textOf(first))) return undefined
  return found.length === 1 || others.length > 0 ? first : first.map((each) => ({ ...each, isGuess: true }))
}

/** Returns the types that a union accepts, or `undefined` if any branch has an issue other than a wrong type. */
function expectedTypes(branches: readonly Branch[]): string | undefined {
  const types = branches.map(([issue, second]) => {
    const { code, expected } = (issue ?? {}) as DetailedIssue
    const isType = second === undefined && code === 'invalid_type' && issue !== undefined && isAtTop(issue)
    return isType && typeof expected === 'string' ? expected : undefined
  })
  if (!types.every((type) => type !== undefined)) return undefined
  const [first = '', ...others] = new Set(types)
  return [first, ...others.map(withArticle)].join(' or ')
}

function withArticle(type: string): string {
  if (type === 'null' || type === 'undefined') return type
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function branchesOf(issue: StandardIssue): readonly Branch[] | undefined {
  const { code, errors } = issue as DetailedIssue
  if (code !== 'invalid_union' || !Array.isArray(errors) || errors.length === 0) return undefined
  return errors.every((each) => Array.isArray(each) && each.length > 0)
    ? (errors as readonly Branch[])
    : undefined
}

/** True if the issue lists the allowed values of a property, not of the whole value. */
function isListed(issue: StandardIssue): boolean {
  return Array.isArray((issue as DetailedIssue).values) && !isAtTop(issue)
}

/** True if the issue says that the value itself has the wrong type, or isn't one of the listed values. */
function isOfOtherType(issue: StandardIssue): boolean {
  if (!isAtTop(issue)) return false
  const { code } = issue as DetailedIssue
  return (
    code === 'invalid_type' ||
    code === 'invalid_value' ||
    branchesOf(issue)?.every((issues) => issues.some(isOfOtherType)) === true
  )
}

function isAtTop({ path = [] }: StandardIssue): boolean {
  return path.length === 0
}

function inside(prefix: NonNullable<StandardIssue['path']>, issues: Branch): Branch {
  return issues.map((each) => ({ ...each, path: [...prefix, ...(each.path ?? [])] }))
}

function textOf(issues: Branch): string {
  return issues
    .map((each) => {
      const { code, expected } = each as DetailedIssue
      return [place(each), each.message, code, expected].map(String).join(' ')
    })
    .join('\n')
}

function place({ path = [] }: StandardIssue): string {
  return JSON.stringify(path)
}
