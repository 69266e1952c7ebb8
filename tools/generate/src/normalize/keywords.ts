import { readFileSync } from 'node:fs'

/** Keywords that say something to people and assert nothing. */
export const annotations: ReadonlySet<string> = new Set([
  '$comment',
  'contentEncoding',
  'contentMediaType',
  'default',
  'deprecated',
  'description',
  'example',
  'examples',
  'externalDocs',
  'readOnly',
  'title',
  'writeOnly',
])

/** Whether a keyword asserts nothing. */
export function isAnnotation(key: string): boolean {
  return annotations.has(key) || key.startsWith('x-')
}

/** The annotations that are allowed beside a `$ref`. */
export const besideRef: ReadonlySet<string> = new Set([
  '$comment',
  'default',
  'deprecated',
  'description',
  'example',
  'examples',
  'title',
])

/** The assertions that apply to one type only. An unlisted keyword isn't supported. */
export const keywordsOfType: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'],
  boolean: [],
  null: [],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties', 'not'],
}

/** Why a known keyword isn't supported, and what to write instead. */
export const refusals: ReadonlyMap<string, string> = new Map([
  ['$anchor', 'anchors are not followed; name the schema under components/schemas and refer to it'],
  ['$defs', 'local definitions are not read; name the schema under components/schemas and refer to it'],
  ['$dynamicAnchor', 'dynamic references cannot be expressed'],
  ['$dynamicRef', 'dynamic references cannot be expressed'],
  ['$id', 'a schema with an address of its own cannot be expressed; refer by #/components/schemas/...'],
  ['$schema', 'another dialect cannot be expressed'],
  ['contains', 'it cannot be expressed; leave the array open and describe the rule'],
  ['contentSchema', 'the content of a string is not checked; describe it'],
  ['dependentRequired', 'it cannot be expressed in the type; describe the rule, or use anyOf'],
  ['dependentSchemas', 'it cannot be expressed; use anyOf'],
  ['discriminator', 'leave it out and tell the branches apart by a const property'],
  ['else', 'it cannot be expressed; use anyOf'],
  ['if', 'it cannot be expressed; use anyOf'],
  ['maxContains', 'it cannot be expressed; leave the array open and describe the rule'],
  ['minContains', 'it cannot be expressed; leave the array open and describe the rule'],
  ['nullable', "it is not a keyword of OpenAPI 3.1; use type: [..., 'null']"],
  ['patternProperties', 'it cannot be expressed; use additionalProperties, or leave the object open'],
  ['prefixItems', 'tuples cannot be expressed; use an object, or items'],
  ['propertyNames', 'it cannot be expressed; leave the names open and describe the rule'],
  ['then', 'it cannot be expressed; use anyOf'],
  ['unevaluatedItems', 'it cannot be expressed'],
  ['unevaluatedProperties', 'it cannot be expressed; objects are open unless additionalProperties is false'],
  ['xml', 'bodies in XML are not read or written'],
])

/** The check of each format of strings. Other formats aren't supported. */
export const stringFormats: Readonly<Record<string, 'uuid' | 'dateTime' | 'date' | 'uri'>> = {
  uuid: 'uuid',
  'date-time': 'dateTime',
  date: 'date',
  uri: 'uri',
}

/** A format that the contracts define themselves, in specs/formats.json. */
export interface OwnFormat {
  readonly pattern: string
  /** Why a string that does not match is rejected, as the end of a sentence. */
  readonly reason: string
}

/** The formats of specs/formats.json, by name. A string has such a format if it matches the pattern. */
export const ownFormats: Readonly<Record<string, OwnFormat>> = JSON.parse(
  readFileSync(new URL('../../../../specs/formats.json', import.meta.url), 'utf8'),
)

/** Formats of numbers that assert nothing beyond the type. */
export const openNumberFormats: ReadonlySet<string> = new Set(['float', 'double'])
