import { type Json, type JsonObject, isList, isObject } from '../../src/read/json.ts'

/**
 * Where a generated schema judges differently from JSON Schema on purpose. Everything that is not here is a
 * mistake. `relax` changes a raw schema so that Ajv judges like us; without it, the difference lies in values
 * that the generator of values leaves out.
 */
interface IntendedDifference {
  readonly name: string
  readonly why: string
  readonly relax?: (schema: JsonObject) => JsonObject
}

/** The keyword that {@link relaxed} writes instead of `multipleOf`. It has the same meaning, but for decimal numbers. */
export const decimalMultipleOf = 'x-decimal-multiple-of'

export const intendedDifferences = [
  {
    name: 'open enum',
    why: 'x-open-enum says that more values may come, so any text is accepted',
    relax: (schema) => {
      if (schema['x-open-enum'] !== true) return schema
      const { enum: _, ...rest } = schema
      return { ...rest, type: 'string' }
    },
  },
  {
    name: 'bytes in a form',
    why: 'a part that contains bytes is a Blob, bytes or a stream, none of which are JSON; a string is a path',
  },
  {
    name: 'the name __proto__',
    why: 'zod never copies a property of this name, so what it holds in a map is neither checked nor kept',
  },
  {
    name: 'multiples of more than 1e21 steps',
    why: 'Ajv divides and then reads the quotient as a string, in which 1e21 is not a whole number',
  },
  {
    name: 'multiples of a fraction',
    why: 'Ajv divides binary numbers, in which 19.99 is not a multiple of 0.01; a contract means decimal ones',
    relax: ({ multipleOf, ...rest }) =>
      multipleOf === undefined || Number.isInteger(multipleOf)
        ? { ...rest, ...(multipleOf === undefined ? {} : { multipleOf }) }
        : { ...rest, [decimalMultipleOf]: multipleOf },
  },
] as const satisfies readonly IntendedDifference[]

/** A contract in which every difference that allows it is relaxed. */
export function relaxed<Value extends Json>(raw: Value): Value {
  return relax(raw) as Value
}

function relax(raw: Json): Json {
  if (isList(raw)) return raw.map(relax)
  if (!isObject(raw)) return raw
  const changed = intendedDifferences.reduce<JsonObject>(
    (schema, difference) => ('relax' in difference ? difference.relax(schema) : schema),
    raw,
  )
  return Object.fromEntries(Object.entries(changed).map(([key, value]) => [key, relax(value)]))
}
