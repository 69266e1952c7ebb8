import { OptionsError, type StandardSchema } from '@concord/runtime'
import { checkOptionNames, type OptionNames } from '@concord/runtime/internal'
import type { BinaryInput } from '@concord/extraction-validators'

import { isStandardSchema, type ExtractionSchema } from './fields.ts'

/** The options that all submissions share. @public */
export interface SubmitDocument {
  /** A PDF, PNG, JPG or JPEG file: its path (in Node), bytes, a Blob or a stream. */
  readonly file: BinaryInput
  /** The file name to send. Default: the file's own name, or `document` with an extension for its type. */
  readonly filename?: string
  /** The media type to send. Default: derived from the name or the first bytes. */
  readonly contentType?: string
  /**
   * Requests preview images and page data. With `true`, the service also enables `include_pages`. The client sends
   * `include_images` only if you set it.
   */
  readonly include_images?: boolean
  /** Requests a page-by-page breakdown of the result. Sent only if you set it. */
  readonly include_pages?: boolean
  /** The HTTPS URL to notify on completion; see `webhookReceiver`. */
  readonly webhook_url?: string
}

/** A submission that requests the fields of a schema. @public */
export interface SubmitWithSchema<
  Schema extends ExtractionSchema,
  Fields extends StandardSchema,
> extends SubmitDocument {
  /**
   * The fields to extract. A JSON Schema, as an object or a string, is sent unchanged. A Standard Schema sets the
   * type of `result.data`. It must be able to produce its JSON Schema (zod 4.2 or later can).
   */
  readonly schema: Schema
  /**
   * The Standard Schema for the extracted values. It sets their types, and the client checks the values with it.
   * Default: `schema`, if it is a Standard Schema.
   */
  readonly fields?: Fields
  /** Can't be combined with `schema`. */
  readonly blueprint_id?: undefined
}

/** A submission that requests the fields of a blueprint. @public */
export interface SubmitWithBlueprint<Fields extends StandardSchema> extends SubmitDocument {
  /** Can't be combined with `blueprint_id`. */
  readonly schema?: undefined
  /** The Standard Schema for the extracted values. It sets their types, and the client checks the values with it. */
  readonly fields?: Fields
  /** The id of the blueprint. */
  readonly blueprint_id: string
}

/** A submission that requests only the text of the document. @public */
export interface SubmitForText extends SubmitDocument {
  readonly schema?: undefined
  readonly fields?: undefined
  readonly blueprint_id?: undefined
}

export type AnySubmission = SubmitDocument & {
  readonly schema?: ExtractionSchema | undefined
  readonly fields?: StandardSchema | undefined
  readonly blueprint_id?: string | undefined
}

const NAMES: OptionNames<AnySubmission> = {
  file: true,
  filename: true,
  contentType: true,
  include_images: true,
  include_pages: true,
  webhook_url: true,
  schema: true,
  fields: true,
  blueprint_id: true,
}

/** Rejects unknown options. Otherwise, the request would silently omit a misspelled option. @throws OptionsError */
export function checkSubmission(submission: unknown): void {
  checkOptionNames(
    submission,
    NAMES,
    'submission',
    'To send an undocumented form part, for example to select a pipeline, use the `extra.parts` option.',
  )
}

export function fieldsOf({ schema, fields }: AnySubmission): StandardSchema | undefined {
  if (fields !== undefined) {
    if (!isStandardSchema(fields)) {
      throw new OptionsError(
        'fields',
        'must be a Standard Schema.',
        'Pass a zod schema or another Standard Schema. If you have a JSON Schema, pass it as `schema` instead.',
      )
    }
    return fields
  }
  return isStandardSchema(schema) ? schema : undefined
}
