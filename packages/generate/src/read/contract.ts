import type { Place, Problems } from '../problems.ts'
import { type Json, type JsonObject, asList, asObject, combinedIn, isList, isObject } from './json.ts'
import { type Found, Documents } from './documents.ts'
import { Circles } from './circles.ts'
import { childPointer } from './pointer.ts'
import type { Assertion, PlainSchema } from '../normalize/rules.ts'
import { Definitions } from '../normalize/definitions.ts'
import { type Direction, type Parts, Variants } from '../normalize/variants.ts'
import { withoutQuery } from './references.ts'
import type { Source } from './source.ts'

/** A schema, and the name of its type. */
export interface Component extends Found {
  readonly name: string
}

interface Doubtful {
  readonly assertion: Assertion
  readonly schema: ContractNode
}

/**
 * A contract that is being read. In a contract, some properties of objects belong only to responses (`readOnly`) or
 * only to requests (`writeOnly`). So the schemas of values that are sent to the service are read in a separate view
 * of the contract ({@link Contract.requests}).
 */
export class Contract {
  readonly source: Source
  readonly root: ContractNode
  readonly problems: Problems
  readonly definitions: Definitions
  /**
   * Assertions, such as `not`, that can reject a value because an inner schema accepts the value. See
   * `openAssertions`.
   */
  readonly doubtful: Doubtful[]
  /** The direction in which values are sent. Undefined for AsyncAPI, where the direction makes no difference. */
  readonly direction: Direction | undefined
  /**
   * For each branch (for example, an item of an `allOf`), the names of properties that another schema for the same
   * value excludes from this direction. These properties are read as optional, even if the branch requires them.
   */
  readonly relaxed = new WeakMap<JsonObject, ReadonlySet<string>>()
  /** The pointers of the components that are being read in place of a reference. Prevents endless recursion. */
  readonly inPlace = new Set<string>()
  /** The number of schemas around the current schema, and whether excessive nesting was reported. */
  readonly nesting = { levels: 0, isReported: false }
  readonly #documents: Documents
  readonly #variants: Variants
  readonly #circles: Circles<JsonObject>
  /** The view for schemas that don't depend on the direction. */
  readonly #base: Contract
  #requests: Contract | undefined

