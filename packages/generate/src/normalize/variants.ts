import {
  type Json,
  type JsonObject,
  COMBINATIONS,
  asList,
  asObject,
  combinedIn,
  isList,
  isObject,
} from '../read/json.ts'
import { isData, isMap } from '../read/member-names.ts'
import { Gathered, type Inside, type Marks, marked } from '../read/gathered.ts'

/** The direction in which a value is sent. Some properties belong to only one direction. */
export type Direction = 'request' | 'response'

/** For each direction, the keyword that excludes a property from it. */
const MARKS = { request: 'readOnly', response: 'writeOnly' } as const

/**
 * The combined schemas to include. `any`: the schemas in `allOf`, `anyOf` and `oneOf`. `all`: only the schemas in
 * `allOf`, because every value must match these.
 */
export type Parts = 'any' | 'all'

type FindTarget = (raw: JsonObject) => Json | undefined

interface Side {
  /** The schemas that contain a property that doesn't belong to the direction. */
  readonly reaching: Marks
  /** The schemas of properties that don't belong to the direction. */
  readonly excluded: Marks
  /** The names of properties that don't belong to the direction. */
  readonly names: Readonly<Record<Parts, Gathered<string>>>
}

/** Finds schemas that contain a property of only one direction, directly or through references. */
export class Variants {
  readonly #targetOf: FindTarget
  readonly #sides: Readonly<Record<Direction, Side>>
  readonly #demanded: Gathered<string>

  constructor(targetOf: FindTarget) {
    this.#targetOf = targetOf
    this.#sides = { request: this.#side('request'), response: this.#side('response') }
    this.#demanded = new Gathered((raw) => ({
      own: asList(raw['required']).map(String),
      schemas: this.#parts(raw, 'any'),
    }))
  }

  #side(direction: Direction): Side {
    const names = (parts: Parts) =>
      new Gathered((raw) => {
        const properties = Object.entries(asObject(raw['properties']))
        const excluded = properties.filter(([, property]) => this.excludes(property, direction))
        return { own: excluded.map(([name]) => name), schemas: this.#parts(raw, parts) }
      })
    return {
      reaching: new Gathered((raw) => this.#inside(raw, direction)),
      excluded: new Gathered((raw) => marked(raw[MARKS[direction]] === true, this.#parts(raw, 'all'))),
      names: { any: names('any'), all: names('all') },
    }
  }

  /** Whether a schema, or a list or map of schemas, contains a property that doesn't belong to this direction. */
  reaches(raw: Json | undefined, direction: Direction): boolean {
    if (isObject(raw)) return this.#sides[direction].reaching.has(raw)
    return isList(raw) && raw.some((one) => this.reaches(one, direction))
  }

  /** Whether a schema contains a property of only one direction. */
  differs(raw: Json | undefined): boolean {
    return this.reaches(raw, 'request') || this.reaches(raw, 'response')
  }

  /**
   * Whether a property doesn't belong to a direction. The keyword `readOnly` or `writeOnly` may also be in a schema
   * that the property refers to.
   */
  excludes(property: Json | undefined, direction: Direction): boolean {
    return isObject(property) && this.#sides[direction].excluded.has(property)
  }

  /** The names of an object's properties that don't belong to a direction, including those of combined schemas. */
  excluded(raw: JsonObject, direction: Direction, parts: Parts = 'any'): ReadonlySet<string> {
    return this.#sides[direction].names[parts].of(raw)
  }

  /** The names of an object's required properties, including those of combined schemas. */
  demanded(raw: JsonObject): ReadonlySet<string> {
    return this.#demanded.of(raw)
  }

  /** A schema's combined schemas, and the target of its `$ref`. */
  #parts(raw: JsonObject, parts: Parts): readonly JsonObject[] {
    const target = typeof raw['$ref'] === 'string' ? this.#targetOf(raw) : undefined
    return [target, ...combinedIn(raw, parts === 'any' ? COMBINATIONS : ['allOf'])].filter((part) =>
      isObject(part),
    )
  }

  /**
   * Returns whether a schema itself contains an excluded property. Also returns the targets of the schema's
   * references, but doesn't search them.
   */
  #inside(raw: JsonObject, direction: Direction): Inside<true> {
    const targets = new Set<JsonObject>()
    const seen = new Set<Json>()
    let isMarked = false
    const pending: { readonly value: Json; readonly isInMap: boolean }[] = [{ value: raw, isInMap: false }]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { value, isInMap } = next
      if (typeof value !== 'object' || value === null || seen.has(value)) continue
      seen.add(value)
      if (isList(value)) {
        for (const item of value) pending.push({ value: item, isInMap: false })
        continue
      }
      if (typeof value['$ref'] === 'string') {
        const target = this.#targetOf(value)
        if (isObject(target)) targets.add(target)
      }
      for (const property of Object.values(asObject(value['properties'])))
        isMarked ||= this.excludes(property, direction)
      for (const [key, member] of Object.entries(value))
        if (!isData(key, isInMap) && (isInMap || !key.startsWith('x-')))
          pending.push({ value: member, isInMap: isMap(key, isInMap) })
    }
    return marked(isMarked, [...targets])
  }
}
