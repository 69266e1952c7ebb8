import type { StandardSchema } from './standard-schema.ts'

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
