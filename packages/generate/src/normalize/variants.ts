import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import { type Inside, Marks } from './marks.ts'

/** The direction in which a value travels: some properties belong to one direction only. */
export type Direction = 'request' | 'response'

/** The keyword of a property that doesn't belong to a direction. */
const MARKS = { request: 'readOnly', response: 'writeOnly' } as const

/** Keywords that combine schemas of one value. */
export type Combination = 'allOf' | 'anyOf' | 'oneOf'
const COMBINATIONS: readonly Combination[] = ['allOf', 'anyOf', 'oneOf']

type FindTarget = (raw: JsonObject) => Json | undefined

/** Members that hold examples and constants. */
const PLAIN = new Set(['const', 'default', 'enum', 'example', 'examples'])

/** Finds the schemas that reach a property of one direction, through references. Each schema is searched once. */
export class Variants {
  readonly #targetOf: FindTarget
  readonly #marks = {
    request: new Marks((raw) => this.#inside(raw, 'request')),
    response: new Marks((raw) => this.#inside(raw, 'response')),
  }

  constructor(targetOf: FindTarget) {
    this.#targetOf = targetOf
  }

  /** Whether a schema, or a list or map of schemas, has something in it that doesn't belong to this direction. */
  reaches(raw: Json | undefined, direction: Direction): boolean {
    if (isObject(raw)) return this.#marks[direction].has(raw)
    return isList(raw) && raw.some((one) => this.reaches(one, direction))
  }

  /** Whether a property doesn't belong to a direction. The keyword may be in the schema that it refers to. */
  excludes(property: Json | undefined, direction: Direction, seen: readonly Json[] = []): boolean {
    if (!isObject(property) || seen.includes(property)) return false
    if (property[MARKS[direction]] === true) return true
    const target = typeof property['$ref'] === 'string' ? this.#targetOf(property) : undefined
    const all = isList(property['allOf']) ? property['allOf'] : []
    return [target, ...all].some((one) => this.excludes(one, direction, [...seen, property]))
  }

  /**
   * The names of properties of an object that don't belong to a direction, those of schemas that it is combined with
   * by these keywords included.
   */
  excluded(
    raw: Json | undefined,
    direction: Direction,
    keywords: readonly Combination[] = COMBINATIONS,
  ): ReadonlySet<string> {
    const names = new Set<string>()
    const visit = (part: JsonObject): void => {
      for (const [name, property] of Object.entries(isObject(part['properties']) ? part['properties'] : {}))
        if (this.excludes(property, direction)) names.add(name)
    }
    this.#eachPart(raw, { keywords, visit })
    return names
  }

  /** The names that an object must have, those of combined schemas included. */
  demanded(raw: Json | undefined): ReadonlySet<string> {
    const names = new Set<string>()
    const visit = (part: JsonObject): void => {
      for (const name of isList(part['required']) ? part['required'] : []) names.add(String(name))
    }
    this.#eachPart(raw, { keywords: COMBINATIONS, visit })
    return names
  }

  #eachPart(
    raw: Json | undefined,
    search: { readonly keywords: readonly Combination[]; readonly visit: (part: JsonObject) => void },
    seen = new Set<Json>(),
  ): void {
    if (!isObject(raw) || seen.has(raw)) return
    seen.add(raw)
    search.visit(raw)
    if (typeof raw['$ref'] === 'string') this.#eachPart(this.#targetOf(raw), search, seen)
    for (const key of search.keywords)
      for (const branch of isList(raw[key]) ? raw[key] : []) this.#eachPart(branch, search, seen)
  }

  /** The marks and references inside of a schema, up to its references. */
  #inside(raw: JsonObject, direction: Direction): Inside {
    const targets = new Set<JsonObject>()
    const seen = new Set<Json>()
    let isMarked = false
    const pending: Json[] = [raw]
    for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
      if (typeof value !== 'object' || value === null || seen.has(value)) continue
      seen.add(value)
      if (isList(value)) {
        pending.push(...value)
        continue
      }
      if (typeof value['$ref'] === 'string') {
        const target = this.#targetOf(value)
        if (isObject(target)) targets.add(target)
      }
      for (const property of Object.values(isObject(value['properties']) ? value['properties'] : {}))
        isMarked ||= this.excludes(property, direction)
      for (const [key, member] of Object.entries(value))
        if (!PLAIN.has(key) && !key.startsWith('x-')) pending.push(member)
    }
    return { isMarked, schemas: targets }
  }
}
