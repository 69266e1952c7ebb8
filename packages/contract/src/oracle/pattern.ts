import { pick, whole, type Random } from './random.ts'

/**
 * Generates a string that matches a simple regular expression. It supports literals, `.`, classes, groups, alternatives
 * and the quantifiers `? * + {n,m}`, and returns undefined for anything more.
 */
export function stringFromPattern(pattern: string, random: Random): string | undefined {
  try {
    const reader = new PatternReader(pattern, random)
    const text = reader.alternatives()
    return reader.done && new RegExp(pattern, 'u').test(text) ? text : undefined
  } catch {
    return undefined
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const classes: Record<string, string> = { d: digits, w: letters + digits, s: ' ' }

class PatternReader {
  readonly #pattern: string
  readonly #random: Random
  #at = 0

  constructor(pattern: string, random: Random) {
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
        // Read the atom again, so that every repetition is drawn separately.
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
    if (this.#take('^') || this.#take('$')) return ''
    if (this.#take('.')) return pick(this.#random, [...letters])
    if (this.#take('(')) {
      if (this.#take('?') && !this.#take(':')) throw new SyntaxError('look-around')
      const text = this.alternatives()
      if (!this.#take(')')) throw new SyntaxError('open group')
      return text
    }
    if (this.#take('[')) return this.#class()
    if (this.#take('\\')) {
      const escaped = this.#next()
      const set = classes[escaped]
      if (set) return pick(this.#random, [...set])
      if (/[a-z0-9]/i.test(escaped)) throw new SyntaxError('escape')
      return escaped
    }
    return this.#next()
  }

  #class(): string {
    if (this.#take('^')) throw new SyntaxError('negated class')
    const members: string[] = []
    while (!this.#take(']')) {
      const first = this.#next()
      if (first === '\\') {
        const escaped = this.#next()
        members.push(...(classes[escaped] ?? escaped))
      } else if (this.#peek() === '-' && this.#pattern[this.#at + 1] !== ']') {
        this.#next()
        const last = this.#next()
        for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code += 1) {
          members.push(String.fromCharCode(code))
        }
      } else members.push(first)
    }
    return pick(this.#random, members)
  }

  #quantifier(): number {
    if (this.#take('?')) return whole(this.#random, 0, 1)
    if (this.#take('*')) return whole(this.#random, 0, 4)
    if (this.#take('+')) return whole(this.#random, 1, 4)
    const bounds = /^\{(\d+)(,)?(\d+)?\}/.exec(this.#pattern.slice(this.#at))
    if (!bounds) return 1
    this.#at += bounds[0].length
    const least = Number(bounds[1])
    const most = bounds[3] ? Number(bounds[3]) : bounds[2] ? least + 3 : least
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
    if (this.#peek() !== character) return false
    this.#at += 1
    return true
  }
}
