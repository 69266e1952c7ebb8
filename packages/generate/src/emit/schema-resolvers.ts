import { $, type Plugins } from '@hey-api/openapi-ts'

import { pascalCase } from '../normalize/names.ts'
import { type Assertion, type Check, type Rules, rulesOf } from '../normalize/rules.ts'
import type { QuickChecks } from './quick-checks.ts'
import { StandIns } from './stand-ins.ts'

type Resolvers = Plugins.Zod.Resolvers
type Chain = NonNullable<ReturnType<NonNullable<Resolvers['string']>>>
type ObjectContext = Parameters<NonNullable<Resolvers['object']>>[0]
type IntersectionContext = Parameters<NonNullable<Resolvers['intersection']>>[0]
type UnionContext = Parameters<NonNullable<Resolvers['union']>>[0]
type Plugin = ObjectContext['plugin']

/**
 * Each function turns a schema from the input of hey-api (a `PlainSchema`) into a zod schema, which uses only
 * functions that both zod and zod/mini have.
 */
export const schemaResolvers: Resolvers = {
  string(ctx) {
    const rules = rulesOf(ctx.schema)
    if (rules.reference) return reference(ctx.plugin, rules.reference)
    if (rules.never) return zod(ctx.plugin, 'never')
    if (rules.onlyNull) return zod(ctx.plugin, 'null')
    const [kind] = CUSTOM.filter(([rule]) => rules[rule])
    if (kind) {
      const [, type, name, message] = kind
      const test = predicate(ctx.plugin, name, ...(rules.noneOf ?? []))
      return custom(ctx.plugin, type, test, message)
    }
    if (typeof ctx.schema.const === 'string') return zod(ctx.plugin, 'literal', $.literal(ctx.schema.const))
    return checked(ctx.plugin, zod(ctx.plugin, 'string'), rules)
  },
  number(ctx) {
    if (ctx.schema.const !== undefined) return zod(ctx.plugin, 'literal', $.fromValue(ctx.schema.const))
    return checked(ctx.plugin, zod(ctx.plugin, 'number'), rulesOf(ctx.schema))
  },
  array: (ctx) => checked(ctx.plugin, ctx.nodes.base(ctx), rulesOf(ctx.schema)),
  tuple: (ctx) => checked(ctx.plugin, ctx.nodes.base(ctx), rulesOf(ctx.schema)),
  object: (ctx) => objectSchema(ctx),
  unknown(ctx) {
    const rules = rulesOf(ctx.schema)
    if (rules.nothing) return zod(ctx.plugin, 'undefined')
    return rules.tests === undefined ? undefined : checked(ctx.plugin, zod(ctx.plugin, 'unknown'), rules)
  },
  intersection: (ctx) => intersection(ctx),
  union: (ctx) => union(ctx),
}

function reference(plugin: Plugin, { type, isLazy }: NonNullable<Rules['reference']>): Chain {
  const named = $(StandIns.schemaOf(type))
  if (!isLazy) return named as unknown as Chain
  return zod(plugin, 'lazy', $.func().returns('any').do(named.return()))
}

/** If a value is invalid, the discriminator selects the branch whose issues zod reports. */
function union(ctx: UnionContext): Chain | undefined {
  const { discriminator } = rulesOf(ctx.parentSchema)
  if (discriminator === undefined || ctx.childResults.length !== discriminator.values.length) return undefined
  if (discriminator.isFamily) return ctx.childResults.at(-1)?.chain
  const { property, values, otherwise } = discriminator
  const branches = Object.fromEntries(values.flatMap((names, index) => names.map((name) => [name, index])))
  const meant = [property, branches, ...(otherwise === undefined ? [] : [otherwise])].map((each) =>
    $.fromValue(each),
  )
  const test = $(symbolOf(ctx.plugin, 'byDiscriminator')).call(...meant)
  const list = $.array(...ctx.childResults.map(({ chain }) => chain))
  return zod(ctx.plugin, 'union', list, test)
}

/**
 * `z.intersection` takes only two schemas, so its calls are nested. A schema with only assertions becomes a check on
 * the intersection of the other schemas.
 */
