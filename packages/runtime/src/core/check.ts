import { isPromise, load } from './async.ts'
import type { Issue } from './errors.ts'

/**
 * How a value is validated. The generated quick check, if any, accepts most valid values. The schema checks all other
 * values, and provides the reasons for a rejection.
 *
 * @public
 */
export interface CheckDescriptor {
  /**
   * A quick check, which returns `true` only for values that `schema` accepts. In rare cases, it returns `false` for a
   * valid value. If this function is absent or returns `false`, the schema decides.
   */
  readonly accepts?: (value: unknown) => boolean
  /** Returns the schema, or a promise if the schema is loaded on demand. */
  readonly schema: () => StandardSchema | Promise<StandardSchema>
}

/**
 * A validator with the interface that version 1 of the Standard Schema specification defines. The schemas of zod,
 * zod/mini, valibot, arktype and others implement this interface. The runtime uses no other part of a validator.
 *
 * @see https://standardschema.dev
 * @public
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** The result of a {@link StandardSchema}: a value, or a list of issues. @public */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One reason why a value is invalid, with the path to the invalid part. @public */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The input type of a schema. @public */
export type InferInput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input']

/** The output type of a schema. @public */
export type InferOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']

/** The issues that a check found; `undefined` if the value is valid. */
export type Findings = readonly Issue[] | undefined

/** The operation or channel that a checked value belongs to. */
export interface Checked {
  readonly id: string
  readonly secrets: readonly string[]
}

/**
 * Returns the result of the descriptor's quick check. Without a quick check, returns whether the schema accepts the
 * value, or `undefined` if the schema must be loaded first or validates asynchronously.
 */
export function accepts({ accepts: quickly, schema }: CheckDescriptor, value: unknown): boolean | undefined {
  try {
    if (quickly !== undefined) return quickly(value)
    const found = schema()
    const result = isPromise(found) ? undefined : found['~standard'].validate(value)
    if (result !== undefined && !isPromise(result)) return result.issues === undefined
    // Prevent an unhandled rejection. `findIssues` calls `schema` again, and reports the failure.
    Promise.all([found, result]).catch(() => undefined)
    return undefined
  } catch (error) {
    // A validator overflows the stack if the value is nested very deeply, or has errors in very many places.
    if (error instanceof RangeError) return false
    throw error
  }
}

/**
 * Finds the issues of a value. If `accepts` returns true, returns `undefined` instead of a promise. This avoids the
 * cost of a promise in most calls.
 *
 * @throws ConnectionError if the schema or `issues.ts` fails to load.
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

/** Returns the first five issues as one line for a message. */
export function listIssues(issues: readonly Issue[]): string {
  const shown = issues
    .slice(0, 5)
    .map(({ path, reason }) => `${path === '' ? '(the value itself)' : path}: ${reason}`)
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`)
  return shown.join('; ')
}
