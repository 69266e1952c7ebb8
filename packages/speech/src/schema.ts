import {
  ContractDriftError,
  type InferOutput,
  type Issue,
  OptionsError,
  type StandardSchema,
  toPointer,
} from '@concord/runtime'

/** The type that a schema of the caller's gives; `unknown` where there is none. @public */
export type Typed<Schema> = [Schema] extends [never]
  ? unknown
  : Schema extends StandardSchema
    ? InferOutput<Schema>
    : unknown

/** What a schema of the caller's made of a value. */
export type Judged =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

/** @throws OptionsError when what was given as a schema is none. */
export function checkSchema(schema: unknown): void {
  const standard = (schema as StandardSchema | null | undefined)?.['~standard']
  if (schema === undefined || typeof standard?.validate === 'function') return
  throw new OptionsError(
    'schema',
    '`schema` must be a Standard Schema.',
    'Pass a schema of zod, valibot, arktype or another library.',
  )
}

/** Has a schema look at a value. The answer is a promise only when the schema's is. */
export function judge(schema: StandardSchema, value: unknown): Judged | Promise<Judged> {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? result.then(toJudged) : toJudged(result)
}

/**
 * Has a schema look at what an operation answered. Such an answer is not shown by the documentation, so the schema is
 * all that is known of it; what it refuses would have the wrong type.
 *
 * @throws ContractDriftError with what the schema has against it.
 */
export async function conform<Schema extends StandardSchema>(
  schema: Schema | undefined,
  value: unknown,
  operation: string,
): Promise<Typed<Schema>> {
  if (schema === undefined) return value as Typed<Schema>
  const judged = await judge(schema, value)
  if (judged.issues === undefined) return judged.value as Typed<Schema>
  const list = judged.issues.map(({ path, reason }) => `${path || '(the value itself)'}: ${reason}`)
  throw new ContractDriftError(
    `${operation}: the answer is not what the schema that was given for it says. ${list.slice(0, 5).join('; ')}. ` +
      'Change the schema, or leave it out to get the answer as it came.',
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