function intersection(ctx: IntersectionContext): Chain | undefined {
  // A schema with only assertions has the type `unknown`. If such a schema were a member of the intersection, zod
  // would accept unknown properties of a closed object.
  const isTest = ctx.schemas.map((schema) => schema.type === 'unknown' && rulesOf(schema).nothing !== true)
  const [first, ...others] = ctx.childResults.filter((_, index) => !isTest[index]).map(({ chain }) => chain)
  if (first === undefined) return undefined
  const both = others.reduce((all, next) => zod(ctx.plugin, 'intersection', all, next), first)
  const tests = ctx.schemas.flatMap((schema, index) => (isTest[index] ? (rulesOf(schema).tests ?? []) : []))
  return checked(ctx.plugin, both, { tests })
}

function objectSchema(ctx: ObjectContext): Chain {
  const rules = rulesOf(ctx.schema)
  const names = Object.keys(ctx.schema.properties ?? {})
  if (
    names.length === 0 &&
    ctx.schema.additionalProperties &&
    ctx.schema.additionalProperties.type !== 'unknown'
  ) {
    const value = ctx.nodes.additionalProperties(ctx)
    return checked(ctx.plugin, zod(ctx.plugin, 'record', zod(ctx.plugin, 'string'), value), rules)
  }
  const object = zod(ctx.plugin, rules.closed ? 'strictObject' : 'looseObject', shapeOf(ctx, rules))
  return checked(ctx.plugin, object, rules)
}

/** Writes the properties as hey-api does, but adds a check to each property that must not be undefined. */
function shapeOf(ctx: ObjectContext, { present = [] }: Rules): ReturnType<ObjectContext['nodes']['shape']> {
  const schemas = new Set(present.map((name) => ctx.schema.properties?.[name]))
  const results = new Set<ReturnType<ObjectContext['walk']>>()
  return ctx.nodes.shape({
    ...ctx,
    walk(schema, context) {
      const result = ctx.walk(schema, context)
      if (schemas.has(schema)) results.add(result)
      return result
    },
    applyModifiers(result, options) {
      const final = ctx.applyModifiers(result, options)
      if (!results.has(result)) return final
      const check = refinement(ctx.plugin, predicate(ctx.plugin, 'isPresent'), 'is required')
      return { ...final, chain: final.chain.attr('check').call(check) }
    },
  })
}

function checked(plugin: Plugin, base: Chain, rules: Rules): Chain {
  const checks = [
    ...(rules.checks ?? []).map((check) => expression(plugin, check)),
    ...exclusions(plugin, rules),
    ...(rules.tests ?? []).map(({ name, message }) => refinement(plugin, predicate(plugin, name), message)),
  ]
  return checks.length === 0 ? base : base.attr('check').call(...checks)
}

/** Rules that zod has no schema for. Each row contains the rule, the type, the predicate and the message. */
const CUSTOM = [
  ['noneOf', 'never', 'isNoneOf', 'must be of another type'],
  ['binary', 'BinaryInput', 'isBinaryInput', 'must be a file path, bytes, a Blob or a stream'],
  ['blob', 'Blob', 'isBlob', 'must be a Blob'],
  ['bytes', 'Uint8Array', 'isUint8Array', 'must be bytes (a Uint8Array)'],
] as const

function custom(plugin: Plugin, type: string, test: Chain, message: string): Chain {
  const call = $(plugin.imports.z as never)
    .attr('custom')
    .call(test, $.literal(message))
  return call.generic(type) as unknown as Chain
}

function exclusions(plugin: Plugin, { exclusive = [], exclusions: messages = [] }: Rules): Chain[] {
  return exclusive.map((group, index) =>
    refinement(plugin, predicate(plugin, 'lacksOneOf', ...group), messages[index] ?? ''),
  )
}

