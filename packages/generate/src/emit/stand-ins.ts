import { schemaName } from '../normalize/names.ts'
import { printText } from './literal.ts'

/** Names that hey-api prints as they are. It takes others for numbers, or changes what is in them. */
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/
/** Strings that it prints as they are. In others it decodes escapes after it has written them, which ends a literal. */
const PLAIN_TEXT = /^[^\\'"`\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u
const PLAIN_LINE = /^[^\\]*$/
/** Strings that a contract could contain to be replaced. */
const MARK = /stand-?in/i
/** Every stand-in. The quotes around that of a string belong to it. */
const STAND_IN =
  /StandInType(?<type>\d+)x|standInSchema(?<schema>\d+)x|(?<quote>['"]?)StandInText(?<text>\d+)x\k<quote>|StandInLine(?<line>\d+)x/g

function isPlain(text: string, plain: RegExp): boolean {
  return plain.test(text) && !MARK.test(text)
}

/**
 * The names and strings that hey-api reads instead of those of a contract, and their originals for its output. It
 * renames types that are called like something of JavaScript, reads names of properties as numbers where it can, and
 * turns escapes into characters, so that a contract could write code.
 */
export class StandIns {
  readonly #types: readonly string[]
  readonly #indexOf: ReadonlyMap<string, number>
  readonly #texts: string[] = []
  readonly #known = new Map<string, number>()

  constructor(types: Iterable<string>) {
    this.#types = [...types]
    this.#indexOf = new Map(this.#types.map((name, index) => [name, index]))
  }

  /** The stand-in for a type. */
  ofType(name: string): string {
    return `StandInType${this.#indexOf.get(name)}x`
  }

  /** The stand-in for the name of a property; the name itself if it is plain. */
  ofProperty(name: string): string {
    return isPlain(name, PLAIN_NAME) ? name : `StandInText${this.#index(name)}x`
  }

  /** The stand-in for a value; the value itself if it is plain. */
  ofValue<Value>(value: Value): Value | string {
    return typeof value !== 'string' || isPlain(value, PLAIN_TEXT)
      ? value
      : `StandInText${this.#index(value)}x`
  }

  /** A comment with stand-ins for the lines that aren't plain. */
  ofComment(text: string): string {
    const lines = text.split('\n')
    return lines
      .map((line) => (isPlain(line, PLAIN_LINE) ? line : `StandInLine${this.#index(line)}x`))
      .join('\n')
  }

  /** The stand-in for the source of a regular expression. */
  ofPattern(source: string): string {
    return `StandInLine${this.#index(source)}x`
  }

  /** The name of the schema for a type. */
  static schemaOf(standIn: string): string {
    return standIn.replace('StandInType', 'standInSchema')
  }

  /** Replaces all stand-ins with their originals, in one pass: an original that looks like a stand-in stays as it is. */
  restore(text: string): string {
    const typeOf = (index: string) => this.#types[Number(index)] ?? ''
    const textOf = (index: string) => this.#texts[Number(index)] ?? ''
    return text.replaceAll(STAND_IN, (...found) => {
      const { type, schema, text: literal, line } = found.at(-1) as Readonly<Record<string, string>>
      if (type !== undefined) return typeOf(type)
      if (schema !== undefined) return schemaName(typeOf(schema))
      return literal === undefined ? textOf(line ?? '') : printText(textOf(literal))
    })
  }

  #index(text: string): number {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    this.#known.set(text, this.#texts.push(text) - 1)
    return this.#texts.length - 1
  }
}
