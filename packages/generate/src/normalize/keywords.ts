import { formats } from '../own-files.ts'

/** Keywords that are only for people, and assert nothing. */
const annotations: ReadonlySet<string> = new Set([
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

export function isAnnotation(key: string): boolean {
  return annotations.has(key) || key.startsWith('x-')
}

/** The annotations that have no effect beside a `$ref`. */
export const IDLE_BESIDE_REF: ReadonlySet<string> = new Set(
  'contentEncoding contentMediaType externalDocs readOnly writeOnly'.split(' '),
)

/** For each type, the assertions that apply to this type, but not to every type. */
export const keywordsOfType: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'],
  boolean: [],
  null: [],
  array: [
    'items',
    'minItems',
    'maxItems',
    'uniqueItems',
    'prefixItems',
    'contains',
    'minContains',
    'maxContains',
    'unevaluatedItems',
  ],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'minProperties',
    'maxProperties',
    'patternProperties',
    'propertyNames',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
    'unevaluatedProperties',
  ],
}

/** The assertions that apply to every type. */
export const keywordsOfAll: readonly string[] = ['type', 'const', 'enum', 'not', 'if', 'then', 'else']

/** Keywords that assert nothing themselves. They name or contain a schema, or determine how other keywords are read. */
export const silentKeywords: ReadonlySet<string> = new Set([
  '$anchor',
  '$defs',
  '$id',
  '$schema',
  '$vocabulary',
  'contentSchema',
  'definitions',
])

/** For each unsupported keyword, the reason and what to write instead. */
export const unsupported: ReadonlyMap<string, string> = new Map([
  ['$dynamicAnchor', 'dynamic references cannot be expressed'],
  ['$dynamicRef', 'dynamic references cannot be expressed'],
  ['$recursiveRef', 'dynamic references cannot be expressed'],
  [
    'discriminator',
    'it needs a `propertyName`, and one of these: `oneOf`, `anyOf`, or components that extend this component with `allOf`',
  ],
  ['nullable', "it is not a keyword of OpenAPI 3.1; use type: [..., 'null']"],
  ['xml', 'bodies in XML are not read or written'],
])

/** The check for each string format. Other formats are supported only if {@link ownFormats} has them. */
export const stringFormats: ReadonlyMap<string, 'uuid' | 'dateTime' | 'date' | 'uri'> = new Map([
  ['uuid', 'uuid'],
  ['date-time', 'dateTime'],
  ['date', 'date'],
  ['uri', 'uri'],
])

/** A format that the contracts define themselves, in specs/formats.json. */
interface OwnFormat {
  readonly pattern: string
  /** The end of a sentence that says why a string was rejected, such as `must be an ISO 8601 date`. */
  readonly reason: string
}

export const ownFormats: ReadonlyMap<string, OwnFormat> = new Map(
  Object.entries(formats as Readonly<Record<string, OwnFormat>>),
)

/** Number formats that assert nothing beyond the type. */
export const openNumberFormats: ReadonlySet<string> = new Set(['float', 'double'])
