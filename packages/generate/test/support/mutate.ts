import * as fc from 'fast-check'

import type { Json } from '../../src/read/json.ts'
import { anyJson } from './values.ts'

type Path = readonly (string | number)[]

/** The same values, each changed in one or two places. */
export function mutated(values: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(values, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 9 }), anyJson), { minLength: 1, maxLength: 2 }))
    .map(([value, changes]) =>
      changes.reduce<Json>((current, [where, how, other]) => {
        const paths = pathsIn(current)
        return change(current, paths[where % paths.length] ?? [], how, other)
      }, value),
    )
}

function pathsIn(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, child]) => pathsIn(child, [...path, key]))]
}

function change(value: Json, path: Path, how: number, other: Json): Json {
  const [key, ...rest] = path
  if (key === undefined) return replace(value, how, other)
  if (Array.isArray(value)) {
    const items: Json[] = [...value]
    if (rest.length === 0 && how === 0) items.splice(Number(key), 1)
    else items[Number(key)] = change(items[Number(key)] ?? null, rest, how, other)
    return items
  }
  const members: Record<string, Json> = { ...(value as Record<string, Json>) }
  if (rest.length === 0 && how === 0) delete members[key]
  else members[key] = change(members[key] ?? null, rest, how, other)
  return members
}

function replace(value: Json, how: number, other: Json): Json {
  if (how === 1) return null
  if (how === 2) return [value]
  if (how === 3) return other
  if (typeof value === 'string') {
    if (how === 4) return ''
    if (how === 5) return value.toUpperCase()
    if (how === 6) return value.slice(0, -1)
    if (how === 7) return '📄'.repeat(500) + value
    return `${value}📄`
  }
  if (typeof value === 'number')
    return [value + 0.5, -value, value * 1e10, String(value), value + 1, value - 1][how % 6] ?? 0
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return how < 6 ? [] : [...(value as Json[]), other]
  if (typeof value === 'object' && value !== null) return how < 6 ? {} : { ...value, added: other }
  return other
}
