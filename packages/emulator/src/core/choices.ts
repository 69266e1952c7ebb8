import { AsyncLocalStorage } from 'node:async_hooks'

import { Ajv2020 } from 'ajv/dist/2020.js'

import { checkNames, ChoiceError, EmulatorOptionsError } from './errors.ts'
import { isObject, type JsonObject } from './json.ts'
import type { ResponseChoices } from './service.ts'

/** Replacements for choices. Groups of values are completed from the defaults. @public */
export type ChoiceOverrides<T> = {
  readonly [K in keyof T]?: T[K] extends ((...values: never[]) => unknown) | readonly unknown[]
    ? T[K]
    : T[K] extends object
      ? { readonly [P in keyof T[K]]?: T[K][P] }
      : T[K]
}

/** The choices that are functions. */
type FunctionNames<T> = { [K in keyof T]: T[K] extends (...values: never[]) => unknown ? K : never }[keyof T]

/** The schema of each choice that is a value or a group, and of the results of functions that are not arbitrary. */
export type ChoiceSchemas<T> = { readonly [K in Exclude<keyof T, FunctionNames<T>>]: JsonObject } & {
  readonly [K in FunctionNames<T>]?: JsonObject
}

/** The choices of a service. */
export interface ChoiceDefinition<T> {
  service: string
  defaults: T
  schemas: ChoiceSchemas<T>
  /** The functions whose promises are awaited. For the others a promise is an error. */
  awaited: readonly FunctionNames<T>[]
}

const STATUS = { type: 'integer', minimum: 200, maximum: 599 } as const

/** Schemas of the choices that every service has. */
export const RESPONSE_SCHEMAS = {
  successResponse: answerOf({ status: STATUS, body: {} }),
  errorResponse: answerOf({
    message: { type: 'string' },
    body: {},
    headers: { type: 'object', additionalProperties: { type: 'string' } },
  }),
} as const satisfies Record<keyof ResponseChoices<never, never, never>, JsonObject>

/** Schemas of choices. */
export const SCHEMAS = {
  text: { type: 'string' },
  flag: { type: 'boolean' },
  /** A number that is not negative; `Infinity` for no limit. */
  amount: { anyOf: [{ type: 'number', minimum: 0 }, { const: Infinity as unknown as number }] },
  status: STATUS,
  path: { type: 'string', pattern: '^/' },
  header: { type: 'string', pattern: "^[\\w!#$%&'*+.^`|~-]+$" },
  optionalAmount: { type: 'number', minimum: 0 },
  closeFrame: {
    type: 'object',
    properties: { code: { type: 'integer', minimum: 1000, maximum: 4999 }, reason: { type: 'string' } },
    required: ['code', 'reason'],
    additionalProperties: false,
  },
} as const satisfies Record<string, JsonObject>

/** The schema of an object with these members. */
export function groupOf(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  return { type: 'object', properties: { ...properties } }
}

/** The schema of what a function returns: an object with some of these members and no others. */
export function answerOf(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  return { ...groupOf(properties), additionalProperties: false }
}

/** The schema of an object whose members all have one schema. */
export function eachOf(schema: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: schema }
}

/** The schema of one of several values. */
export function oneOf(...values: readonly string[]): JsonObject {
  return { enum: [...values] }
}

const usedChoices = new AsyncLocalStorage<Set<string>>()

/** Runs work and records which replaced choices contribute to it, so that an error can name them. */
export function notingChoices<R>(work: () => R): R {
  return usedChoices.run(new Set(), work)
}

/** The replaced choices that contributed to the work under way. */
export function notedChoices(): string[] {
  return [...(usedChoices.getStore() ?? [])]
}

/**
 * Puts replaced choices over the defaults.
 *
 * @throws EmulatorOptionsError that names the choice, if it doesn't exist or can't have this value.
 */
export function resolveChoices<T extends object>(
  { service, defaults, schemas, awaited }: ChoiceDefinition<T>,
  overrides: ChoiceOverrides<T>,
): T {
  checkNames(overrides, Object.keys(defaults), service, 'choice')
  const checker = createChecker(service, schemas as Readonly<Record<string, JsonObject | undefined>>)
  const known = defaults as Readonly<Record<string, unknown>>
  const merged: Record<string, unknown> = { ...known }
  for (const [name, given] of Object.entries<unknown>(overrides)) {
    if (given === undefined) continue
    if (typeof known[name] === 'function') {
      const isAwaited = (awaited as readonly string[]).includes(name)
      merged[name] = guardFunction(checker, name, given, isAwaited)
      continue
    }
    const value = isObject(known[name]) ? completeGroup(checker, name, known[name], given) : given
    const problem = checker.problemOf(name, value)
    if (problem !== undefined)
      throw new EmulatorOptionsError(`The choice ${name} of ${service} is invalid: ${problem}.`)
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

type Choice = (...values: unknown[]) => unknown

/** Checks values of the choices of a service. */
interface Checker {
  service: string
  problemOf(name: string, value: unknown): string | undefined
}

function createChecker(service: string, schemas: Readonly<Record<string, JsonObject | undefined>>): Checker {
  // Ajv's strict number mode would reject Infinity, which means "no limit".
  const ajv = new Ajv2020({ strictNumbers: false, allErrors: true })
  return {
    service,
    problemOf(name, value) {
      const schema = schemas[name]
      if (!schema || ajv.validate(schema, value)) return undefined
      return ajv.errorsText(ajv.errors, { dataVar: name })
    },
  }
}

/** Makes the errors of a function name the choice. */
function guardFunction(checker: Checker, name: string, given: unknown, isAwaited: boolean): Choice {
  const { service } = checker
  if (typeof given !== 'function')
    throw new EmulatorOptionsError(`The choice ${name} of ${service} must be a function.`)
  const choice = given as Choice
  const check = (result: unknown): unknown => {
    const problem = result === undefined ? undefined : checker.problemOf(name, result)
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
    throw new ChoiceError(
      service,
      name,
      "returned a promise, but can't be async: its result is needed at once",
    )
  }
}

/** Completes a group from the defaults. The functions of a group must be functions. */
function completeGroup(
  checker: Checker,
  name: string,
  group: Record<string, unknown>,
  given: unknown,
): Record<string, unknown> {
  const { service } = checker
  if (!isObject(given)) throw new EmulatorOptionsError(`The choice ${name} of ${service} must be an object.`)
  checkNames(given, Object.keys(group), `the choice ${name} of ${service}`, 'member')
  const own = Object.entries(given).map(([member, value]) =>
    typeof group[member] === 'function' && value !== undefined
      ? ([member, guardFunction(checker, `${name}.${member}`, value, false)] as const)
      : ([member, value] as const),
  )
  return { ...group, ...Object.fromEntries(own.filter(([, value]) => value !== undefined)) }
}
