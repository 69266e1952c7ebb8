import type { Json } from '../read/json.ts'

/**
 * The rules of a schema beside the keywords that hey-api reads: everything that is
 * checked, computed from the raw contract, under the extension name {@link rulesKey}.
 */
export interface Rules {
  /** Checks of a value that has the right type already, in order. */
  readonly checks?: readonly Check[]
  /** The documented values of an open enum; any other string is accepted. */
  readonly openEnum?: readonly string[]
  /** Any string of this shape: `image/*`. */
  readonly mediaRange?: string
  /** Of a union: how a value says which branch it is meant for. */
  readonly discriminator?: Discriminator
  /** Bytes to send, not text. */
  readonly binary?: true
  /** Bytes that were received. */
  readonly blob?: true
  /** The bytes of one message. */
  readonly bytes?: true
  /** No value at all: a response without a body. */
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
  /** The messages about a value that has all properties of a group of {@link exclusive}. */
  readonly exclusions?: readonly string[]
  /** Nothing at all is accepted: the schema `false`. */
  readonly never?: true
  /** Only null is accepted, by a schema that isn't of type null to hey-api. */
  readonly onlyNull?: true
  /** Values of all types but these: what a schema without `type` accepts unseen. */
  readonly noneOf?: readonly string[]
  /** Assertions that neither a type nor zod has a word for. Each one is written as a function. */
  readonly assertions?: readonly Assertion[]
  /** The type that a `$ref` names. It is lazy if that is declared later. */
  readonly reference?: { readonly type: string; readonly isLazy: boolean }
  /** The functions that {@link assertions} were written as. */
  readonly tests?: readonly { readonly name: string; readonly message: string }[]
}

/**
 * The property that says which branch of a union a value is meant for. It decides what is said about a wrong value and how
 * types can be narrowed, never whether a value is accepted: JSON Schema knows no discriminators.
 */
export interface Discriminator {
  readonly property: string
  /** The values that name each branch; none if nothing names it. */
  readonly values: readonly (readonly string[])[]
  /** The branches whose own schema doesn't say their values, so that their type has to. */
  readonly unsaid: readonly number[]
  /** The branch that is meant without the property. */
  readonly otherwise?: number
  /**
   * Whether the last branch is what all others extend, and the one that decides whether a value is accepted. It isn't part of
   * the type if no value names it.
   */
  readonly isFamily?: true
}

/** Something that a schema asserts beyond the type of a value. One about objects or arrays accepts all other values. */
export type Assertion = AssertionOf & {
  /** Set if it is left out after all, because it would reject what the contract accepts. */
  isOpen?: true
}

type AssertionOf =
  | { readonly assert: 'not'; readonly schema: PlainSchema }
  | { readonly assert: 'oneOf' | 'allOf'; readonly schemas: readonly PlainSchema[] }
  | {
      readonly assert: 'if'
      readonly test: PlainSchema
      readonly then: PlainSchema
      readonly else: PlainSchema
    }
  | { readonly assert: 'values'; readonly values: readonly Json[] }
  | {
      readonly assert: 'properties'
      readonly names: { readonly [name: string]: PlainSchema }
      readonly patterns: readonly (readonly [pattern: string, schema: PlainSchema])[]
      /** The schema of all other properties. */
      readonly others: PlainSchema
    }
  | { readonly assert: 'required'; readonly names: readonly string[] }
  | { readonly assert: 'propertyNames'; readonly schema: PlainSchema }
  | { readonly assert: 'dependentRequired'; readonly name: string; readonly required: readonly string[] }
  | { readonly assert: 'dependentSchema'; readonly name: string; readonly schema: PlainSchema }
  | { readonly assert: 'items'; readonly first: readonly PlainSchema[]; readonly others: PlainSchema }
  | {
      readonly assert: 'contains'
      readonly schema: PlainSchema
      readonly least: number
      readonly most: number | undefined
    }
  | {
      readonly assert: 'unevaluatedProperties' | 'unevaluatedItems'
      readonly schema: PlainSchema
      readonly evaluated: Evaluated
    }

/** Which properties or items of a value other keywords have looked at already. JSON Schema 2020-12, section 11. */
export interface Evaluated {
  readonly all: boolean
  readonly names: readonly string[]
  readonly patterns: readonly string[]
  /** The number of items from the start. */
  readonly items: number
  /** Items that fit one of these: those of `contains`. */
  readonly fitting: readonly PlainSchema[]
  /** Properties or items that are looked at only if a value fits, or only if it doesn't. */
  readonly when: readonly {
    readonly test: PlainSchema
    readonly then: Evaluated
    readonly else: Evaluated
  }[]
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
  /** The schema of each item of an array of exactly so many. An assertion says the same for checks. */
  tuple?: readonly PlainSchema[]
  properties?: Record<string, PlainSchema>
  required?: readonly string[]
  additionalProperties?: PlainSchema
  anyOf?: readonly PlainSchema[]
  allOf?: readonly PlainSchema[]
  [rulesKey]?: Rules
}

/** A schema with assertions added. Only where a value has one type can they join its checks. */
export function withAssertions(schema: PlainSchema, assertions: readonly Assertion[]): PlainSchema {
  if (assertions.length === 0) return schema
  const rules = rulesOf(schema)
  const isPlain = schema.$ref === undefined && schema.anyOf === undefined && schema.allOf === undefined
  const isOpen = Object.keys(rules).every((key) =>
    ['checks', 'assertions', 'closed', 'present', 'exclusive'].includes(key),
  )
  if (
    isPlain &&
    isOpen &&
    schema.const === undefined &&
    schema.enum === undefined &&
    !['boolean', 'null'].includes(schema.type ?? '')
  )
    return { ...schema, [rulesKey]: { ...rules, assertions: [...(rules.assertions ?? []), ...assertions] } }
  return { allOf: [schema, { [rulesKey]: { assertions } }] }
}

/** The name of the component that a `$ref` of the synthesized document points to. */
export function refName(reference: string): string {
  return decodeURIComponent(reference.slice('#/components/schemas/'.length))
}
