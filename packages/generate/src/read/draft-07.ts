import { type Json, type JsonObject, isList, isObject } from './json.ts'
import { rewritten } from './walk-document.ts'

/**
 * This key marks a schema in which some keywords had no effect and were removed. The value of the key is the message
 * to report.
 */
export const notedKey = 'x-generate-noted'

/** Members that are harmless beside a `$ref`, because they don't restrict values. */
const BESIDE = new Set(['$ref', 'description', 'summary', 'title'])

/**
 * Converts schemas from JSON Schema draft-07, which AsyncAPI uses, to 2020-12. Everything else is unchanged. Pointers
 * stay the same, except inside keywords that get another name, such as the `items` of a tuple.
 */
export function fromDraft07(document: JsonObject): JsonObject {
  return rewritten(document, asSchema)
}

/** Rewrites draft-07 keywords. Safe for objects that aren't schemas: of these keywords, they can have only `$ref`. */
function asSchema(raw: Record<string, Json>): JsonObject {
  if (typeof raw['$ref'] === 'string') return reference(raw)
  if (typeof raw['$id'] === 'string' && /^#[^/]/.test(raw['$id'])) {
    raw['$anchor'] = raw['$id'].slice(1)
    delete raw['$id']
  }
  const { items, additionalItems, dependencies } = raw
  if (isList(items)) {
    raw['prefixItems'] = items
    delete raw['items']
    if (additionalItems !== undefined) raw['items'] = additionalItems
  }
  delete raw['additionalItems']
  if (!isObject(dependencies)) return raw
  const entries = Object.entries(dependencies)
  const isNames = ([, value]: readonly [string, Json]) => isList(value)
  const required = Object.fromEntries(entries.filter(isNames))
  const schemas = Object.fromEntries(entries.filter((entry) => !isNames(entry)))
  delete raw['dependencies']
  if (Object.keys(required).length > 0) raw['dependentRequired'] = required
  if (Object.keys(schemas).length > 0) raw['dependentSchemas'] = schemas
  return raw
}

/** Removes the keywords beside a reference, because draft-07 ignores these keywords. */
function reference(raw: Record<string, Json>): JsonObject {
  const ignored = Object.keys(raw).filter((key) => !BESIDE.has(key) && !key.startsWith('x-'))
  for (const key of ignored) delete raw[key]
  if (ignored.length > 0)
    raw[notedKey] =
      `${ignored.map((key) => `\`${key}\``).join(' and ')} beside \`$ref\` ` +
      (ignored.length === 1
        ? 'has no effect in AsyncAPI; move it'
        : 'have no effect in AsyncAPI; move them') +
      ' to the target of the reference'
  return raw
}
