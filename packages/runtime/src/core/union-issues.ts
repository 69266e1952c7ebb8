import type { StandardIssue } from './standard-schema.ts'

/** What some validators tell of a union besides its message: the issues of each of its branches. */
interface UnionIssue extends StandardIssue {
  readonly code?: unknown
  readonly errors?: unknown
  readonly values?: unknown
}

/**
 * The issues of a union in words that help: those of the one branch that the value is meant for. Branches are told apart
 * by a listed value, such as a `model` or a `type`; where no branch lists the value, all that any of them lists is.
 * A union that is told apart in another way stays one issue.
 */
export function unionIssues(issue: StandardIssue): readonly StandardIssue[] {
  const branches = branchesOf(issue)
  if (branches === undefined) return [issue]
  const prefix = issue.path ?? []
  const meant = branches.filter((issues) => !issues.some(isListed))
  const [only] = meant
  if (meant.length === 1 && only !== undefined) {
    return only.flatMap((each) => unionIssues({ ...each, path: [...prefix, ...(each.path ?? [])] }))
  }
  const listed = branches.map((issues) => issues.find(isListed))
  const [first] = listed
  if (first === undefined || !listed.every((each) => each !== undefined && place(each) === place(first)))
    return [issue]
  const values = [...new Set(listed.flatMap((each) => (each as UnionIssue).values as unknown[]))]
  return [{ ...first, path: [...prefix, ...(first.path ?? [])], values } as StandardIssue]
}

function branchesOf(issue: StandardIssue): readonly (readonly StandardIssue[])[] | undefined {
  const { code, errors } = issue as UnionIssue
  if (code !== 'invalid_union' || !Array.isArray(errors) || errors.length === 0) return undefined
  return errors.every((each) => Array.isArray(each) && each.length > 0)
    ? (errors as readonly (readonly StandardIssue[])[])
    : undefined
}

/** Whether a value is not one of those that are listed at its place, a place inside of the union. */
function isListed(issue: StandardIssue): boolean {
  return Array.isArray((issue as UnionIssue).values) && (issue.path?.length ?? 0) > 0
}

function place({ path = [] }: StandardIssue): string {
  return JSON.stringify(path)
}
