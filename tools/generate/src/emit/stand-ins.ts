import { schemaName } from '../normalize/names.ts'
import { printText } from './literal.ts'

/** Names that hey-api prints as they are. It takes others for numbers, or changes what is in them. */
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/
/** Strings that it prints as they are. In others it decodes escapes after it has written them, which ends a literal. */
const PLAIN_TEXT = /^[^\\'"`\u2028\u2029\0-\x1f\x7f]*$/
const PLAIN_LINE = /^[^\\]*$/

/**
 * What hey-api gets instead of names and strings of a contract, and what is put back into the text that it writes. It
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

  /** What stands in for a type. */
  ofType(name: string): string {
    return `StandInType${this.#indexOf.get(name)}x`
  }

  /** What stands in for the name of a property; the name itself if there is no need. */
  ofProperty(name: string): string {
    return PLAIN_NAME.test(name) ? name : `StandInText${this.#index(name)}x`
  }

  /** What stands in for a value; the value itself if there is no need. */
  ofValue<Value>(value: Value): Value | string {
    return typeof value !== 'string' || PLAIN_TEXT.test(value) ? value : `StandInText${this.#index(value)}x`
  }

  /** What stands in for each line of a comment. */
  ofComment(text: string): string {
    const lines = text.split('\n')
    return lines.map((line) => (PLAIN_LINE.test(line) ? line : `StandInLine${this.#index(line)}x`)).join('\n')
  }

  /** What stands in for the source of a regular expression. */
  ofPattern(source: string): string {
    return `StandInLine${this.#index(source)}x`
  }

  /** The name of the schema for a type. */
  static schemaOf(standIn: string): string {
    return standIn.replace('StandInType', 'standInSchema')
  }

  /** A text with what was in the contract. */
  restore(text: string): string {
    const textOf = (index: string) => this.#texts[Number(index)] ?? ''
    return text
      .replaceAll(/StandInType(\d+)x/g, (_, index: string) => this.#types[Number(index)] ?? '')
      .replaceAll(/standInSchema(\d+)x/g, (_, index: string) => schemaName(this.#types[Number(index)] ?? ''))
      .replaceAll(/(['"]?)StandInText(\d+)x\1/g, (_, __, index: string) => printText(textOf(index)))
      .replaceAll(/StandInLine(\d+)x/g, (_, index: string) => textOf(index))
  }

  #index(text: string): number {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    this.#known.set(text, this.#texts.push(text) - 1)
    return this.#texts.length - 1
  }
}
