import type { Issue } from './errors.ts'
import { issueReason } from './issue-reason.ts'
import { toPointer } from './json-pointer.ts'
import type { StandardIssue } from './standard-schema.ts'
import { unionIssues } from './union-issues.ts'

/** More are not listed: a hostile answer can differ in a million places. */
export const MOST_ISSUES = 100
/** A name in an answer, and so a path or a reason, can be megabytes long. */
const LONGEST_TEXT = 500

/** Puts what a schema has against a value into words. A reason may quote the value, so that of a secret place is left out. */
export function explain(
  issues: readonly StandardIssue[],
  value: unknown,
  secrets: readonly string[],
): readonly Issue[] {
  const found = issues.slice(0, MOST_ISSUES).flatMap(unionIssues).slice(0, MOST_ISSUES)
  const listed = found.map((issue): Issue => {
    const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))
    const secret = keys.some((key) => typeof key === 'string' && secrets.includes(key))
    return {
      path: cut(toPointer(keys)),
      reason: secret
        ? 'is not what the contract says (the value is secret)'
        : cut(issueReason(issue, value, keys)),
    }
  })
  const left = issues.length - MOST_ISSUES
  return left > 0 ? [...listed, { path: '', reason: `differs in ${left} more places` }] : listed
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text
}
