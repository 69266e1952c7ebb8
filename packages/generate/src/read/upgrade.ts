import { type Json, type JsonObject, isList } from './json.ts'
import { rewritten } from './walk-document.ts'

/** Where the reader of a schema says why it accepts more than the contract. */
export const widenedKey = 'x-generate-widened'

/**
 * Writes an OpenAPI 3.0 document as one of 3.1, whose schemas are those of JSON Schema 2020-12. Everything stays at its
 * pointer, but for a nullable combination, which becomes a branch of a union.
 */
export function upgraded(document: JsonObject): JsonObject {
  return rewritten(document, asSchema, (key) => key === 'headers')
}

/** Whether a document is of OpenAPI 3.0. */
export function isOpenApi30(document: JsonObject): boolean {
  return /^3\.0(?:\.|$)/.test(String(document['openapi']))
}

/** An object with the keywords of 3.0 in the words of 3.1. Objects that aren't schemas have none of them. */
function asSchema(raw: Record<string, Json>): JsonObject {
  limits(raw)
  bytes(raw)
  if (typeof raw['$ref'] === 'string') {
    const { $ref, summary, description, nullable } = raw
    const reference = {
      $ref,
      ...(summary !== undefined && { summary }),
      ...(description !== undefined && { description }),
    }
    return nullable === true
      ? orNull(reference, '`nullable` beside `$ref` has no effect in OpenAPI 3.0, but is meant to have one')
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
          '`nullable` beside an `enum` without null has no effect in OpenAPI 3.0, but is meant to have one',
      }),
    }
  }
  if (['allOf', 'anyOf', 'oneOf', 'enum'].some((key) => rest[key] !== undefined))
    return orNull(rest, '`nullable` without `type` has no effect in OpenAPI 3.0, but is meant to have one')
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

/** Limits that exclude themselves are numbers in 3.1. */
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

/** Formats that say how bytes are written. */
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
