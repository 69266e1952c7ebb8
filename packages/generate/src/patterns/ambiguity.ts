import { Circles } from '../read/circles.ts'
import { type Node, parsePattern } from './parse.ts'

/** A repetition with a higher maximum counts as unlimited, because it can also take far too long to match. */
const MANY = 8
/** A pattern with more positions (see {@link Automaton}) isn't examined. */
const MAX_POSITIONS = 2_000
/**
 * The maximum number of steps for examining a pattern. A step handles one edge, or one pair of edges. A time limit
 * would make the result depend on the speed of the machine.
 */
const MAX_STEPS = 400_000

/**
 * Whether the matching time can grow exponentially with the length of the string. If a loop can match the same
 * characters in two ways, a backtracking engine can try both ways in each iteration, in all combinations. Returns
 * true for a pattern that is too large to examine.
 */
export function isExponential(source: string): boolean {
  const { main, asides } = parsePattern(source)
  return [main, ...asides].some((part) => {
    const automaton = new Automaton()
    try {
      automaton.add(part)
      return automaton.isAmbiguous()
    } catch (error) {
      if (error instanceof TooLarge) return true
      throw error
    }
  })
}

class TooLarge extends Error {}

/**
 * The positions (see {@link Automaton}) that match the first and the last character of a part of a pattern. `isEmpty`
 * says whether the part can match the empty string.
 */
interface Span {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly isEmpty: boolean
}

const NOTHING: Span = { first: [], last: [], isEmpty: true }

/**
 * The position automaton (Glushkov) of a pattern. Each character or set of characters in the pattern is a position.
 * Edges lead from each position to the positions that can follow it.
 */
class Automaton {
  readonly #atoms: (string | undefined)[] = []
  /**
   * `#edges[from].get(to)` is the number of ways in which the pattern lets `to` follow `from` directly. If an edge in
   * a loop has more than one way, the loop is ambiguous.
   */
  readonly #edges: Map<number, number>[] = []
  #steps = 0

  add(node: Node): Span {
    switch (node.kind) {
      case 'atom':
      case 'any': {
        const position = this.#atoms.push(node.kind === 'atom' ? node.source : undefined) - 1
        if (position >= MAX_POSITIONS) throw new TooLarge()
        this.#edges.push(new Map())
        return { first: [position], last: [position], isEmpty: false }
      }
      case 'sequence':
        return this.#sequence(node.parts)
      case 'choice': {
        const spans = node.parts.map((part) => this.add(part))
        return {
          first: spans.flatMap(({ first }) => first),
          last: spans.flatMap(({ last }) => last),
          isEmpty: spans.some(({ isEmpty }) => isEmpty),
        }
      }
      case 'repeat':
        return this.#repeat(node)
    }
  }

  #sequence(parts: readonly Node[]): Span {
    let whole = NOTHING
    for (const part of parts) whole = this.#join(whole, this.add(part))
    return whole
  }

  #join(before: Span, after: Span): Span {
    this.#connect(before.last, after.first)
    return {
      first: before.isEmpty ? [...before.first, ...after.first] : before.first,
      last: after.isEmpty ? [...before.last, ...after.last] : after.last,
      isEmpty: before.isEmpty && after.isEmpty,
    }
  }

  #repeat({ part, least, most }: Node & { readonly kind: 'repeat' }): Span {
    if (most === 0) return NOTHING
    if (most > MANY) {
      const span = this.add(part)
      this.#connect(span.last, span.first)
      return { ...span, isEmpty: span.isEmpty || least === 0 }
    }
    let whole = NOTHING
    for (let count = 1; count <= most; count++) {
      const span = this.add(part)
      whole = this.#join(whole, count > least ? { ...span, isEmpty: true } : span)
    }
    return whole
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const start of from)
      for (const end of to) {
        if (++this.#steps > MAX_STEPS) throw new TooLarge()
        const edges = this.#edges[start]
        edges?.set(end, (edges.get(end) ?? 0) + 1)
      }
  }

  isAmbiguous(): boolean {
    const all = [...this.#atoms.keys()]
    const loops = circlesOf(all, (position) => [...(this.#edges[position]?.keys() ?? [])])
    return loops.some((loop) => this.#isAmbiguousLoop(loop))
  }

  /** Whether some string leads from a position in the loop back to that position along two different paths. */
  #isAmbiguousLoop(loop: readonly number[]): boolean {
    const members = new Set(loop)
    const next = new Map(
      loop.map((position) => [
        position,
        [...(this.#edges[position] ?? [])].filter(([end]) => members.has(end)),
      ]),
    )
    if ([...next.values()].some((edges) => edges.some(([, ways]) => ways > 1))) return true
    if (loop.length === 1) return false
    const sets = characterSets(loop.map((position) => this.#atoms[position]))
    const setOf = new Map(loop.map((position, index) => [position, sets[index]]))
    const overlap = (one: number, other: number): boolean => {
      const [first, second] = [setOf.get(one), setOf.get(other)]
      return first === undefined || second === undefined || first.some((has, index) => has && second[index])
    }
    const size = this.#atoms.length
    const following = (pair: number): number[] => {
      const found: number[] = []
      for (const [one] of next.get(Math.floor(pair / size)) ?? [])
        for (const [other] of next.get(pair % size) ?? []) {
          if (++this.#steps > MAX_STEPS) throw new TooLarge()
          if (overlap(one, other)) found.push(one * size + other)
        }
      return found
    }
    const isDiagonal = (pair: number): boolean => Math.floor(pair / size) === pair % size
    const both = circlesOf(
      loop.map((position) => position * size + position),
      following,
    )
    return both.some((pairs) => pairs.some(isDiagonal) && !pairs.every(isDiagonal))
  }
}

/**
 * For each set, returns one boolean per sample character: true if the set contains the character. For a
 * back-reference (undefined), the result is undefined.
 */
function characterSets(sources: readonly (string | undefined)[]): (readonly boolean[] | undefined)[] {
  const samples = [
    ...new Set([...sources.join('').matchAll(/[^]/gu)].flatMap(([character]) => around(character))),
  ]
  const all = [...samples, ...'azAZ09_ \n\t!-./:@é中😀\u2028']
  return sources.map((source) => {
    if (source === undefined) return undefined
    const test = new RegExp(`^${source}$`, 'u')
    return all.map((character) => test.test(character))
  })
}

/** Returns a character and its Unicode neighbors. The neighbors show where sets such as `[a-z]` begin and end. */
function around(character: string): string[] {
  const code = character.codePointAt(0) ?? 0
  return [code - 1, code, code + 1]
    .filter((each) => each >= 0 && each <= 0x10ffff)
    .map((each) => String.fromCodePoint(each))
}

/** The sets of nodes that reach each other. Considers only nodes that can be reached from the nodes in `first`. */
function circlesOf(
  first: readonly number[],
  next: (node: number) => readonly number[],
): (readonly number[])[] {
  const found: (readonly number[])[] = []
  const circles = new Circles(next, (members) => found.push(members))
  for (const node of first) circles.of(node)
  return found
}
