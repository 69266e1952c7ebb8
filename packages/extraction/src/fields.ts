import type { StandardSchema } from '@concord/runtime'
import type { InferInput } from '@concord/runtime/internal'
import { OptionsError } from '@concord/runtime'
import type { FieldEntry } from '@concord/extraction-validators'

/** The type of `result.data` without a schema. @public */
export type OpenFields = Record<string, FieldEntry>

/** The type of `result.data` with a schema: for each field of `Values`, an entry with a typed value. @public */
export type TypedFields<Values> = {
  [Name in keyof Values]: Omit<FieldEntry, 'value'> & { value: Values[Name] }
}

/**
 * The fields of the caller's schema; without a schema, any fields. Values are returned as the service sent them, so their
 * types are the schema's input types, before any transform. A value that the service did not find can be null even if
 * the schema doesn't allow null. The client's `validate` option decides what happens in this case.
 *
 * @public
 */
export type FieldsOf<Schema> = Schema extends StandardSchema ? TypedFields<InferInput<Schema>> : OpenFields

/** A Standard Schema that can produce its JSON Schema, such as a schema from zod 4.2 or later. */
interface JsonSchemaSource {
  readonly '~standard': {
    readonly jsonSchema?: { input(options: { target: string }): Record<string, unknown> }
  }
}

/** A JSON Schema as an object or a string, or a Standard Schema that can produce one. @public */
export type ExtractionSchema = string | { readonly [keyword: string]: unknown } | StandardSchema

export function isStandardSchema(value: unknown): value is StandardSchema {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value
}

/** The keywords aren't checked, because the documentation doesn't say which dialect and keywords are supported. */
export function schemaText(schema: ExtractionSchema): string {
  if (typeof schema === 'string') {
    try {
      JSON.parse(schema)
    } catch {
      throw new OptionsError(
        'schema',
        'is a string that is not JSON.',
        'Pass a JSON Schema as a JSON string or as an object.',
      )
    }
    return schema
  }
  if (!isStandardSchema(schema) && (typeof schema !== 'object' || schema === null)) {
    throw new OptionsError(
      'schema',
      'is neither a JSON Schema nor a validator.',
      'Pass a JSON Schema as a JSON string or as an object, or pass a zod schema.',
    )
  }
  if (!isStandardSchema(schema)) return JSON.stringify(schema)
  const { jsonSchema } = (schema as JsonSchemaSource)['~standard']
  if (!jsonSchema) {
    throw new OptionsError(
      'schema',
      'is a validator that cannot produce its JSON Schema.',
      'Pass the JSON Schema in `schema` and the validator in `fields`.',
    )
  }
  try {
    return JSON.stringify(jsonSchema.input({ target: 'draft-2020-12' }))
  } catch (error) {
    throw new OptionsError(
      'schema',
      "cannot be converted to a JSON Schema. The error's `cause` says why.",
      'Remove the parts that JSON Schema cannot express, or pass the JSON Schema in `schema` and the validator in `fields`.',
      { cause: error },
    )
  }
}
