import type { BodyDescriptor, PartDescriptor } from '../core/operation.ts'

/** A field of a form as the caller passed it. */
export interface Field {
  readonly name: string
  readonly value: unknown
  /** Absent for fields that the contract doesn't define. */
  readonly descriptor: PartDescriptor | undefined
  /** JSON pointer to the field in the input. */
  readonly place: string
}

/** Returns the fields of a form; an array becomes one field per item. */
export function toFields(values: object, place: string, body: BodyDescriptor | undefined): Field[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const descriptor = body?.parts?.[name]
    const items = Array.isArray(value) && descriptor?.kind !== 'json' ? (value as unknown[]) : [value]
    return items
      .filter((item) => item !== undefined && item !== null)
      .map((item) => ({ name, value: item, descriptor, place: `${place}/${name}` }))
  })
}