  /**
   * @param others - The documents that this contract may refer to.
   * @param view - An existing contract, if the new object is another view of it.
   */
  constructor(
    source: Source,
    problems: Problems,
    {
      others = [],
      definitions = new Definitions(),
      direction,
      view,
    }: {
      readonly others?: Iterable<Source>
      readonly definitions?: Definitions
      readonly direction?: Direction
      readonly view?: Contract
    } = {},
  ) {
    this.source = source
    this.root = new ContractNode(this, source.value, '#')
    this.problems = problems
    this.definitions = definitions
    this.direction = direction
    this.#base = view ?? this
    this.doubtful = view?.doubtful ?? []
    this.#documents = view ? view.#documents : new Documents(source, others)
    this.#variants = view ? view.#variants : new Variants((raw) => this.#documents.target(raw)?.raw)
    this.#circles = view ? view.#circles : new Circles((raw) => ofSameValue(raw, this.target(raw)?.raw))
    if (view) return
    definitions.nameComponents(source.file, Object.keys(this.schemas.raw))
    for (const { pointer, reason } of this.#documents.notes) this.nodeOf({ pointer }).note(reason)
  }

  /** The view of this contract for values that are sent to the service. */
  get requests(): Contract {
    if (this.direction === undefined || this.direction === 'request') return this
    this.#requests ??= new Contract(this.source, this.problems, {
      definitions: this.definitions,
      direction: 'request',
      view: this,
    })
    return this.#requests
  }

  /** Whether a schema, or a list of schemas, is read differently because of the direction. */
  isVariant(raw: Json | undefined): boolean {
    return this.direction !== undefined && this.#variants.reaches(raw, this.direction)
  }

  /** Whether a property doesn't belong to the direction. */
  excludes(property: Json | undefined): boolean {
    return this.direction !== undefined && this.#variants.excludes(property, this.direction)
  }

  /** The names of properties that don't belong to the direction, including properties of combined schemas. */
  excluded(raw: JsonObject, parts?: Parts): ReadonlySet<string> {
    const outside = this.relaxed.get(raw) ?? new Set<string>()
    if (this.direction === undefined || !this.isVariant(raw)) return outside
    const own = this.#variants.excluded(raw, this.direction, parts)
    return outside.size === 0 ? own : new Set([...outside, ...own])
  }

  /** The names of properties that an object must have in this direction, including those of combined schemas. */
  demanded(raw: Json | undefined): readonly string[] {
    if (!isObject(raw)) return []
    const excluded = this.excluded(raw)
    return [...this.#variants.demanded(raw)].filter((name) => !excluded.has(name))
  }

  get isStrict(): boolean {
    return this.problems.isStrict
  }

  /** The file and the line of a pointer. */
  placeOf(pointer: string): Place {
    return this.#documents.place(pointer)
  }

  /** The file that a pointer leads into, and the pointer inside that file. */
  locate(pointer: string): Place {
    return this.#documents.locate(pointer)
  }

  /** Whether a schema is read separately for each direction. */
  hasVariants(raw: Json | undefined): boolean {
    return this.direction !== undefined && this.#variants.differs(raw)
  }

  /** Whether a place, or a place inside it, accepts more values than the contract allows. */
  isWidened(pointer: string): boolean {
    return this.problems.isWidened(this.locate(pointer), this.direction)
  }

  get schemas(): ContractNode {
    return this.root.at('components', 'schemas')
  }

  nodeOf({ raw, pointer }: Partial<Found> & Pick<Found, 'pointer'>): ContractNode {
    return new ContractNode(this, raw, pointer)
  }

  /** The target of a value's `$ref`; undefined if the target is missing, or the value has no `$ref`. */
  target(raw: Json | undefined): Found | undefined {
    return this.#documents.target(raw)
  }

  /** The target of a schema's `$ref`, with the name of the target's type; undefined if the target is missing. */
  component(raw: JsonObject): Component | undefined {
    const found = this.#documents.target(raw)
    if (!found) return undefined
    const isOfRequest = this.direction === 'request' && this.#variants.differs(found.raw)
    const owner = this.direction === 'request' && !isOfRequest ? this.#base : this
    const suffix = isOfRequest ? 'Request' : ''
    return { ...found, name: this.definitions.of(this.locate(found.pointer), { found, owner }, suffix) }
  }

  /** The name of the type of the schema at a pointer. */
  nameOf(pointer: string): string {
    return this.definitions.of(this.locate(pointer))
  }

  /** Whether a reference is meaningless, because it leads back to itself with no property or item in between. */
  endsInItself(schema: JsonObject): boolean {
    const target = this.target(schema)?.raw
    return isObject(target) && this.#circles.areInOne(target, schema)
  }

  /** A schema with its references followed. */
  resolve(raw: Json | undefined): Json {
    let current: Json = raw ?? true
    for (let depth = 0; depth < 50 && isObject(current) && typeof current['$ref'] === 'string'; depth++) {
      const target = this.#documents.target(current)
      if (!target) return current
      current = target.raw
    }
    return current
  }

  /** Like {@link resolve}, but returns an empty schema instead of `true` or `false`. */
  resolveObject(raw: Json | undefined): JsonObject {
    return asObject(this.resolve(raw))
  }

  /** Copies a schema, so that {@link relaxed} can have a separate entry for the copy. */
  copy(raw: JsonObject): JsonObject {
    return this.#documents.copy(raw)
  }
}

type Path = readonly (string | number)[]

/** A value in a contract, and its place. */
export class ContractNode {
  readonly contract: Contract
  readonly value: Json | undefined
  readonly pointer: string
  /** The value if it is an object, or else an empty object. */
  readonly raw: JsonObject

  constructor(contract: Contract, value: Json | undefined, pointer: string) {
    this.contract = contract
    this.value = value
    this.pointer = pointer
    this.raw = asObject(value)
  }

  get isObject(): boolean {
    return isObject(this.value)
  }

  /** The node at a path inside this value, without following references. */
  at(...path: Path): ContractNode {
    let { value } = this
    for (const key of path) {
      const holder = isList(value) ? value : asObject(value)
      value = Object.hasOwn(holder, key)
        ? (holder as { readonly [key: string | number]: Json })[key]
        : undefined
    }
    return new ContractNode(this.contract, value, childPointer(this.pointer, ...path))
  }

  members(): [name: string, member: ContractNode][] {
    return Object.keys(this.raw).map((name) => [name, this.at(name)])
  }

  items(): ContractNode[] {
    return asList(this.value).map((_, index) => this.at(index))
  }

  with(value: Json | undefined): ContractNode {
    return new ContractNode(this.contract, value, this.pointer)
  }

