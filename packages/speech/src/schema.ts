import {
  type CallOptions,
  ContractDriftError,
  type Issue,
  OptionsError,
  type StandardSchema,
} from '@concord/runtime'
import { type InferOutput, toPointer } from '@concord/runtime/internal'

/** The output type of a schema; `unknown` without a schema. @public */
export type Typed<Schema> = [Schema] extends [never]
  ? unknown
  : Schema extends StandardSchema
    ? InferOutput<Schema>
    : unknown

/** Options of a REST call whose response the documentation doesn't show. @public */
export interface TypedCallOptions<Schema extends StandardSchema = never> extends CallOptions {
  /** A schema that checks the response and defines its type. */
  readonly schema?: Schema
}

export type Judged =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

/** @throws OptionsError if the value is neither a schema nor `undefined`. */
export function checkSchema(schema: unknown): void {
  const standard = (schema as StandardSchema | null | undefined)?.['~standard']
  if (schema === undefined || typeof standard?.validate === 'function') return
  throw new OptionsError(
    'schema',
    'must be a Standard Schema.',
    'Pass a schema from zod, valibot, arktype or another library that implements Standard Schema.',
  )
}

/** Returns a promise only if the schema's `validate` does. */
export function judge(schema: StandardSchema, value: unknown): Judged | Promise<Judged> {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? result.then(toJudged) : toJudged(result)
}

/**
 * Checks a response with the caller's schema. Nothing else checks the response, because the documentation doesn't
 * show it.
 *
 * @param subject How the error's message refers to the value.
 * @throws ContractDriftError with the schema's issues, if the schema rejects the value.
 */
export async function conform<Schema extends StandardSchema>(
  schema: Schema | undefined,
  value: unknown,
  operation: string,
  subject = 'the response',
): Promise<Typed<Schema>> {
  if (schema === undefined) return value as Typed<Schema>
  const judged = await judge(schema, value)
  if (judged.issues === undefined) return judged.value as Typed<Schema>
  const list = judged.issues.map(({ path, reason }) => `${path || '(the value itself)'}: ${reason}`)
  throw new ContractDriftError(
    `${operation}: ${subject} doesn't match \`schema\`. ${list.slice(0, 5).join('; ')}. Change the schema, or omit it to ` +
      'get the data as received.',
    judged.issues,
    value,
    { operation },
  )
}

function toJudged(result: Awaited<ReturnType<StandardSchema['~standard']['validate']>>): Judged {
  if (result.issues === undefined) return { value: result.value }
  return {
    issues: result.issues.map(({ message, path }) => ({
      path: toPointer((path ?? []).map((part) => (typeof part === 'object' ? part.key : part))),
      reason: message,
    })),
  }
}
