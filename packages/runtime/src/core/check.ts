import type { CheckDescriptor } from './check-descriptor.ts'
import type { Issue } from './errors.ts'
import { load } from './load.ts'
import type { StandardResult, StandardSchema } from './standard-schema.ts'

/** What checking a value found; `undefined` when all is well. */
export type Findings = readonly Issue[] | undefined

/**
 * Checks a value. The answer is a promise only where there is something to explain, or the schema has to be loaded or needs
 * time itself: a call should not pay for a promise that it does not need.
 */
export function check(
  descriptor: CheckDescriptor,
  value: unknown,
  secrets: readonly string[],
): Findings | Promise<Findings> {
  if (descriptor.accepts?.(value) === true) return undefined
  const schema = descriptor.schema()
  const result = schema instanceof Promise ? undefined : schema['~standard'].validate(value)
  if (result === undefined || result instanceof Promise || result.issues !== undefined)
    return explained(schema, result, value, secrets)
  return undefined
}

/** Whether a schema accepts a value; `undefined` where that takes time to tell. */
export function accepts({ accepts: quickly, schema }: CheckDescriptor, value: unknown): boolean | undefined {
  if (quickly !== undefined) return quickly(value)
  const found = schema()
  const result = found instanceof Promise ? found : found['~standard'].validate(value)
  return result instanceof Promise ? undefined : result.issues === undefined
}

async function explained(
  schema: StandardSchema | Promise<StandardSchema>,
  result: StandardResult<unknown> | Promise<StandardResult<unknown>> | undefined,
  value: unknown,
  secrets: readonly string[],
): Promise<Findings> {
  let loaded: StandardSchema
  let explain: typeof import('./explain.ts').explain
  try {
    loaded = await load(Promise.resolve(schema))
    ;({ explain } = await load(import('./explain.ts')))
  } catch (error) {
    // A page whose files were replaced on the server, say. The value is not lost for that.
    return [{ path: '', reason: `could not be checked, as the schemas did not load: ${String(error)}` }]
  }
  const { issues } = await (result ?? loaded['~standard'].validate(value))
  return issues && explain(issues, value, secrets)
}

/** Issues as one line for a message; the first five of them. */
export function listIssues(issues: readonly Issue[]): string {
  const shown = issues
    .slice(0, 5)
    .map(({ path, reason }) => `${path === '' ? '(the value itself)' : path}: ${reason}`)
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`)
  return shown.join('; ')
}
