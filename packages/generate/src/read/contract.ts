import type { Problems } from '../problems.ts'
import { type Json, type JsonObject, isList, isObject } from './json.ts'
import { type Found, Documents } from './documents.ts'
import type { Assertion } from '../normalize/rules.ts'
import { SchemaNames } from '../normalize/schema-names.ts'
import type { Source } from './source.ts'

/** A schema with a name, and what is found there. */
export interface Component extends Found {
  /** The name of its type. */
  readonly name: string
}

/** An assertion in a schema. */
export interface Doubtful {
  readonly assertion: Assertion
  readonly raw: JsonObject
  readonly pointer: string
}

/** A contract being read: its raw text, and where its problems go. */
export class Contract {
  readonly source: Source
  readonly problems: Problems
  readonly names: SchemaNames
  /** Assertions that reject a value because something else accepts it, with the schemas that they are in. */
  readonly doubtful: Doubtful[] = []
  readonly #documents: Documents
  readonly #endless = new WeakMap<JsonObject, boolean>()

  /** @param others - The documents that this one may refer to. */
  constructor(
    source: Source,
    problems: Problems,
    {
      others = [],
      names = new SchemaNames(),
    }: { readonly others?: Iterable<Source>; readonly names?: SchemaNames } = {},
  ) {
    this.source = source
    this.problems = problems
    this.names = names
    this.#documents = new Documents(source, others)
    names.addComponents(source.file, Object.keys(this.schemas))
  }

  get root(): JsonObject {
    return this.source.value
  }

  /** Whether every departure from the contract is a problem. */
  get isStrict(): boolean {
    return this.problems.isStrict
  }

  /** Reports that something at a place cannot be generated from. */
  refuse(pointer: string, reason: string): void {
    this.problems.add(this.#documents.place(pointer), reason)
  }

  /** Reports something that is left out, so that more values are accepted. */
  widen(pointer: string, reason: string): void {
    this.problems.depart(this.#documents.place(pointer), reason, 'widened')
  }

  /** Reports something that changes nothing, and that is likely to be a mistake. */
  note(pointer: string, reason: string): void {
    this.problems.depart(this.#documents.place(pointer), reason, 'noted')
  }

  /** Counts a schema, a parameter, a body or an answer among those that were read. */
  visit(pointer: string): void {
    this.problems.visit(this.#documents.locate(pointer))
  }

  /** Whether anything inside a place accepts more values than it does in the contract. */
  isWidened(pointer: string): boolean {
    const { file, pointer: inside } = this.#documents.locate(pointer)
    return this.problems.isWidened({ file, pointer: inside })
  }

  /** The schemas under `components`, by name. */
  get schemas(): JsonObject {
    const components = this.root['components']
    return isObject(components) && isObject(components['schemas']) ? components['schemas'] : {}
  }

  /** The target of a `$ref`; undefined if it is missing. */
  target(raw: JsonObject): Found | undefined {
    return this.#documents.target(raw)
  }

  /** The schema that the `$ref` of a schema names; undefined if it is missing. It becomes a type of its own. */
  component(raw: JsonObject): Component | undefined {
    const found = this.#documents.target(raw)
    return (
      found && {
        ...found,
        name: this.names.of(this.#documents.locate(found.pointer), { found, owner: this }),
      }
    )
  }

  /** The name of the type of the schema at a pointer. */
  nameOf(pointer: string): string {
    return this.names.of(this.#documents.locate(pointer))
  }

  /** Whether a reference leads back to itself without a property or an item in between, so that it has no meaning. */
  endsInItself(schema: JsonObject): boolean {
    const known = this.#endless.get(schema)
    if (known !== undefined) return known
    const isEndless = reaches(this, this.target(schema)?.raw, schema)
    this.#endless.set(schema, isEndless)
    return isEndless
  }

  /** A schema with its references followed. */
  resolve(raw: Json): Json {
    let current = raw
    for (let depth = 0; depth < 50 && isObject(current) && typeof current['$ref'] === 'string'; depth++) {
      const target = this.#documents.target(current)
      if (!target) return current
      current = target.raw
    }
    return current
  }

  /** Follows a `$ref` to anything but a schema; null if there is nothing. */
  follow(raw: Json, pointer: string): Found {
    let current: Found = { raw, pointer }
    for (let depth = 0; depth < 50; depth++) {
      if (!isObject(current.raw) || typeof current.raw['$ref'] !== 'string') return current
      const next = this.#documents.target(current.raw)
      if (!next) break
      current = next
    }
    this.widen(pointer, `\`${String(isObject(current.raw) && current.raw['$ref'])}\` is not in this file`)
    return { raw: null, pointer }
  }
}

/** Whether a schema is reached from another one that has to fit the same value, through references. */
function reaches(
  contract: Contract,
  from: Json | undefined,
  wanted: JsonObject,
  seen = new Set<Json>(),
): boolean {
  if (!isObject(from) || seen.has(from)) return false
  if (from === wanted) return true
  seen.add(from)
  const target = typeof from['$ref'] === 'string' ? contract.target(from)?.raw : undefined
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (isList(from[key]) ? from[key] : []))
  const dependent = isObject(from['dependentSchemas']) ? Object.values(from['dependentSchemas']) : []
  const single = ['not', 'if', 'then', 'else'].map((key) => from[key])
  return [target, ...lists, ...dependent, ...single].some((next) => reaches(contract, next, wanted, seen))
}
