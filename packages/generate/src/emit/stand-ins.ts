import { schemaName } from '../normalize/names.ts'
import { printText } from './literal.ts'

/** Matches names that hey-api prints unchanged. hey-api reads other names as numbers, or changes their characters. */
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/
/**
 * Matches strings that hey-api prints unchanged. hey-api escapes other strings, but then decodes the escapes again. A
 * decoded character, such as a quote, can end the string literal too early.
 */
const PLAIN_TEXT = /^[^\\'"`\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u
const PLAIN_LINE = /^[^\\]*$/
/** Matches strings of a contract that look like stand-ins ({@link StandIns}), and so need stand-ins themselves. */
const MARK = /stand-?in/i
/** Matches every stand-in. For a string or a property name, the match includes the quotes, if any. */
const STAND_IN =
  /StandInType(?<type>\d+)x|standInSchema(?<schema>\d+)x|(?<quote>['"]?)StandInText(?<text>\d+)x\k<quote>|StandInLine(?<line>\d+)x/g

function isPlain(text: string, plain: RegExp): boolean {
  return plain.test(text) && !MARK.test(text)
}

/**
 * In hey-api's input, stand-ins (numbered names) replace the names and strings of a contract. In hey-api's output,
 * `restore()` puts the originals back. Without stand-ins, hey-api would rename types that have the name of a
 * JavaScript global, and read some property names as numbers. It would also decode escapes, so a contract could
 * inject code.
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

  ofType(name: string): string {
    return `StandInType${this.#indexOf.get(name)}x`
  }

  ofProperty(name: string): string {
    return isPlain(name, PLAIN_NAME) ? name : `StandInText${this.#index(name)}x`
  }

  ofValue<Value>(value: Value): Value | string {
    return typeof value !== 'string' || isPlain(value, PLAIN_TEXT)
      ? value
      : `StandInText${this.#index(value)}x`
  }

  /** The comment, with a stand-in for each line that isn't plain. */
  ofComment(text: string): string {
    const lines = text.split('\n')
    return lines
      .map((line) => (isPlain(line, PLAIN_LINE) ? line : `StandInLine${this.#index(line)}x`))
      .join('\n')
  }

  ofPattern(source: string): string {
    return `StandInLine${this.#index(source)}x`
  }

  /** Turns the stand-in for a type into the stand-in for the name of its schema. */
  static schemaOf(standIn: string): string {
    return standIn.replace('StandInType', 'standInSchema')
  }

  /** Makes only one pass: a second one would also replace originals that look like stand-ins. */
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
