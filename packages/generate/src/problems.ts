/** A place in a contract. */
export interface Place {
  /** The URL of the file, or its path relative to the root of the config. */
  readonly file: string
  /** A JSON pointer as a URI fragment, such as `#/components/schemas/Job`. */
  readonly pointer: string
  readonly line?: number
}

/** A reason why no code can be generated from a contract, or why the code differs from the contract. */
export interface Problem {
  readonly place: Place
  readonly reason: string
  /** True if only strict mode treats the problem as an error. Without strict mode, the fidelity report lists it. */
  readonly strict?: boolean
}

/** A reference whose target couldn't be read. */
export interface Unread extends Problem {
  /** The reference's place in the contract after its overlays were applied. `place` can be in an overlay. */
  readonly at: Place
}

/** Thrown when a contract has problems, such as parts that generated code can't express. No files are written. */
export class GenerationError extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const sorted = inOrder(problems)
    super(
      [
        'Nothing was generated, because the contract has these problems:',
        ...described(sorted),
        ...strictHint(sorted),
      ].join('\n'),
    )
    this.name = 'GenerationError'
    this.problems = sorted
  }
}

function strictHint(problems: readonly Problem[]): readonly string[] {
  const count = problems.filter(({ strict }) => strict === true).length
  if (count === 0) return []
  const which =
    count === problems.length
      ? count === 1
        ? 'This is'
        : 'All of these are'
      : `${count} of these ${count === 1 ? 'is' : 'are'}`
  return [
    `${which} rejected by strict mode only. Correct the contract, add an overlay, or turn strict mode off. Without strict mode, the fidelity report lists ${count === 1 ? 'it' : 'them'} instead.`,
  ]
}

/** Sorts problems by file and line. */
export function inOrder<Found extends Problem>(problems: readonly Found[]): readonly Found[] {
  return problems.toSorted(
    ({ place: first, reason: one }, { place: second, reason: other }) =>
      compare(first.file, second.file) ||
      (first.line ?? 0) - (second.line ?? 0) ||
      compare(first.pointer, second.pointer) ||
      compare(one, other),
  )
}

function compare(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0
}

/** A place where the generated code differs from the contract, or where the contract probably has a mistake. */
export interface Departure extends Problem {
  /**
   * `widened`: the generated code accepts more values than the contract allows. `noted`: it doesn't, but you should
   * look at this place in the contract.
   */
  readonly effect: 'widened' | 'noted'
  /**
   * The departure's places in the overlaid contract (the contract after its overlays were applied). Present only if
   * they differ from `place`, which can be in an overlay.
   */
  readonly at?: readonly Pick<Place, 'file' | 'pointer'>[]
}

/** Measures how exactly the generated code matches a contract. */
export interface Fidelity {
  /** The number of schemas, parameters, bodies and responses. */
  readonly places: number
  /** The number of these places at which the generated code accepts more values than the contract allows. */
  readonly widened: number
}

/** Collects problems, so that one run reports all of them. */
export class Problems {
  readonly #found = new Map<string, Problem>()
  readonly #departures = new Map<string, Departure>()
  /** The places at which the generated code accepts values that the contract doesn't allow. */
  readonly #departed: Place[] = []
  /** The places of each departure in the overlaid contract. */
  readonly #at = new Map<string, Pick<Place, 'file' | 'pointer'>[]>()
  /**
   * The places in `#departed`, and all places that contain one of them. If a departure affects only one direction,
   * its entries begin with this direction.
   */
  readonly #widened = new Set<string>()
  readonly #unread = new Set<string>()
  readonly #places = new Set<string>()
  readonly isStrict: boolean

  constructor({ strict = true }: { readonly strict?: boolean } = {}) {
    this.isStrict = strict
  }

