import { OptionsError } from './errors.ts'

/** Refuses names that are not options, so that a misspelt one is not ignored. @public */
export function checkOptionNames(options: unknown, names: readonly string[], of: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new OptionsError(of, 'is not an object.', 'Give an object of options.')
  }
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue
    throw new OptionsError(name, 'is not known.', `Known are: ${names.join(', ')}.`)
  }
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
