import { invalidOptions } from '@concord/spec-model'

/**
 * Rejects unknown options, because a misspelled name could leave things untested.
 *
 * @throws ContractError that names the option.
 */
export function checkOptionNames(
  caller: string,
  options: object,
  known: Readonly<Record<string, true>>,
): void {
  const stray = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (stray === undefined) return
  throw invalidOptions(
    `${caller}() has no option \`${stray}\`.`,
    `Valid options: ${Object.keys(known).join(', ')}.`,
  )
}

/**
 * Returns the test runner's functions, such as `it`, from the options or, by default, from the globals.
 *
 * @throws ContractError if a function is missing.
 */
export function runnerOf<Runner extends object, Name extends keyof Runner & string>(
  caller: string,
  options: Runner,
  names: readonly Name[],
): Required<Pick<Runner, Name>> {
  const globals = globalThis as unknown as Partial<Runner>
  const found = names.map((name) => [name, options[name] ?? globals[name]] as const)
  if (found.every(([, each]) => each)) return Object.fromEntries(found) as Required<Pick<Runner, Name>>
  const quoted = names.map((name) => `\`${name}\``)
  throw invalidOptions(
    `${caller}() needs ${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)} to define tests, but did not find all of them.`,
    `Import them from the test runner and pass them: ${caller}({ ${names.join(', ')}, ... }). In vitest, you can set \`test.globals: true\` instead.`,
  )
}
