import { type Clock, systemClock } from './clock.ts'
import { OptionsError } from './errors.ts'

/**
 * The names of all options in `Options`. If you declare a list with this type, the compiler reports both an option that
 * is missing from the list and a listed name that is not an option.
 *
 * @example
 * ```ts
 * const NAMES: OptionNames<WaitOptions> = { deadline: true, signal: true }
 * ```
 *
 * @public
 */
export type OptionNames<Options> = Readonly<Record<keyof Options & string, true>>

/**
 * Rejects unknown option names, so that a misspelled option is never ignored.
 *
 * @param names - Every valid name. Declare the list as {@link OptionNames}.
 * @param of - The path of the option that contains these options, such as `polling.job`. Error
 *   messages put this path in front of the unknown name. Pass `options` for top-level options.
 * @param advice - A sentence to append to the error message about an unknown name.
 * @throws OptionsError, which suggests the name that was probably meant.
 * @public
 */
export function checkOptionNames(
  options: unknown,
  names: OptionNames<unknown>,
  of: string,
  advice = '',
): void {
  if (typeof options !== 'object' || options === null) {
    throw new OptionsError(
      of,
      of === 'options' ? 'The options must be an object.' : `\`${of}\` must be an object.`,
      validOptions(names),
    )
  }
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue
    const option = of === 'options' ? name : `${of}.${name}`
    const meant = closest(name, Object.keys(names))
    throw new OptionsError(
      option,
      `Unknown option \`${option}\`.`,
      `${meant ? `Did you mean \`${meant}\`? ` : ''}${validOptions(names)}${advice && ` ${advice}`}`,
    )
  }
}

function validOptions(names: OptionNames<unknown>): string {
  return `Valid options: ${Object.keys(names)
    .map((name) => `\`${name}\``)
    .join(', ')}.`
}

/** Returns the name that is the fewest edits away from the given name, or `undefined` if no name is close enough. */
function closest(given: string, names: readonly string[]): string | undefined {
  let leastEdits = Math.floor(Math.min(2, given.length / 2)) + 1
  let found: string | undefined
  for (const name of names) {
    const edits = editsBetween(given.toLowerCase(), name.toLowerCase())
    if (edits >= leastEdits) continue
    leastEdits = edits
    found = name
  }
  return found
}

function editsBetween(given: string, known: string): number {
  let row = Array.from({ length: known.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...given].entries()) {
    const next = [index + 1]
    row.slice(1).forEach((above, at) => {
      next.push(Math.min(above + 1, next[at]! + 1, row[at]! + (letter === known[at] ? 0 : 1)))
    })
    row = next
  }
  return row.at(-1)!
}

/** Returns a number within bounds, or the default. @throws OptionsError @public */
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
    `must be a ${bounds.whole ? 'whole ' : ''}number of at least ${bounds.min}.`,
    `Pass such a number, or omit the option to use ${fallback}.`,
  )
}

/** Returns a function, or undefined. @throws OptionsError @public */
export function functionOption<F>(value: F | undefined, option: string): F | undefined {
  if (value === undefined || typeof value === 'function') return value
  throw new OptionsError(option, 'must be a function.', 'Pass a function, or omit the option.')
}

/**
 * Returns one of a few strings, or the default.
 *
 * @param choices - Every valid string as a key, so that the compiler reports a missing string.
 * @throws OptionsError
 * @public
 */
export function choiceOption<T extends string>(
  value: T | undefined,
  option: string,
  choices: Readonly<Record<NoInfer<T>, true>>,
  fallback: NoInfer<T>,
): T {
  if (value === undefined) return fallback
  if (typeof value === 'string' && Object.hasOwn(choices, value)) return value
  throw new OptionsError(
    option,
    `must be one of ${Object.keys(choices)
      .map((choice) => `'${choice}'`)
      .join(', ')}.`,
    `Pass one of these values, or omit the option to use '${fallback}'.`,
  )
}

/** Returns a string that is not empty. @throws OptionsError @public */
export function requiredString(value: unknown, option: string, remedy: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new OptionsError(
    option,
    value === undefined ? `\`${option}\` is missing.` : `\`${option}\` must be a non-empty string.`,
    remedy,
  )
}

