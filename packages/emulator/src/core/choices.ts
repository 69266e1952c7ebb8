import { AsyncLocalStorage } from 'node:async_hooks'

import { Ajv2020 } from 'ajv/dist/2020.js'

import { ChoiceError, EmulatorOptionsError } from './errors.ts'
import { isObject, type JsonObject } from './json.ts'
import { checkNames } from './option-names.ts'
import type { ResponseChoices } from './service.ts'

/** What may be given to replace choices: groups of values are completed from the defaults. @public */
export type ChoiceOverrides<T> = {
  readonly [K in keyof T]?: T[K] extends ((...values: never[]) => unknown) | readonly unknown[]
    ? T[K]
    : T[K] extends object
      ? { readonly [P in keyof T[K]]?: T[K][P] }
      : T[K]
}

/** The choices that are functions. */
type FunctionNames<T> = { [K in keyof T]: T[K] extends (...values: never[]) => unknown ? K : never }[keyof T]

/** A schema for each choice that is a value or a group, and for what a function returns where not everything will do. */
export type ChoiceSchemas<T> = { readonly [K in Exclude<keyof T, FunctionNames<T>>]: JsonObject } & {
  readonly [K in FunctionNames<T>]?: JsonObject
}

/** The choices of a service. */
export interface ChoiceDefinition<T> {
  service: string
  defaults: T
  schemas: ChoiceSchemas<T>
  /** The functions whose promises are awaited; another one that returns a promise is an error. */
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

/** The schema of an object whose members are all alike. */
export function eachOf(schema: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: schema }
}

/** The schema of one of several values. */
export function oneOf(...values: readonly string[]): JsonObject {
  return { enum: [...values] }
}

const usedChoices = new AsyncLocalStorage<Set<string>>()

/** Does work, noting which replaced choices have a part in it, so that an error can name them. */
export function notingChoices<R>(work: () => R): R {
  return usedChoices.run(new Set(), work)
}

/** The replaced choices that had a part in the work under way. */
export function notedChoices(): string[] {
  return [...(usedChoices.getStore() ?? [])]
}

/**
 * Puts replaced choices over the defaults.
 *
 * @throws EmulatorOptionsError that names the choice, if there is no such choice or it can't have this value.
 */
export function resolveChoices<T extends object>(
  { service, defaults, schemas, awaited }: ChoiceDefinition<T>,
  overrides: ChoiceOverrides<T>,
): T {
  checkNames(overrides, Object.keys(defaults), service, 'choice')
  // Ajv's strict number mode would not let Infinity through, which stands for "no limit".
  const ajv = new Ajv2020({ strictNumbers: false, allErrors: true })
  const known = defaults as Readonly<Record<string, unknown>>
  const rules = schemas as Readonly<Record<string, JsonObject | undefined>>
  const merged: Record<string, unknown> = { ...known }

  function problemOf(name: string, value: unknown): string | undefined {
    const schema = rules[name]
    if (!schema || ajv.validate(schema, value)) return undefined
    return ajv.errorsText(ajv.errors, { dataVar: name })
  }

  /** Makes errors of a function name the choice. */
  function guard(name: string, choice: Choice, isAwaited: boolean): Choice {
    const check = (result: unknown): unknown => {
      const problem = result === undefined ? undefined : problemOf(name, result)
      if (problem !== undefined)
        throw new ChoiceError(service, name, `returned what can't be used: ${problem}`)
      return result
    }
    const rethrow = (error: unknown): never => {
      throw new ChoiceError(service, name, 'threw an error', error)
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
        "returned a promise, but its result is needed at once: it can't be async",
      )
    }
  }

  /** A group is completed from the defaults; the functions of a group must be functions. */
  function complete(name: string, group: Record<string, unknown>, given: unknown): Record<string, unknown> {
    if (!isObject(given))
      throw new EmulatorOptionsError(`The choice ${name} of ${service} must be an object.`)
    checkNames(given, Object.keys(group), `The choice ${name} of ${service}`, 'member')
    const own = Object.entries(given).map(([member, value]) => {
      if (typeof group[member] !== 'function') return [member, value] as const
      if (typeof value !== 'function')
        throw new EmulatorOptionsError(`The choice ${name}.${member} of ${service} must be a function.`)
      return [member, guard(`${name}.${member}`, value as Choice, false)] as const
    })
    return { ...group, ...Object.fromEntries(own.filter(([, value]) => value !== undefined)) }
  }

  for (const [name, given] of Object.entries<unknown>(overrides)) {
    if (given === undefined) continue
    if (typeof known[name] === 'function') {
      if (typeof given !== 'function')
        throw new EmulatorOptionsError(`The choice ${name} of ${service} must be a function.`)
      merged[name] = guard(name, given as Choice, (awaited as readonly string[]).includes(name))
      continue
    }
    const value = isObject(known[name]) ? complete(name, known[name], given) : given
    const problem = problemOf(name, value)
    if (problem !== undefined)
      throw new EmulatorOptionsError(`The choice ${name} of ${service} can't be used: ${problem}.`)
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
