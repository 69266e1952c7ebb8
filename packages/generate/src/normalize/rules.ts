import type { Json } from '../read/json.ts'

/**
 * hey-api generates types and zod schemas, but reads only some keywords of a schema. The rules express the rest. They
 * are computed from the raw contract, and a schema carries them in the extension {@link rulesKey}.
 */
export interface Rules {
  /** Checks that run in this order, after the type of the value has been tested. */
  readonly checks?: readonly Check[]
  /** The documented values of an open enum, which also accepts any other string. */
  readonly openEnum?: readonly string[]
  /** A media range such as `image/*`: the value is a media type in the range. */
  readonly mediaRange?: string
  readonly discriminator?: Discriminator
  /** The value is bytes to send. */
  readonly binary?: true
  /** The value is received bytes. */
  readonly blob?: true
  /** The value is the bytes of one message. */
  readonly bytes?: true
  /** The value is absent, as in a response without a body. */
  readonly nothing?: true
  /** The value is the input of an operation that has neither parameters nor a body. */
  readonly noParts?: true
  /** `additionalProperties: false`. */
  readonly closed?: true
  /** Required properties that zod wouldn't require, because their zod schemas also accept undefined. */
  readonly present?: readonly string[]
  /**
   * Groups of properties that must not all be present together: `not: {required: [...]}`. If a group has only one
   * property, that property must be absent.
   */
  readonly exclusive?: readonly (readonly string[])[]
  /** For each group of {@link exclusive}, the error message for a value that has all properties of the group. */
  readonly exclusions?: readonly string[]
  /** No value is accepted, as with the schema `false`. */
  readonly never?: true
  /**
   * Only null is accepted. The schema's `type` is nevertheless string, because hey-api would apply the type null to a
   * whole `allOf`.
   */
  readonly onlyNull?: true
  /**
   * The types whose values aren't accepted. A schema without `type` becomes a union with a branch for each type that
   * the schema's keywords apply to. The last branch has this rule: it accepts values of all other types.
   */
  readonly noneOf?: readonly string[]
  /** Assertions that neither types nor zod can express. A function is generated for each assertion. */
  readonly assertions?: readonly Assertion[]
  /** The type that a `$ref` names. The reference is lazy if the type is declared later. */
  readonly reference?: { readonly type: string; readonly isLazy: boolean }
  /** The functions that test the {@link assertions}. */
  readonly tests?: readonly { readonly name: string; readonly message: string }[]
}

/**
 * The property whose value selects a branch of a union. It decides which branch an error message is about, and how
 * types can be narrowed. It never decides whether a value is accepted, because JSON Schema has no discriminators.
 */
export interface Discriminator {
  readonly property: string
  /** For each branch, the property values that select the branch, if any. */
  readonly values: readonly (readonly string[])[]
  /**
   * The indexes of branches whose schemas allow more property values than `values` lists for them. The types of these
   * branches are narrowed to the listed values.
   */
  readonly unsaid: readonly number[]
  /** The branch for values without the property. */
  readonly otherwise?: number
  /**
   * Whether all other branches extend the last branch. If so, values are checked against the last branch only. If no
   * property value selects the last branch, the union's type leaves it out.
   */
  readonly isFamily?: true
}

/**
 * A condition that a schema sets in addition to a value's type. A condition for objects accepts every value that
 * isn't an object, and a condition for arrays accepts every value that isn't an array.
 */
export type Assertion = AssertionOf & {
  /** Set if the assertion could reject values that the contract accepts. The assertion is then left out. */
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

/** The properties or items that other keywords have already evaluated. JSON Schema 2020-12, section 11. */
export interface Evaluated {
  readonly all: boolean
  readonly names: readonly string[]
  readonly patterns: readonly string[]
  /** The number of evaluated items at the start of an array. */
  readonly items: number
  /** The schemas of `contains`. Items that match one of them count as evaluated. */
  readonly fitting: readonly PlainSchema[]
  /** The properties or items that are evaluated only if the value matches `test`, or only if it doesn't. */
  readonly when: readonly {
    readonly test: PlainSchema
    readonly then: Evaluated
    readonly else: Evaluated
  }[]
}

/** One check, named after its predicate or keyword. */
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
      /** The reason for a rejection. Default: the value doesn't match the pattern. */
      readonly reason?: string
    }

/** The extension of a schema that contains its {@link Rules}. */
export const rulesKey = 'x-generate-rules'

export function rulesOf(schema: object): Rules {
  return ((schema as Record<string, unknown>)[rulesKey] as Rules | undefined) ?? {}
}

/** A schema in the form in which hey-api gets it: a small, regular subset of JSON Schema plus {@link Rules}. */
export interface PlainSchema {
  $ref?: string
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'
  description?: string
  deprecated?: boolean
  const?: string | number | boolean | null
  enum?: readonly (string | number | boolean)[]
  items?: PlainSchema
  /**
   * For an array with a fixed length: the schema of each item. These schemas determine the array's type; an assertion
   * checks the items.
   */
  tuple?: readonly PlainSchema[]
  properties?: Record<string, PlainSchema>
  required?: readonly string[]
  additionalProperties?: PlainSchema
  anyOf?: readonly PlainSchema[]
  allOf?: readonly PlainSchema[]
  [rulesKey]?: Rules
}

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

/** The name of the component that the `$ref` of a {@link PlainSchema} points to. */
export function refName(reference: string): string {
  return decodeURIComponent(reference.slice('#/components/schemas/'.length))
}

/**
 * The union of some types, or the type itself if `types` has only one. In `types`, `undefined` means that the value
 * is absent. If `types` is empty, anything is accepted.
 */
export function unionOf(types: Iterable<string | undefined>): PlainSchema {
  const branches = [...new Set(types)].map((type): PlainSchema =>
    type === undefined ? { [rulesKey]: { nothing: true } } : { $ref: `#/components/schemas/${type}` },
  )
  const [first = {}] = branches
  return branches.length > 1 ? { anyOf: branches } : first
}