/**
 * Returns a base URL. In browsers, the value may be a path, which is resolved against the origin of the page.
 *
 * @returns The absolute http or https URL.
 * @throws OptionsError if the value is missing or isn't a valid base URL, or if the URL has a query, a fragment, a
 *   user name or a password.
 * @public
 */
export function baseUrlOption(
  value: unknown,
  option: string,
  example = 'https://api.example.com/prefix',
): string {
  if (value === undefined) throw new OptionsError(option, 'is missing.', `Pass the URL, such as ${example}.`)
  const absolute = absoluteUrl(value)
  const url = absolute === undefined ? null : URL.parse(absolute)
  if (url === null) {
    throw new OptionsError(
      option,
      'is not an absolute http or https URL.',
      `Pass a URL with its scheme, host and path prefix (if any), such as ${example}. ` +
        'A path such as /api works only in browsers.',
    )
  }
  if (/[?#]/.test(value as string)) {
    throw new OptionsError(
      option,
      'has a query or a fragment, which would be lost.',
      'Pass the URL without a query or a fragment. Pass query parameters with each call.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new OptionsError(
      option,
      'contains a user name or password.',
      'Pass the URL without a user name and password. Pass credentials in the `credentials` option or in an option such as `apiKey`.',
    )
  }
  return absolute!
}

/** Returns an AbortSignal, or undefined. @throws OptionsError @public */
export function signalOption(value: unknown, option = 'signal'): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value
  throw new OptionsError(option, 'must be an AbortSignal.', 'Pass the signal of an AbortController.')
}

/**
 * Returns an object that has all of `methods`, or undefined.
 *
 * @param remedy - The sentence of the error message that says where to get such an object.
 * @throws OptionsError
 * @public
 */
export function methodsOption<T>(value: T, option: string, methods: readonly string[], remedy: string): T {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>
  if (value === undefined || methods.every((method) => typeof given[method] === 'function')) return value
  const list = methods.map((method) => `${method}()`).join(', ')
  throw new OptionsError(option, `must be an object with ${list}.`, remedy)
}

/** @throws OptionsError */
export function clockOption(value: Clock | undefined): Clock {
  const methods = ['now', 'monotonic', 'setTimer']
  return methodsOption(value, 'clock', methods, 'Pass virtualClock(), or omit `clock`.') ?? systemClock
}

/**
 * A span of time: milliseconds as a number, or a string with a unit, as in `'250ms'`, `'30s'`, `'5m'`, `'2h'`, `'1d'`.
 *
 * @public
 */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Converts a {@link Duration} to milliseconds.
 *
 * @param option The name of the option, for the error.
 * @throws OptionsError if the value is not a finite, positive span of time.
 * @public
 */
export function parseDuration(value: Duration, option = 'deadline'): number {
  const ms = typeof value === 'string' ? parseText(value) : value
  if (typeof ms === 'number' && Number.isFinite(ms) && ms > 0) return ms
  throw new OptionsError(
    option,
    'is not a duration.',
    "Pass a finite number of milliseconds above 0, or a string such as '250ms', '30s', '5m', '2h' or '1d'.",
  )
}

function parseText(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text)
  return match ? Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] : Number.NaN
}

/**
 * Returns a base URL as an absolute http or https URL. In a browser, a path such as `/api` is resolved against the
 * origin of the page or worker. Returns `undefined` for any other value.
 */
export function absoluteUrl(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  if (/^https?:\/\//i.test(value)) return value
  // A path that starts with two slashes names another host.
  if (!/^\/(?![/\\])/.test(value)) return undefined
  const { origin } = (globalThis as { location?: { origin?: unknown } }).location ?? {}
  return typeof origin === 'string' && /^https?:\/\//i.test(origin) ? origin + value : undefined
}
