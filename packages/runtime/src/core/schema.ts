/**
 * How a value is validated: by a quick check, if the generator makes one, and by a schema, which provides the reasons.
 *
 * @public
 */
export interface CheckDescriptor {
  /**
   * Returns quickly whether `schema` accepts a value. The schema itself is used only if this returns `false` or is
   * absent, and never to distinguish messages.
   */
  readonly accepts?: (value: unknown) => boolean
  /** The schema, or a promise of one that is loaded on demand. */
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

/** The result of a {@link StandardSchema}: a value, or a list of issues. @public */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One reason why a value is invalid, with the path to it. @public */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The input type of a schema. @public */
export type InferInput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input']

/** The output type of a schema. @public */
export type InferOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']
