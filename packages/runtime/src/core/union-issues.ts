import type { StandardIssue } from './check.ts'

/** The message of validators that are built without messages. */
export const NO_TEXT = 'Invalid input'

/** The details of an issue of a union, or of one of its branches. */
export interface UnionIssue extends StandardIssue {
  readonly code?: unknown
  /** The issues of each branch. */
  readonly errors?: unknown
  readonly values?: unknown
  readonly expected?: unknown
  /** Whether the branch is only the one that the value comes closest to. */
  readonly isGuess?: true
}

type Branch = readonly StandardIssue[]

/**
 * Explains a union by the issues of the one branch that the value is meant for. Branches are distinguished by a listed
 * value, such as a `model` or a `type`. If no branch lists the value, the reason names the values that any of them
 * lists. Otherwise, the value is meant for the branch that it comes closest to. If it isn't clear which one that is, the
 * union stays one issue.
 */
export function unionIssues(issue: StandardIssue): readonly StandardIssue[] {
  const branches = branchesOf(issue)
  if (branches === undefined) return [issue]
  const prefix = issue.path ?? []
  const meant = branches.length === 1 ? branches : branches.filter((issues) => !issues.some(isListed))
  const [only] = meant
  if (meant.length === 1 && only !== undefined) return inside(prefix, only.flatMap(unionIssues))
  const listed = branches.map((issues) => issues.find(isListed))
  const [first] = listed
  if (first !== undefined && listed.every((each) => each !== undefined && place(each) === place(first))) {
    const values = [...new Set(listed.flatMap((each) => (each as UnionIssue).values as unknown[]))]
    return [{ ...first, path: [...prefix, ...(first.path ?? [])], values } as StandardIssue]
  }
  const closest = closestBranch(meant.length > 0 ? meant : branches)
  if (closest !== undefined) return inside(prefix, closest)
  const expected = expectedTypes(branches)
  return [expected === undefined ? issue : ({ ...issue, code: 'invalid_type', expected } as StandardIssue)]
}

/** The issues of the branch that a value comes closest to: it has the right type, and the fewest issues. */
function closestBranch(branches: readonly Branch[]): Branch | undefined {
  const ofType = branches.filter((issues) => !issues.some(isOfOtherType))
  const inner = ofType.filter((issues) => !issues.some(isAtTop))
  const found = (inner.length > 0 ? inner : ofType).map((issues) => issues.flatMap(unionIssues))
  const least = Math.min(...found.map(({ length }) => length))
  const [first, ...others] = found.filter(({ length }) => length === least)
  if (first === undefined || others.some((each) => textOf(each) !== textOf(first))) return undefined
  return found.length === 1 || others.length > 0 ? first : first.map((each) => ({ ...each, isGuess: true }))
}

/** The types of a union, if that is all that it says about a value. */
function expectedTypes(branches: readonly Branch[]): string | undefined {
  const types = branches.map(([issue, second]) => {
    const { code, expected } = (issue ?? {}) as UnionIssue
    const isType = second === undefined && code === 'invalid_type' && issue !== undefined && isAtTop(issue)
    return isType && typeof expected === 'string' ? expected : undefined
  })
  if (!types.every((type) => type !== undefined)) return undefined
  const [first = '', ...others] = new Set(types)
  return [first, ...others.map(withArticle)].join(' or ')
}

export function withArticle(type: string): string {
  if (type === 'null' || type === 'undefined') return type
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function branchesOf(issue: StandardIssue): readonly Branch[] | undefined {
  const { code, errors } = issue as UnionIssue
  if (code !== 'invalid_union' || !Array.isArray(errors) || errors.length === 0) return undefined
  return errors.every((each) => Array.isArray(each) && each.length > 0)
    ? (errors as readonly Branch[])
    : undefined
}

/** True if the issue says that a value inside the union isn't one of the listed ones. */
function isListed(issue: StandardIssue): boolean {
  return Array.isArray((issue as UnionIssue).values) && !isAtTop(issue)
}

/** True if the issue says that the value itself is of another type, or isn't one of the listed ones. */
function isOfOtherType(issue: StandardIssue): boolean {
  if (!isAtTop(issue)) return false
  const { code } = issue as UnionIssue
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
      const { code, expected } = each as UnionIssue
      return [place(each), each.message, code, expected].map(String).join(' ')
    })
    .join('\n')
}

function place({ path = [] }: StandardIssue): string {
  return JSON.stringify(path)
}