/** For each check: zod's function, or a predicate and its message. The check's value replaces `#` in the message. */
const CHECKS: {
  readonly [check in Exclude<Check['check'], 'pattern'>]: string | readonly [name: string, message: string]
} = {
  integer: ['isInteger', 'must be a whole number'],
  int32: ['isInt32', 'must be a 32-bit integer'],
  uuid: ['isUuid', 'must be a UUID'],
  date: ['isDate', 'must be a date such as 2026-02-28'],
  dateTime: ['isDateTime', 'must be a date and time such as 2026-02-28T09:30:00Z'],
  uri: ['isUri', 'must be a URI'],
  unique: ['hasUniqueItems', 'must not contain equal items'],
  minCodePoints: ['hasMinCodePoints', 'must have at least # characters'],
  maxCodePoints: ['hasMaxCodePoints', 'must have at most # characters'],
  minProperties: ['hasMinProperties', 'must have at least # properties'],
  maxProperties: ['hasMaxProperties', 'must have at most # properties'],
  multipleOf: ['isMultipleOf', 'must be a multiple of #'],
  minimum: 'gte',
  maximum: 'lte',
  exclusiveMinimum: 'gt',
  exclusiveMaximum: 'lt',
  minItems: 'minLength',
  maxItems: 'maxLength',
}

function expression(plugin: Plugin, check: Check): Chain {
  if (check.check === 'pattern') {
    const reasons = check.reason === undefined ? [] : [$.literal(check.reason)]
    return zod(plugin, 'regex', $.regexp(check.value, 'u'), ...reasons)
  }
  const values = 'value' in check ? [check.value] : []
  const rule = CHECKS[check.check]
  if (typeof rule === 'string') return zod(plugin, rule, ...values.map((value) => $.fromValue(value)))
  const [name, message] = rule
  return refinement(plugin, predicate(plugin, name, ...values), withValue(message, check))
}

function withValue(message: string, check: Check): string {
  if (!('value' in check)) return message
  const text = message.replace('#', String(check.value))
  return check.value === 1 ? text.replace('characters', 'character').replace('properties', 'property') : text
}

function refinement(plugin: Plugin, test: Chain, message: string): Chain {
  return zod(plugin, 'refine', test, $.literal(message) as unknown as Chain)
}

function zod(plugin: Plugin, name: string, ...args: readonly unknown[]): Chain {
  return $(plugin.imports.z as never)
    .attr(name)
    .call(...(args as never[])) as unknown as Chain
}

/** Writes a reference to a predicate. If `values` are passed, writes a call that returns a predicate instead. */
function predicate(plugin: Plugin, name: string, ...values: readonly (number | string)[]): Chain {
  const reference = $(symbolOf(plugin, name))
  return (values.length === 0
    ? reference
    : reference.call(...values.map((value) => $.fromValue(value)))) as unknown as Chain
}

function symbolOf(plugin: Plugin, name: string): ReturnType<Plugin['symbolOnce']> {
  return plugin.symbolOnce(name, { external: './predicates.gen.ts', meta: { resource: 'predicate', name } })
}

/** The functions that test assertions, with their messages. Assertions that hold for every value need no function. */
export function testsOf(
  assertions: readonly Assertion[],
  quick: QuickChecks,
  type: string,
): NonNullable<Rules['tests']> {
  return assertions.flatMap((assertion) => {
    const name = quick.assertion(assertion, `${type}${pascalCase(assertion.assert)}`)
    return name === undefined ? [] : [{ name, message: MESSAGES[assertion.assert] }]
  })
}

const MESSAGES: { readonly [assertion in Assertion['assert']]: string } = {
  not: 'must not match the schema under `not`',
  allOf: 'must match every schema in `allOf`',
  oneOf: 'must match exactly one schema in `oneOf`',
  if: 'must match `then` if it matches `if`, and `else` otherwise',
  values: 'must be one of the listed values',
  properties: 'has a property that its schema does not accept',
  required: 'lacks a required property',
  propertyNames: 'has a property with a name that is not allowed',
  dependentRequired: 'lacks a property that another property requires',
  dependentSchema: 'must match the schema that one of its properties requires',
  items: 'has an item that its schema does not accept',
  contains: 'has too few or too many items that match `contains`',
  unevaluatedProperties: 'has a property that no schema describes',
  unevaluatedItems: 'has an item that no schema describes',
}
