import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { ReadInner } from './object-schema.ts'
import type { Evaluated } from './rules.ts'

type Keyword = 'unevaluatedProperties' | 'unevaluatedItems'

const NONE: Evaluated = { all: false, names: [], patterns: [], items: 0, fitting: [], when: [] }
const ALL: Evaluated = { ...NONE, all: true }

/**
 * Finds the properties or items that the keywords beside `keyword` evaluate, including the keywords of schemas that
 * the schema combines.
 */
export function readEvaluated(
  contract: Contract,
  raw: Json,
  {
    pointer,
    keyword,
    read,
  }: { readonly pointer: string; readonly keyword: Keyword; readonly read: ReadInner },
): Evaluated {
  return new Reader(contract, keyword, read).inside(raw, pointer, [])
}

class Reader {
  readonly #contract: Contract
  readonly #keyword: Keyword

  readonly #read: ReadInner

  constructor(contract: Contract, keyword: Keyword, read: ReadInner) {
    this.#contract = contract
    this.#read = read
    this.#keyword = keyword
  }

  inside(raw: Json | undefined, pointer: string, through: readonly string[]): Evaluated {
    return isObject(raw)
      ? this.#all([this.#own(raw, through), ...this.#combined(raw, pointer, through)])
      : NONE
  }

  #own(raw: JsonObject, through: readonly string[]): Evaluated {
    // At the top, it is the keyword itself, which evaluates everything that the other keywords don't.
    if (raw[this.#keyword] !== undefined && through.length > 0) return ALL
    if (this.#keyword === 'unevaluatedProperties') {
      if (raw['additionalProperties'] !== undefined) return ALL
      return {
        ...NONE,
        names: Object.keys(asObject(raw['properties'])),
        patterns: Object.keys(asObject(raw['patternProperties'])),
      }
    }
    if (raw['items'] !== undefined) return ALL
    return { ...NONE, items: isList(raw['prefixItems']) ? raw['prefixItems'].length : 0 }
  }

  #combined(raw: JsonObject, pointer: string, through: readonly string[]): Evaluated[] {
    const inside = (inner: Json | undefined, at: string) => this.inside(inner, at, [...through, at])
    const found: Evaluated[] = []
    // A reference that leads back to this schema evaluates nothing more.
    if (typeof raw['$ref'] === 'string' && !this.#contract.endsInItself(raw)) {
      const target = this.#contract.component(raw)
      if (target && !through.includes(target.pointer))
        found.push(this.inside(target.raw, target.pointer, [...through, target.pointer]))
    }
    for (const [index, branch] of asList(raw['allOf']).entries())
      found.push(inside(branch, childPointer(pointer, 'allOf', index)))
    for (const key of ['anyOf', 'oneOf']) {
      const list = raw[key]
      for (const [index, branch] of asList(list).entries())
        found.push(this.#when(branch, childPointer(pointer, key, index), inside))
    }
    if (raw['if'] !== undefined) {
      const [test, then, otherwise] = ['if', 'then', 'else'].map((key) => childPointer(pointer, key))
      found.push(
        this.#condition(this.#read(raw['if'], String(test), false), {
          then: this.#all([inside(raw['if'], String(test)), inside(raw['then'], String(then))]),
          else: inside(raw['else'], String(otherwise)),
        }),
      )
    }
    for (const [name, branch] of Object.entries(asObject(raw['dependentSchemas'])))
      found.push(
        this.#condition(
          {
            type: 'object',
            properties: { [name]: {} },
            required: [name],
            'x-generate-rules': { present: [name] },
          },
          { then: inside(branch, childPointer(pointer, 'dependentSchemas', name)), else: NONE },
        ),
      )
    if (this.#keyword === 'unevaluatedItems' && raw['contains'] !== undefined)
      found.push({
        ...NONE,
        fitting: [this.#read(raw['contains'], childPointer(pointer, 'contains'), false)],
      })
    return found
  }

  /** The properties or items that a branch evaluates in values that match it. */
  #when(raw: Json, pointer: string, inside: (raw: Json, pointer: string) => Evaluated): Evaluated {
    return this.#condition(this.#read(raw, pointer, false), {
      then: inside(raw, pointer),
      else: NONE,
    })
  }

  #condition(
    test: Evaluated['when'][number]['test'],
    { then, else: otherwise }: { readonly then: Evaluated; readonly else: Evaluated },
  ): Evaluated {
    if (then === NONE && otherwise === NONE) return NONE
    return { ...NONE, when: [{ test, then, else: otherwise }] }
  }

  #all(parts: readonly Evaluated[]): Evaluated {
    return {
      all: parts.some(({ all }) => all),
      names: [...new Set(parts.flatMap(({ names }) => names))],
      patterns: [...new Set(parts.flatMap(({ patterns }) => patterns))],
      items: Math.max(0, ...parts.map(({ items }) => items)),
      fitting: parts.flatMap(({ fitting }) => fitting),
      when: parts.flatMap(({ when }) => when),
    }
  }
}
