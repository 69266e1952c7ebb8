import { AsyncLocalStorage } from 'node:async_hooks'

import { Ajv2020 } from 'ajv/dist/2020.js'

import { checkNames, ChoiceError, EmulatorOptionsError } from './errors.ts'
import { isObject, type JsonObject } from './json.ts'
import type { ResponseChoices } from './service.ts'

/**
 * Overrides for choices. A choice is a behavior of the emulator where the service's documentation is silent. If a
 * choice is an object, the members that you leave out keep their defaults.
 *
 * @public
 */
export type ChoiceOverrides<T> = {
  readonly [K in keyof T]?: T[K] extends ((...values: never[]) => unknown) | readonly unknown[]
    ? T[K]
    : T[K] extends object
      ? { readonly [P in keyof T[K]]?: T[K][P] }
      : T[K]
}

type FunctionNames<T> = { [K in keyof T]: T[K] extends (...values: never[]) => unknown ? K : never }[keyof T]

/** For a choice that is a function, the schema is optional and describes the function's result. */
type ChoiceSchemas<T> = { readonly [K in Exclude<keyof T, FunctionNames<T>>]: JsonObject } & {
  readonly [K in FunctionNames<T>]?: JsonObject
}

export interface ChoiceDefinition<T> {
  service: string
  defaults: T
  schemas: ChoiceSchemas<T>
  /** The functions that may return a promise. All other functions must be synchronous. */
  awaited: readonly FunctionNames<T>[]
}

const STATUS = { type: 'integer', minimum: 200, maximum: 599 } as const

/** Schemas of the choices that every service has. */
export const RESPONSE_SCHEMAS = {
  successResponse: resultOf({ status: STATUS, body: {} }),
  errorResponse: resultOf({
    message: { type: 'string' },
    body: {},
    headers: { type: 'object', additionalProperties: { type: 'string' } },
  }),
} as const satisfies Record<keyof ResponseChoices<never, never, never>, JsonObject>

export const SCHEMAS = {
  text: { type: 'string' },
  flag: { type: 'boolean' },
  /** `Infinity` means no limit. */
  amount: { anyOf: [{ type: 'number', minimum: 0 }, { const: Infinity as unknown as number }] },
  status: STATUS,
  path: { type: 'string', pattern: '^/' },
  optionalAmount: { type: 'number', minimum: 0 },
  closeFrame: {
    type: 'object',
    properties: { code: { type: 'integer', minimum: 1000, maximum: 4999 }, reason: { type: 'string' } },
    required: ['code', 'reason'],
    additionalProperties: false,
  },
} as const satisfies Record<string, JsonObject>

export function groupOf(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  return { type: 'object', properties: { ...properties } }
}

/** Returns the schema for the result of a choice that is a function. */
export function resultOf(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  return { ...groupOf(properties), additionalProperties: false }
}

export function eachOf(schema: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: schema }
}

export function oneOf(...values: readonly string[]): JsonObject {
  return { enum: [...values] }
}

const usedChoices = new AsyncLocalStorage<Set<string>>()

/** Records which overridden choices `work` uses, so that an error can name them. */
export function trackUsedChoices<R>(work: () => R): R {
  return usedChoices.run(new Set(), work)
}

export function usedChoiceNames(): string[] {
  return [...(usedChoices.getStore() ?? [])]
}

/**
 * Merges overrides into the defaults.
 *
 * @throws EmulatorOptionsError if an override has an unknown name or an invalid value.
 */
export function resolveChoices<T extends object>(
  { service, defaults, schemas, awaited }: ChoiceDefinition<T>,
  overrides: ChoiceOverrides<T>,
): T {
  checkNames(overrides, Object.keys(defaults), `\`${service}\``, 'choice')
  const known = defaults as Readonly<Record<string, unknown>>
  const ownSchemas = schemas as Readonly<Record<string, JsonObject | undefined>>
  // Ajv's strict number mode would reject `Infinity`.
  const ajv = new Ajv2020({ strictNumbers: false, allErrors: true })
  const problemOf: ProblemOf = (name, value) => {
    const schema = ownSchemas[name]
    if (!schema || ajv.validate(schema, value)) return undefined
    return ajv.errorsText(ajv.errors, { dataVar: name })
  }
  const merged: Record<string, unknown> = { ...known }
  for (const [name, given] of Object.entries<unknown>(overrides)) {
    if (given === undefined) continue
    if (typeof known[name] === 'function') {
      const isAwaited = (awaited as readonly string[]).includes(name)
      merged[name] = guardFunction({ service, name, problemOf, isAwaited }, given)
      continue
    }
    const value = isObject(known[name]) ? completeGroup(service, name, known[name], given) : given
    const problem = problemOf(name, value)
    if (problem !== undefined)
      throw new EmulatorOptionsError(`The choice \`${name}\` of \`${service}\` is invalid: ${problem}.`)
    Object.defineProperty(merged, name, {
      enumerable: true,
      get() {
        usedChoices.getStore()?.add(name)
        return value
      },
    })
  }
  return merged as T
}

type ChoiceFunction = (...values: unknown[]) => unknown

type ProblemOf = (name: string, value: unknown) => string | undefined

interface GuardedChoice {
  readonly service: string
  readonly name: string
  readonly problemOf: ProblemOf
  readonly isAwaited: boolean
}

/** Wraps a function to check its results, and to name the choice in its errors. */
function guardFunction(
  { service, name, problemOf, isAwaited }: GuardedChoice,
  given: unknown,
): ChoiceFunction {
  if (typeof given !== 'function')
    throw new EmulatorOptionsError(`The choice \`${name}\` of \`${service}\` must be a function.`)
  const choice = given as ChoiceFunction
  const check = (result: unknown): unknown => {
    const problem = result === undefined ? undefined : problemOf(name, result)
    if (problem !== undefined) throw new ChoiceError(service, name, `returned an invalid value (${problem})`)
    return result
  }
  const rethrow = (error: unknown): never => {
    throw new ChoiceError(service, name, 'threw an error', { cause: error })
  }
  return (...values) => {
    usedChoices.getStore()?.add(name)
    let result: unknown
    try {
      result = choice(...values)
    } catch (error) {
      return rethrow(error)
    }
    if (!(result instanceof Promise)) return check(result)
    if (isAwaited) return result.then(check, rethrow)
    result.catch(() => {})
    throw new ChoiceError(service, name, 'returned a promise, but this choice must be synchronous')
  }
}

function completeGroup(
  service: string,
  name: string,
  group: Record<string, unknown>,
  given: unknown,
): Record<string, unknown> {
  if (!isObject(given))
    throw new EmulatorOptionsError(`The choice \`${name}\` of \`${service}\` must be an object.`)
  checkNames(given, Object.keys(group), `the choice \`${name}\` of \`${service}\``, 'member')
  const complete = { ...group }
  for (const [member, value] of Object.entries(given)) {
    if (value === undefined) continue
    const guarded = { service, name: `${name}.${member}`, problemOf: () => undefined, isAwaited: false }
    complete[member] = typeof group[member] === 'function' ? guardFunction(guarded, value) : value
  }
  return complete
}