  /** Empty in strict mode, which treats departures as errors. */
  get departures(): readonly Departure[] {
    return [...this.#departures.values()]
  }

  /** Counts a schema, a parameter, a body or a response. */
  visit({ file, pointer }: Place): void {
    this.#places.add(`${file}${pointer}`)
  }

  /** A departure counts for the innermost schema, parameter, body or response that contains it. */
  get fidelity(): Fidelity {
    const widened = new Set<string>()
    for (const { file, pointer: inside } of this.#departed) {
      const around = pointersTo(inside).find((pointer) => this.#places.has(`${file}${pointer}`))
      widened.add(`${file}${around ?? ''}`)
    }
    return { places: this.#places.size, widened: Math.min(widened.size, this.#places.size) }
  }

  /**
   * Records a departure from the contract; in strict mode, an error.
   *
   * @param options - `at`: the place in the overlaid contract, if `place` is in an overlay. `direction`: `request` or
   *   `response` if the departure affects only requests or only responses. Default: both.
   */
  depart(
    place: Place,
    reason: string,
    effect: Departure['effect'],
    { at = place, direction = '' }: { readonly at?: Place; readonly direction?: string | undefined } = {},
  ): void {
    const key = keyOf(place, reason)
    if (!this.isStrict)
      this.#departures.set(key, { place, reason, effect, ...this.#placesInContract(key, place, at) })
    else if (!this.#found.has(key)) this.#found.set(key, { place, reason, strict: true })
    if (effect === 'noted') return
    this.#departed.push(at)
    for (const pointer of pointersTo(at.pointer)) this.#widened.add(`${direction}${at.file}${pointer}`)
  }

  #placesInContract(key: string, place: Place, { file, pointer }: Place): Pick<Departure, 'at'> {
    const at = this.#at.get(key) ?? []
    this.#at.set(key, at)
    if (!at.some((one) => one.file === file && one.pointer === pointer)) at.push({ file, pointer })
    return at.every((one) => one.file === place.file && one.pointer === place.pointer) ? {} : { at }
  }

  /** Reports a reference whose target couldn't be read, and remembers it for {@link isUnread}. */
  unread({ place, reason, at }: Unread): void {
    this.#unread.add(`${place.file}${place.pointer}`)
    this.depart(place, reason, 'widened', { at })
  }

  isUnread({ file, pointer }: Place): boolean {
    return this.#unread.has(`${file}${pointer}`)
  }

  /**
   * Whether the generated code accepts more values at a place, or inside it, than the contract allows. If `direction`
   * is `request` or `response`, departures that affect only this direction count too.
   */
  isWidened({ file, pointer }: Place, direction = ''): boolean {
    return ['', direction].some((each) => this.#widened.has(`${each}${file}${pointer}`))
  }

  add(place: Place, reason: string): void {
    this.#found.set(keyOf(place, reason), { place, reason })
  }

  /** Throws a {@link GenerationError} with this problem and all that were added before. */
  fail(place: Place, reason: string): never {
    this.add(place, reason)
    throw new GenerationError([...this.#found.values()])
  }

  /** Throws a {@link GenerationError} if a problem was added. */
  throwIfAny(): void {
    if (this.#found.size > 0) throw new GenerationError([...this.#found.values()])
  }
}

/** Returns a pointer and the pointers of its ancestors, innermost first. */
function pointersTo(pointer: string): readonly string[] {
  const segments = pointer.split('/')
  return segments.map((_, index) => segments.slice(0, segments.length - index).join('/'))
}

function keyOf({ file, pointer }: Place, reason: string): string {
  return `${file}${pointer} ${reason}`
}

/** Combines problems that share a file and a reason. */
function described(sorted: readonly Problem[]): readonly string[] {
  return [...Map.groupBy(sorted, ({ place, reason }) => `${place.file} ${reason}`).values()].map((group) => {
    const [{ place, reason } = { place: { file: '', pointer: '' }, reason: '' } as Problem, ...others] = group
    const lines = others.flatMap(({ place: other }) => other.line ?? [])
    const named = [...new Set(lines)].filter((line) => line !== place.line).slice(0, MOST_LINES)
    const count =
      others.length > named.length ? `${others.length} other place${others.length > 1 ? 's' : ''}` : ''
    const also = named.length > 0 ? `line${named.length > 1 ? 's' : ''} ${named.join(', ')}` : ''
    const rest = also !== '' && count !== '' ? `${count}, on ${also}, ...` : also || count
    return [
      `  ${place.file}${place.line === undefined ? '' : `:${place.line}`} ${place.pointer}`,
      `    ${reason}`,
      ...(rest === '' ? [] : [`    also: ${rest}`]),
    ].join('\n')
  })
}

/** The maximum number of line numbers after `also:`. */
const MOST_LINES = 8
