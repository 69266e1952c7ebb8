import { EmulatorOptionsError } from './errors.ts'
import { checkNames } from './option-names.ts'

/** What may be given to replace choices: groups of values are completed from the defaults. @public */
export type ChoiceOverrides<T> = {
  readonly [K in keyof T]?: T[K] extends ((...values: never[]) => unknown) | readonly unknown[]
    ? T[K]
    : T[K] extends object
      ? { readonly [P in keyof T[K]]?: T[K][P] }
      : T[K]
}

/**
 * Puts replaced choices over the defaults.
 *
 * @throws EmulatorOptionsError where a name is not one of the choices, or a function is replaced by something else.
 */
export function mergeChoices<T extends object>(
  service: string,
  defaults: T,
  overrides: ChoiceOverrides<T>,
): T {
  const merged: Record<string, unknown> = { ...(defaults as Record<string, unknown>) }
  checkNames(overrides, Object.keys(defaults), service, 'choice')
  for (const [name, value] of Object.entries(overrides)) {
    if (value === undefined) continue
    const given = merged[name]
    if (typeof given === 'function' && typeof value !== 'function')
      throw new EmulatorOptionsError(`The choice ${name} of ${service} must be a function.`)
    merged[name] = isGroup(given) && isGroup(value) ? mergeGroup(`${service}: ${name}`, given, value) : value
  }
  return merged as T
}

function mergeGroup(place: string, given: Record<string, unknown>, value: Record<string, unknown>) {
  for (const name of Object.keys(value))
    if (!Object.hasOwn(given, name))
      throw new EmulatorOptionsError(`${place} has no ${name}. It has: ${Object.keys(given).join(', ')}.`)
  return { ...given, ...value }
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
