import { pick, whole, type Random } from './random.ts'

const MAX_DRAWS = 30

/**
 * Generates a string that matches a regular expression, or returns undefined if none of the tried strings matches. The
 * generator supports literals, `.`, classes, groups and quantifiers. It ignores look-aheads and `\b`, but tests each
 * string against the whole expression afterward.
 *
 * @param options the bounds of the string's length, in code points.
 */
export function stringFromPattern(
  pattern: string,
  random: Random,
  { least = 0, most = Number.POSITIVE_INFINITY } = {},
): string | undefined {
  const expression = expressionOf(pattern)
  if (!expression) return undefined
  try {
    for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
      const reader = new PatternReader(pattern, random, Math.max(MORE, Math.min(least, MAX_ATOMS)))
      const text = reader.alternatives()
      const length = [...text].length
      if (reader.done && length >= least && length <= most && expression.test(text)) return text
    }
  } catch (error) {
    // Groups that are nested too deeply cause a RangeError.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
  }
  return undefined
}

/**
 * JSON Schema calls for Unicode mode, but many documents have patterns that are valid only without it.
 */
function expressionOf(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      continue
    }
  }
  return undefined
}

/**
 * `*`, `+` and `{n,}` add at most this many repetitions to their minimum. The limit is higher if the string's
 * minimum length is greater than `MORE`.
 */
const MORE = 4
/**
 * The maximum number of characters and groups that one attempt reads. Each repetition counts, since a pattern can
 * require a billion of them.
 */
const MAX_ATOMS = 20_000

const letters = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
/** Characters for `.` and negated classes. `rare` is used only if no character of `common` fits. */
const common = [...letters, ...letters.toUpperCase(), ...digits]
const rare = [...'-_.!~ *+,:;=@/?#%&"\'()<>[]{}|\\^`$', 'é', 'Ж']
const classes: Readonly<Record<string, readonly string[]>> = {
  d: [...digits],
  D: [...letters],
  w: [...letters, ...digits],
  W: ['-', '.', ' '],
  s: [' '],
  S: common,
}
/** Characters for the escapes of Unicode properties, such as `\p{L}`, by the first letter of the property. */
const properties: Readonly<Record<string, readonly string[]>> = {
  L: [...letters, ...letters.toUpperCase(), 'é', 'Ж'],
  N: [...digits],
  P: ['-', '.', ','],
  S: ['+', '='],
  Z: [' '],
}

class PatternReader {
  readonly #pattern: string
  readonly #random: Random
  readonly #more: number
  #at = 0
  #atoms = 0

  constructor(pattern: string, random: Random, more: number) {
    this.#more = more
    this.#pattern = pattern
    this.#random = random
  }

  get done(): boolean {
    return this.#at >= this.#pattern.length
  }

