import type { JsonObject } from '../document.ts'
import { schemasOf } from '../walk.ts'

/** The keywords that the generator, the validators and the mocks all express faithfully. Contracts use no others. */
const known = new Set([
  '$ref',
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'items',
  'minItems',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'default',
  'minimum',
  'maximum',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'contentMediaType',
  'description',
  'examples',
])

/** Keywords that not every reader of a contract expresses, siblings of `$ref`, and objects closed to unknown fields. */
export function keywordProblems(document: JsonObject): string[] {
  return schemasOf(document).flatMap(({ pointer, value }) => {
    const keywords = Object.keys(value).filter((key) => !key.startsWith('x-'))
    const problems = keywords.filter((key) => !known.has(key)).map((key) => `${pointer}: uses ${key}`)
    if ('$ref' in value)
      for (const key of Object.keys(value))
        if (key !== '$ref' && key !== 'description') problems.push(`${pointer}: ${key} is beside $ref`)
    if (value['additionalProperties'] === false) problems.push(`${pointer}: is closed to unknown fields`)
    return problems
  })
}

/** Objects, enums and open values that are not named schemas, and names that are not PascalCase. */
export function namingProblems(document: JsonObject): string[] {
  return schemasOf(document).flatMap(({ pointer, value }) => {
    const name = /^\/components\/schemas\/([^/]+)$/.exec(pointer)?.[1]
    if (name !== undefined) return /^([A-Z][a-z0-9]+)+$/.test(name) ? [] : [`${pointer}: is not PascalCase`]
    if (/\/not(\/|$)/.test(pointer)) return []
    const types = [value['type']].flat()
    const isOpen = !('type' in value) && !('$ref' in value) && !('anyOf' in value) && !('oneOf' in value)
    return types.includes('object') || 'enum' in value || isOpen
      ? [`${pointer}: has to be a named schema; move it to components/schemas and refer to it`]
      : []
  })
}

/** Named schemas and properties without a description: they become undocumented types. */
export function undescribed(document: JsonObject): string[] {
  return schemasOf(document)
    .filter(({ pointer }) => /^\/components\/schemas\/[^/]+(\/properties\/[^/]+)?$/.test(pointer))
    .filter(({ value }) => !('description' in value) && !('$ref' in value))
    .map(({ pointer }) => `${pointer}: has no description`)
}
