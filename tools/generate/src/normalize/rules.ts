/**
 * The rules of a schema beside the keywords that hey-api reads: everything that is
 * checked, computed from the raw contract, under the extension name {@link rulesKey}.
 */
export interface Rules {
  /** Checks of a value that has the right type already, in order. */
  readonly checks?: readonly Check[]
  /** The documented values of an open enum; any other string is accepted. */
  readonly openEnum?: readonly string[]
  /** Bytes to send, not text. */
  readonly binary?: true
  /** Bytes that were received. */
  readonly blob?: true
  /** The bytes of one message. */
  readonly bytes?: true
  /** No value at all: an answer without a body. */
  readonly nothing?: true
  /** An input without any part. */
  readonly noParts?: true
  /** `additionalProperties: false`. */
  readonly closed?: true
  /** Required properties whose schema would also accept that they are missing. */
  readonly present?: readonly string[]
  /**
   * Groups of properties that must not all be there together: `not: {required: [...]}`. A group of one is a property
   * that must not be there.
   */
  readonly exclusive?: readonly (readonly string[])[]
}

/** One check, by the name of what carries it out. */
export type Check =
  | { readonly check: 'integer' | 'int32' | 'uuid' | 'dateTime' | 'date' | 'uri' | 'unique' }
  | {
      readonly check:
        | 'minCodePoints'
        | 'maxCodePoints'
        | 'minimum'
        | 'maximum'
        | 'exclusiveMinimum'
        | 'exclusiveMaximum'
        | 'multipleOf'
        | 'minItems'
        | 'maxItems'
        | 'minProperties'
        | 'maxProperties'
      readonly value: number
    }
  | {
      readonly check: 'pattern'
      readonly value: string
      /** Why a value is rejected; by default that it does not match the pattern. */
      readonly reason?: string
    }

/** The extension under which {@link Rules} travel. */
export const rulesKey = 'x-generate-rules'

/** The rules of a schema of the synthesized document. */
export function rulesOf(schema: object): Rules {
  return ((schema as Record<string, unknown>)[rulesKey] as Rules | undefined) ?? {}
}

/** A schema of the synthesized document: a small, regular subset of JSON Schema plus {@link Rules}. */
export interface PlainSchema {
  $ref?: string
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'
  description?: string
  deprecated?: boolean
  const?: string | number | boolean | null
  enum?: readonly (string | number | boolean)[]
  items?: PlainSchema
  properties?: Record<string, PlainSchema>
  required?: readonly string[]
  additionalProperties?: PlainSchema
  anyOf?: readonly PlainSchema[]
  allOf?: readonly PlainSchema[]
  [rulesKey]?: Rules
}

/** The name of the component that a `$ref` of the synthesized document points to. */
export function refName(reference: string): string {
  return decodeURIComponent(reference.slice('#/components/schemas/'.length))
}
