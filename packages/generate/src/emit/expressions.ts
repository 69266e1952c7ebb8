/**
 * Builds the source code of Boolean expressions for generated functions. Combined expressions are simplified: for
 * example, a conjunction leaves out `true`.
 */

export const NEVER = 'false'
export const ALWAYS = 'true'
/** Separates the parts of a conjunction until it is printed. No literal contains this character. */
const AND = '\0'

/** Puts each part of a long expression on its own line. */
export function inLines(test: string): string {
  const line = test.replaceAll(AND, ' && ')
  return line.length < 100 ? line : `(\n    ${test.replaceAll(AND, ' &&\n    ')}\n  )`
}

export function every(tests: readonly string[]): string {
  if (tests.includes(NEVER)) return NEVER
  const left = tests.filter((test) => test !== ALWAYS)
  return left.length === 0
    ? ALWAYS
    : left.map((test) => (test.includes(' || ') ? `(${test})` : test)).join(AND)
}

export function some(tests: readonly string[]): string {
  if (tests.includes(ALWAYS)) return ALWAYS
  const left = tests.filter((test) => test !== NEVER)
  return left.length === 0
    ? NEVER
    : left.map((test) => (test.includes(AND) ? `(${test.replaceAll(AND, ' && ')})` : test)).join(' || ')
}

export function exactlyOne(tests: readonly string[]): string {
  const passed = tests.filter((test) => test === ALWAYS).length
  const left = tests.filter((test) => test !== ALWAYS && test !== NEVER)
  if (passed > 1) return NEVER
  if (passed === 1) return not(some(left))
  const [first = NEVER, second] = left
  return second === undefined ? first : `isOne(${left.map(whole).join(', ')})`
}

export function not(test: string): string {
  if (test === ALWAYS) return NEVER
  if (test === NEVER) return ALWAYS
  return `!(${whole(test)})`
}

export function choose(test: string, then: string, otherwise: string): string {
  if (then === otherwise) return then
  if (test === ALWAYS) return then
  if (test === NEVER) return otherwise
  return `(${whole(test)} ? ${whole(then)} : ${whole(otherwise)})`
}

/** Prints a test on one line. */
export function whole(test: string): string {
  return test.replaceAll(AND, ' && ')
}

/** Whether a test contains a comparison or the call of a type guard. Both can narrow the type of the value. */
export function compares(test: string): boolean {
  return test
    .replaceAll(/'(?:[^'\\]|\\.)*'/g, '')
    .split(AND)
    .some(
      (part) => part !== ALWAYS && part !== NEVER && !/^(?!(?:isRecord|isMapOf)\()\w+\([^()]*\)$/u.test(part),
    )
}

export function callback(test: string): string {
  return test === ALWAYS || test === NEVER ? `() => ${test}` : test
}

export function entries(value: string, test: string): string {
  if (test === ALWAYS) return ALWAYS
  return `hasEntries(${value}, (${parameters(whole(test), 'name', 'item')}) => ${whole(test)})`
}

/**
 * A function's parameters, up to the last one that `text` uses. The names of unused parameters begin with `_`.
 */
export function parameters(text: string, ...names: readonly string[]): string {
  const last = names.findLastIndex((name) => uses(text, name))
  return names
    .slice(0, last + 1)
    .map((name) => (uses(text, name) ? name : `_${name}`))
    .join(', ')
}

/** Whether a test uses a variable outside of literals. */
export function uses(test: string, variable: string): boolean {
  return new RegExp(`(?<![.\\w$])${variable}\\b`).test(test.replaceAll(/'(?:[^'\\]|\\.)*'/g, ''))
}