  /**
   * Follows a `$ref` to an object that isn't a schema. If the target is missing, reports the reference, and returns a
   * node whose value is null.
   */
  follow(): ContractNode {
    let current: Found = { raw: this.value ?? null, pointer: this.pointer }
    for (let depth = 0; depth < 50; depth++) {
      if (!isObject(current.raw) || typeof current.raw['$ref'] !== 'string')
        return this.contract.nodeOf(current)
      const next = this.contract.target(current.raw)
      if (!next) break
      current = next
    }
    this.missing(current)
    return this.with(null)
  }

  /** Reports a reference without a target, unless {@link Problems.unread} has already reported the reference. */
  missing({ raw, pointer }: Found): void {
    const place = this.contract.placeOf(childPointer(pointer, '$ref'))
    if (this.contract.problems.isUnread(place)) return
    const reference = String(asObject(raw)['$ref'])
    const reason = reference.startsWith('#') ? 'is not in this file' : 'leads to nothing'
    this.widen(`\`${withoutQuery(reference)}\` ${reason}; correct the reference`)
  }

  /** The same value, read as a part of a request. */
  inRequest(): ContractNode {
    return new ContractNode(this.contract.requests, this.value, this.pointer)
  }

  resolved(): JsonObject {
    return this.contract.resolveObject(this.value)
  }

  /**
   * Reports a place that has no effect on the accepted values, but is likely to be a mistake. The path leads from this
   * value to the place.
   */
  note(reason: string, ...path: Path): void {
    const place = this.contract.placeOf(childPointer(this.pointer, ...path))
    this.contract.problems.depart(place, reason, 'noted')
  }

  /** Like {@link note}, but for a place at which more values are accepted than the contract allows. */
  widen(reason: string, ...path: Path): void {
    this.#widen(reason, path)
  }

  /**
   * Like {@link widen}, but if the schema is read separately for each direction, the place counts as widened only in
   * the direction of this view.
   */
  widenInDirection(reason: string, ...path: Path): void {
    this.#widen(reason, path, this.contract.hasVariants(this.value) ? this.contract.direction : undefined)
  }

  #widen(reason: string, path: Path, direction?: Direction): void {
    const pointer = childPointer(this.pointer, ...path)
    const at = this.contract.locate(pointer)
    this.contract.problems.depart(this.contract.placeOf(pointer), reason, 'widened', { at, direction })
  }

  /** Like {@link note}, but for a problem that always prevents generation, even without strict mode. */
  reject(reason: string, ...path: Path): void {
    this.contract.problems.add(this.contract.placeOf(childPointer(this.pointer, ...path)), reason)
  }

  /** Counts a schema, a parameter, a body or a response for the fidelity report. */
  visit(): void {
    this.contract.problems.visit(this.contract.locate(this.pointer))
  }

  /** Defines a type, and returns its name. The name is `wanted`, unless another type already has that name. */
  define(wanted: string, schema: PlainSchema): string {
    return this.#named(wanted, this.contract.definitions.define(wanted, schema))
  }

  /** Like {@link define}, but for the body of a response. See {@link Definitions.defineBody}. */
  defineBody(wanted: string, schema: PlainSchema): string {
    return this.#named(wanted, this.contract.definitions.defineBody(wanted, schema))
  }

  #named(wanted: string, name: string): string {
    if (name !== wanted)
      this.note(
        `the type \`${wanted}\` is defined twice; rename one of the two. Operations define <OperationId>Input, ` +
          '<OperationId>Output, <OperationId>Error and <OperationId>Response<status>. Channels define ' +
          '<ChannelId>Query, <ChannelId>ClientMessage, <ChannelId>ServerMessage and <Message>Payload',
      )
    return name
  }
}

/** Caches the result of `make` for each contract. */
export function perContract<Value>(make: (contract: Contract) => Value): (contract: Contract) => Value {
  const known = new WeakMap<Contract, Value>()
  return (contract) => {
    if (!known.has(contract)) known.set(contract, make(contract))
    return known.get(contract)!
  }
}

/**
 * The schemas that apply to the same value as `raw`: the target of its `$ref`, and the schemas in keywords such as
 * `allOf` and `if`.
 */
function ofSameValue(raw: JsonObject, target: Json | undefined): readonly JsonObject[] {
  const dependent = Object.values(asObject(raw['dependentSchemas']))
  const single = ['not', 'if', 'then', 'else'].map((key) => raw[key])
  return [target, ...combinedIn(raw), ...dependent, ...single].filter((each) => isObject(each))
}
