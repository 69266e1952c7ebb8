import { isPromise } from './async.ts'
import type { Issue } from './errors.ts'
import { load } from './load.ts'

/** What checking a value found; `undefined` when all is well. */
export type Findings = readonly Issue[] | undefined

/** What is checked: an operation or a channel. */
interface Checked {
  readonly id: string
  readonly secrets: readonly string[]
}

/**
 * Checks a value. The answer is a promise only where there is something to explain, or the schema has to be loaded or needs
 * time itself: a call should not pay for a promise that it does not need.
 *
 * @throws ConnectionError when the schema, or what puts its issues into words, does not load.
 */
export function check(
  descriptor: CheckDescriptor,
  value: unknown,
  about: Checked,
): Findings | Promise<Findings> {
  let schema: ReturnType<CheckDescriptor['schema']>
  let result: ReturnType<StandardSchema['~standard']['validate']> | undefined
  try {
    if (descriptor.accepts?.(value) === true) return undefined
    schema = descriptor.schema()
    result = isPromise(schema) ? undefined : schema['~standard'].validate(value)
  } catch (error) {
    return tooMuch(error)
  }
  if (result === undefined || isPromise(result) || result.issues !== undefined)
    return explained(schema, result, value, about)
  return undefined
}

/** Whether a schema accepts a value; `undefined` where that takes time to tell. */
export function accepts({ accepts: quickly, schema }: CheckDescriptor, value: unknown): boolean | undefined {
  try {
    if (quickly !== undefined) return quickly(value)
    const found = schema()
    if (isPromise(found)) return undefined
    const result = found['~standard'].validate(value)
    return isPromise(result) ? undefined : result.issues === undefined
  } catch (error) {
    tooMuch(error)
    return false
  }
}

async function explained(
  schema: StandardSchema | Promise<StandardSchema>,
  result: StandardResult<unknown> | Promise<StandardResult<unknown>> | undefined,
  value: unknown,
  { id, secrets }: Checked,
): Promise<Findings> {
  const loaded = await load(Promise.resolve(schema), { operation: id })
  try {
    const { issues } = await (result ?? loaded['~standard'].validate(value))
    if (issues === undefined) return undefined
    const { explain } = await load(import('./issues.ts'), { operation: id })
    return explain(issues, value, secrets)
  } catch (error) {
    return tooMuch(error)
  }
}

/** A validator that runs out of stack has met a value that is nested very deeply, or wrong in very many places. */
function tooMuch(error: unknown): Findings {
  if (!(error instanceof RangeError)) throw error
  return [{ path: '', reason: 'is nested too deeply, or differs in too many places, to be checked' }]
}

/** Issues as one line for a message; the first five of them. */
export function listIssues(issues: readonly Issue[]): string {
  const shown = issues
    .slice(0, 5)
    .map(({ path, reason }) => `${path === '' ? '(the value itself)' : path}: ${reason}`)
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`)
  return shown.join('; ')
}

/**
 * How a value is checked: quickly where the generator makes a check for that, and by a schema, which gives the reasons.
 *
 * @public
 */
export interface CheckDescriptor {
  /**
   * Says quickly whether `schema` accepts a value. The schema is asked only when this says `false`, or is not there; not
   * even then to tell a message from others.
   */
  readonly accepts?: (value: unknown) => boolean
  /** Gives the schema; a promise where it is loaded only when it is needed. */
  readonly schema: () => StandardSchema | Promise<StandardSchema>
}

/**
 * A validator in the shape of the Standard Schema specification, version 1: what zod, zod/mini, valibot,
 * arktype and others implement. The runtime knows validators only through this shape.
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

/** What a {@link StandardSchema} answers: a value, or a list of issues. @public */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One reason why a value was refused, with the path to it. @public */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The type that a schema takes. @public */
export type InferInput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input']

/** The type that a schema gives back. @public */
export type InferOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']
