import type { Issue } from './errors.ts'
import { issueReason } from './issue-reason.ts'
import { toPointer } from './json-pointer.ts'
import type { StandardIssue } from './standard-schema.ts'
import { unionIssues } from './union-issues.ts'

/** Puts what a schema has against a value into words. A reason may quote the value, so that of a secret place is left out. */
export function explain(
  issues: readonly StandardIssue[],
  value: unknown,
  secrets: readonly string[],
): readonly Issue[] {
  return issues.flatMap(unionIssues).map((issue) => {
    const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))
    const secret = keys.some((key) => typeof key === 'string' && secrets.includes(key))
    return {
      path: toPointer(keys),
      reason: secret
        ? 'is not what the contract says (the value is secret)'
        : issueReason(issue, value, keys),
    }
  })
}
