import { type Json, type JsonObject, isList } from './json.ts'
import { rewritten } from './walk-document.ts'

/** The key that marks a schema as accepting more values than the contract. The value of the key is the reason. */
export const widenedKey = 'x-generate-widened'

/**
 * Rewrites an OpenAPI 3.0 document as 3.1, whose schemas are JSON Schema 2020-12. JSON pointers stay the same, except
 * in a nullable schema without `type`: its reference, combination or enum moves into an `anyOf`.
 */
export function upgraded(document: JsonObject): JsonObject {
  return rewritten(document, asSchema, (key) => key === 'headers')
}

export function isOpenApi30(document: JsonObject): boolean {
  return /^3\.0(?:\.|$)/.test(String(document['openapi']))
}

/**
 * An object with a `$ref` and any of these members is a path item. In other objects, OpenAPI 3.0 ignores the members
 * beside a `$ref`.
 */
const PATH_ITEM_MEMBERS = [
  'get',
  'put',
  'post',
  'delete',
  'patch',
  'head',
  'options',
  'trace',
  'parameters',
  'servers',
]

/** Rewrites 3.0 keywords. Safe for objects that aren't schemas: of these keywords, they can have only `$ref`. */
function asSchema(raw: Record<string, Json>): JsonObject {
  limits(raw)
  bytes(raw)
  if (typeof raw['$ref'] === 'string' && !PATH_ITEM_MEMBERS.some((name) => Object.hasOwn(raw, name))) {
    const { $ref, summary, description, nullable } = raw
    const reference = {
      $ref,
      ...(summary !== undefined && { summary }),
      ...(description !== undefined && { description }),
    }
    return nullable === true
      ? orNull(
          reference,
          'OpenAPI 3.0 ignores `nullable` beside `$ref`; null is accepted here, because that is probably meant',
        )
      : reference
  }
  if (typeof raw['nullable'] !== 'boolean') return raw
  const { nullable, ...rest } = raw
  if (!nullable) return rest
  if (typeof rest['type'] === 'string') {
    const listed = rest['enum']
    const isListed = isList(listed) && !listed.includes(null)
    return {
      ...rest,
      type: [rest['type'], 'null'],
      ...(isListed && {
        enum: [...listed, null],
        [widenedKey]:
          'OpenAPI 3.0 ignores `nullable` beside an `enum` without null; null is accepted here, because that is probably meant',
      }),
    }
  }
  if (['allOf', 'anyOf', 'oneOf', 'enum'].some((key) => rest[key] !== undefined))
    return orNull(
      rest,
      'OpenAPI 3.0 ignores `nullable` without `type`; null is accepted here, because that is probably meant',
    )
  return rest
}

function orNull(schema: JsonObject, reason: string): JsonObject {
  const { description, title, deprecated, ...rest } = schema
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(deprecated !== undefined && { deprecated }),
    anyOf: [rest, { type: 'null' }],
    [widenedKey]: reason,
  }
}

/** Rewrites `exclusiveMinimum` and `exclusiveMaximum`, which are booleans in 3.0, and numbers in 3.1. */
function limits(raw: Record<string, Json>): void {
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof raw[flag] !== 'boolean') continue
    if (raw[flag] && typeof raw[limit] === 'number') {
      raw[flag] = raw[limit]
      delete raw[limit]
    } else delete raw[flag]
  }
}

function bytes(raw: Record<string, Json>): void {
  if (raw['type'] !== 'string') return
  if (raw['format'] === 'binary') {
    delete raw['format']
    raw['contentMediaType'] ??= 'application/octet-stream'
  } else if (raw['format'] === 'byte') {
    delete raw['format']
    raw['contentEncoding'] ??= 'base64'
  }
}
