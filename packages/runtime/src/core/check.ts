import type { CheckDescriptor } from './check-descriptor.ts'
import type { Issue } from './errors.ts'
import { issueReason } from './issue-reason.ts'
import { toPointer } from './json-pointer.ts'
import { load } from './load.ts'
import type { StandardIssue, StandardResult, StandardSchema } from './standard-schema.ts'
import { unionIssues } from './union-issues.ts'

/** What checking a value against a schema found; `undefined` when all is well. */
export type Findings = readonly Issue[] | undefined

/**
 * Checks a value. The answer is a promise only where the schema has to be loaded first, or needs time itself: a call
 * should not pay for a promise that it does not need.
 */
export function check(
  { accepts, schema }: CheckDescriptor,
  value: unknown,
  secrets: readonly string[],
): Findings | Promise<Findings> {
  if (accepts?.(value) === true) return undefined
  const found = schema()
  return found instanceof Promise ? askLater(found, value, secrets) : ask(found, value, secrets)
}

async function askLater(
  loading: Promise<StandardSchema>,
  value: unknown,
  secrets: readonly string[],
): Promise<Findings> {
  let schema: StandardSchema
  try {
    schema = await load(loading)
  } catch (error) {
    // A page whose files were replaced on the server, say. The value is not lost for that.
    return [{ path: '', reason: `could not be checked, as the schemas did not load: ${String(error)}` }]
  }
  return ask(schema, value, secrets)
}

function ask(
  schema: StandardSchema,
  value: unknown,
  secrets: readonly string[],
): Findings | Promise<Findings> {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) return result.then((settled) => findings(settled, value, secrets))
  return findings(result, value, secrets)
}

function findings(result: StandardResult<unknown>, value: unknown, secrets: readonly string[]): Findings {
  return result.issues?.flatMap(unionIssues).map((issue) => toIssue(issue, value, secrets))
}

/** A reason may quote the value, so that of a secret place is left out. */
function toIssue(issue: StandardIssue, value: unknown, secrets: readonly string[]): Issue {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))
  const secret = keys.some((key) => typeof key === 'string' && secrets.includes(key))
  return {
    path: toPointer(keys),
    reason: secret ? 'is not what the contract says (the value is secret)' : issueReason(issue, value, keys),
  }
}

/** Issues as one line for a message; the first five of them. */
export function listIssues(issues: readonly Issue[]): string {
  const shown = issues
    .slice(0, 5)
    .map(({ path, reason }) => `${path === '' ? '(the value itself)' : path}: ${reason}`)
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`)
  return shown.join('; ')
}
