/** A part of a regular expression that affects the matching time. */
export type Node =
  /** Matches one character. `source` is this character, or a set of characters, as written in the pattern. */
  | { readonly kind: 'atom'; readonly source: string }
  /** A back-reference. It counts as any character, because the text that it matches isn't known. */
  | { readonly kind: 'any' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly least: number; readonly most: number }

/** Parses a regular expression. `source` must be valid with the flag `u`. */
export function parsePattern(source: string): { readonly main: Node; readonly asides: readonly Node[] } {
  const reader = new Reader(source)
  return { main: reader.choice(), asides: reader.asides }
}

class Reader {
  /** The contents of lookaheads and lookbehinds. */
  readonly asides: Node[] = []
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  choice(): Node {
    const parts = [this.#sequence()]
    while (this.#takes('|')) parts.push(this.#sequence())
    const [first] = parts
    return parts.length === 1 && first ? first : { kind: 'choice', parts }
  }

  #sequence(): Node {
    const parts: Node[] = []
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source.charAt(this.#at))) {
      const part = this.#term()
      if (part) parts.push(this.#repeated(part))
    }
    return { kind: 'sequence', parts }
  }

  /** Returns undefined for a part that consumes no characters: an anchor or an assertion. */
  #term(): Node | undefined {
    if (this.#matches(/[$^]|\\[bB]/y) !== undefined) return undefined
    if (this.#matches(/\(\?<?[=!]/y) !== undefined) {
      this.asides.push(this.choice())
      this.#takes(')')
      return undefined
    }
    if (this.#matches(/\((?:\?(?::|<[^>]*>|[a-z]*(?:-[a-z]+)?:))?/y) !== undefined) {
      const inside = this.choice()
      this.#takes(')')
      return inside
    }
    if (this.#matches(/\\(?:[1-9]\d*|k<[^>]*>)/y) !== undefined) return { kind: 'any' }
    const atom = this.#matches(
      /\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|(?:u[\da-fA-F]{4}){1}(?:\\u[dD][c-fC-F][\da-fA-F]{2})?|x[\da-fA-F]{2}|c[A-Za-z]|[^])|[^]/uy,
    )
    return { kind: 'atom', source: atom ?? '' }
  }

  #repeated(part: Node): Node {
    const found = this.#matches(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y)
    if (found === undefined) return part
    const [least = 0, most = least] = LIMITS[found.charAt(0)] ?? limitsOf(found)
    return { kind: 'repeat', part, least, most }
  }

  #takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #matches(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}

const LIMITS: Readonly<Record<string, readonly number[]>> = {
  '*': [0, Infinity],
  '+': [1, Infinity],
  '?': [0, 1],
}

function limitsOf(quantifier: string): readonly number[] {
  const [, least = '0', comma, most = ''] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier) ?? []
  return [Number(least), comma === '' ? Number(least) : most === '' ? Infinity : Number(most)]
}
