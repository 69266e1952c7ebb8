import { isPromise } from './async.ts'
import type { Issue } from './errors.ts'
import { load } from './load.ts'
import type { CheckDescriptor } from './schema.ts'

/** The issues that a check found; `undefined` if the value is valid. */
export type Findings = readonly Issue[] | undefined

/** The subject of a check: an operation or a channel. */
export interface Checked {
  readonly id: string
  readonly secrets: readonly string[]
}

/**
 * Returns whether a check accepts a value, according to its quick check or else its schema; `undefined` if the result
 * isn't available synchronously.
 */
export function accepts({ accepts: quickly, schema }: CheckDescriptor, value: unknown): boolean | undefined {
  try {
    if (quickly !== undefined) return quickly(value)
    const found = schema()
    const result = isPromise(found) ? undefined : found['~standard'].validate(value)
    if (result !== undefined && !isPromise(result)) return result.issues === undefined
    // A failure is reported by the caller that needs the issues and tries again.
    Promise.all([found, result]).catch(() => undefined)
    return undefined
  } catch (error) {
    // A validator that runs out of stack has met a value that is nested very deeply, or has errors in very many places.
    if (error instanceof RangeError) return false
    throw error
  }
}

/**
 * Checks a value. Returns a promise only if the value isn't accepted at once, so that most calls don't pay for one.
 *
 * @throws ConnectionError if the schema, or the module that explains its issues, fails to load.
 */
export function check(
  descriptor: CheckDescriptor,
  value: unknown,
  about: Checked,
): undefined | Promise<Findings> {
  if (accepts(descriptor, value) === true) return undefined
  return load(import('./issues.ts'), { operation: about.id }).then(({ findIssues }) =>
    findIssues(descriptor, value, about),
  )
}

/** Issues as one line for a message; the first five of them. */
export function listIssues(issues: readonly Issue[]): string {
  const shown = issues
    .slice(0, 5)
    .map(({ path, reason }) => `${path === '' ? '(the value itself)' : path}: ${reason}`)
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`)
  return shown.join('; ')
}