  alternatives(): string {
    const found = [this.#sequence()]
    while (this.#take('|')) found.push(this.#sequence())
    return pick(this.#random, found)
  }

  #sequence(): string {
    let text = ''
    while (!this.done && !'|)'.includes(this.#peek())) {
      const start = this.#at
      let piece = this.#atom()
      const end = this.#at
      const times = this.#quantifier()
      if (times === 0) continue
      for (let time = 1; time < times; time += 1) {
        // Each repetition reads this part of the pattern again, to choose its own random characters.
        const after = this.#at
        this.#at = start
        piece += this.#atom()
        if (this.#at !== end) throw new SyntaxError('uneven atom')
        this.#at = after
      }
      text += piece
    }
    return text
  }

  #atom(): string {
    this.#atoms += 1
    if (this.#atoms > MAX_ATOMS) throw new SyntaxError('too long')
    if (this.#take('^') || this.#take('$')) return ''
    if (this.#take('.')) return pick(this.#random, common)
    if (this.#take('(')) return this.#group()
    if (this.#take('[')) return this.#class()
    if (this.#takeAll('\\b')) return ''
    return this.#take('\\') ? pick(this.#random, this.#escaped()) : this.#next()
  }

  #group(): string {
    const isAhead = this.#takeAll('?=') || this.#takeAll('?!')
    const isNamed = !isAhead && /^\?<\w+>/.exec(this.#pattern.slice(this.#at))
    if (isNamed) this.#at += isNamed[0].length
    else if (!isAhead && !this.#takeAll('?:') && this.#peek() === '?')
      throw new SyntaxError('unsupported group: a look-behind or an inline flag')
    const text = this.alternatives()
    if (!this.#take(')')) throw new SyntaxError('open group')
    return isAhead ? '' : text
  }

  /** Reads the part of an escape that follows the backslash, and returns characters that the escape matches. */
  #escaped(): readonly string[] {
    const code = /^(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]+)\})/i.exec(this.#pattern.slice(this.#at))
    const property = /^p\{(\w)\w*\}/.exec(this.#pattern.slice(this.#at))
    const length = (code ?? property)?.[0].length
    if (length === undefined) return this.#simpleEscape()
    this.#at += length
    if (code) return [String.fromCodePoint(Number.parseInt(code.slice(1).find(Boolean) ?? '', 16))]
    const known = properties[property?.[1] ?? '']
    if (!known) throw new SyntaxError('property')
    return known
  }

  #simpleEscape(): readonly string[] {
    const escaped = this.#next()
    const known = classes[escaped]
    if (known) return known
    const control = { n: '\n', r: '\r', t: '\t' }[escaped]
    if (control === undefined && /[a-z0-9]/i.test(escaped)) throw new SyntaxError('escape')
    return [control ?? escaped]
  }

  #class(): string {
    const isNegated = this.#take('^')
    const members = new Set<string>()
    while (!this.#take(']')) {
      const first = this.#members()
      const from =
        first.length === 1 && this.#peek() === '-' && this.#pattern[this.#at + 1] !== ']'
          ? first[0]
          : undefined
      if (from === undefined) for (const one of first) members.add(one)
      else {
        this.#next()
        const to = this.#members()[0] ?? from
        for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code += 1)
          members.add(String.fromCharCode(code))
      }
    }
    if (!isNegated) return this.#one([...members])
    const [some, others] = [common, rare].map((list) => list.filter((one) => !members.has(one)))
    return this.#one(some?.length ? some : (others ?? []))
  }

  #one(characters: readonly string[]): string {
    if (characters.length === 0) throw new SyntaxError('no character')
    return pick(this.#random, characters)
  }

  #members(): readonly string[] {
    return this.#take('\\') ? this.#escaped() : [this.#next()]
  }

  #quantifier(): number {
    const times = this.#times()
    if (times !== undefined) this.#take('?')
    return times ?? 1
  }

  #times(): number | undefined {
    if (this.#take('?')) return whole(this.#random, 0, 1)
    if (this.#take('*')) return whole(this.#random, 0, this.#more)
    if (this.#take('+')) return whole(this.#random, 1, this.#more)
    const bounds = /^\{(\d+)(,)?(\d+)?\}/.exec(this.#pattern.slice(this.#at))
    if (!bounds) return undefined
    this.#at += bounds[0].length
    const least = Number(bounds[1])
    const most = bounds[3] ? Number(bounds[3]) : bounds[2] ? least + this.#more : least
    return whole(this.#random, least, most)
  }

  #peek(): string {
    return this.#pattern[this.#at] ?? ''
  }

  #next(): string {
    if (this.done) throw new SyntaxError('end of pattern')
    const character = this.#peek()
    this.#at += 1
    return character
  }

  #take(character: string): boolean {
    return this.#peek() === character && this.#takeAll(character)
  }

  #takeAll(text: string): boolean {
    const isThere = this.#pattern.startsWith(text, this.#at)
    if (isThere) this.#at += text.length
    return isThere
  }
}
