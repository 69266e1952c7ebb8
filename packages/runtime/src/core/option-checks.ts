import { OptionsError } from './errors.ts'

/**
 * Refuses names that are not options, so that a misspelt one is not ignored.
 *
 * @param of - What the options are an option of, such as `polling.job`, which their names then begin with; or `options`.
 * @throws OptionsError, which asks for the name that was probably meant.
 * @public
 */
export function checkOptionNames(options: unknown, names: readonly string[], of: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new OptionsError(of, 'is not an object.', 'Give an object of options.')
  }
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue
    const meant = names.find((known) => isNear(name.toLowerCase(), known.toLowerCase()))
    throw new OptionsError(
      of === 'options' ? name : `${of}.${name}`,
      'is not known.',
      `${meant ? `Did you mean ${meant}? ` : ''}Known are: ${names.join(', ')}.`,
    )
  }
}

/** Whether at most two letters are other, missing or too many, and not half of them. */
function isNear(given: string, known: string): boolean {
  let row = Array.from({ length: known.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...given].entries()) {
    const next = [index + 1]
    row.slice(1).forEach((above, at) => {
      next.push(Math.min(above + 1, next[at]! + 1, row[at]! + (letter === known[at] ? 0 : 1)))
    })
    row = next
  }
  return row.at(-1)! <= Math.min(2, given.length / 2)
}

/** A number within bounds, or its default. @public */
export function numberOption(
  value: unknown,
  option: string,
  fallback: number,
  bounds: { readonly min: number; readonly whole?: boolean },
): number {
  if (value === undefined) return fallback
  const fits =
    typeof value === 'number' &&
    value >= bounds.min &&
    (bounds.whole ? Number.isSafeInteger(value) : Number.isFinite(value))
  if (fits) return value
  throw new OptionsError(
    option,
    `is not a ${bounds.whole ? 'whole ' : ''}number of ${bounds.min} or more.`,
    `Give one, or leave it out for ${fallback}.`,
  )
}

/** A function, or nothing. @public */
export function functionOption<F>(value: F | undefined, option: string): F | undefined {
  if (value === undefined || typeof value === 'function') return value
  throw new OptionsError(option, 'is not a function.', 'Give a function, or leave it out.')
}

/** One of a few words, or the default. @public */
export function choiceOption<T extends string>(
  value: T | undefined,
  option: string,
  choices: readonly T[],
  fallback: T,
): T {
  if (value === undefined) return fallback
  if (choices.includes(value)) return value
  throw new OptionsError(option, 'is not one of the choices.', `Give one of: ${choices.join(', ')}.`)
}

/** A text that is not empty. @public */
export function requiredText(value: unknown, option: string, remedy: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new OptionsError(option, value === undefined ? 'is missing.' : 'is not a text, or empty.', remedy)
}

/** A base address with its scheme. @throws OptionsError when it is missing or has none. @public */
export function addressOption(value: unknown, option: string, example: string): string {
  if (value === undefined)
    throw new OptionsError(option, 'is missing.', `Give the address, such as ${example}.`)
  if (typeof value === 'string' && /^https?:\/\//i.test(value)) return value
  throw new OptionsError(option, 'has no http:// or https:// in front.', 'Give it with its scheme.')
}

/** An AbortSignal, or nothing. @throws OptionsError @public */
export function signalOption(value: unknown, option = 'signal'): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value
  throw new OptionsError(option, 'is not an AbortSignal.', 'Give the signal of an AbortController.')
}
