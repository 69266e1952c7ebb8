import { $, type Plugins, type TypeTsDsl } from '@hey-api/openapi-ts'

import { type Rules, rulesOf } from '../normalize/rules.ts'

type Resolvers = Plugins.HeyApiTypeScript.Resolvers
type UnionContext = Parameters<NonNullable<Resolvers['union']>>[0]
type ObjectContext = Parameters<NonNullable<Resolvers['object']>>[0]

/**
 * Each function turns a schema from the input of hey-api (a `PlainSchema`) into a TypeScript type. If a function
 * returns undefined, hey-api writes the type itself.
 */
export const typeResolvers: Resolvers = {
  string(ctx) {
    const rules = rulesOf(ctx.schema)
    if (rules.reference) return $.type(rules.reference.type)
    if (rules.never || rules.noneOf) return $.type('never')
    if (rules.onlyNull) return $.type.literal(null)
    if (rules.binary) return $.type('BinaryInput')
    if (rules.blob) return $.type('Blob')
    if (rules.bytes) return $.type('Uint8Array')
    if (rules.openEnum) return openEnum(rules.openEnum)
    if (rules.mediaRange) return $.type(rangeType(rules.mediaRange))
    return undefined
  },
  object: (ctx) => objectType(ctx),
  union: (ctx) => union(ctx),
  unknown: (ctx) => (rulesOf(ctx.schema).nothing ? $.type('undefined') : undefined),
}

/** Writes a media range as a type: `image/*` becomes `` `image/${string}` ``. */
function rangeType(range: string): string {
  return /^[\w.+/*-]+$/.test(range) ? `\`${range.replaceAll('*', '${string}')}\`` : 'string'
}

/**
 * Adds discriminator values to the types of branches whose schemas don't list these values, so that TypeScript can
 * narrow the union.
 */
function union(ctx: UnionContext): TypeTsDsl | undefined {
  const { discriminator } = rulesOf(ctx.parentSchema)
  if (discriminator === undefined) return undefined
  if (discriminator.unsaid.length === 0 && !discriminator.isFamily) return undefined
  if (ctx.childResults.length !== discriminator.values.length) return undefined
  const branches = ctx.childResults.map(({ type }, index) => {
    if (!discriminator.unsaid.includes(index)) return type
    const values = (discriminator.values[index] ?? []).map((value) => $.type.literal(value))
    const named = $.type
      .object()
      .prop(discriminator.property, (property) => property.required(true).type($.type.or(...values)))
    return $.type.and(named, type)
  })
  const isApart = discriminator.isFamily && discriminator.values.at(-1)?.length === 0
  return $.type.or(...(isApart ? branches.slice(0, -1) : branches))
}

function openEnum(values: readonly string[]): TypeTsDsl {
  return $.type.or(
    ...values.map((value) => $.type.literal(value)),
    $.type.and($.type('string'), $.type.object()),
  )
}

function objectType(ctx: ObjectContext): TypeTsDsl | undefined {
  const rules = rulesOf(ctx.schema)
  if (rules.noParts) return $.type('Record').generics('string', 'never')
  const names = Object.keys(ctx.schema.properties ?? {})
  if (names.length === 0) return undefined
  const group = rules.exclusive?.find((one) => one.length > 1)
  if (!group) return members(ctx, rules, names)
  const variants = group
    .filter((name) => !ctx.schema.required?.includes(name))
    .map((absent) => members(ctx, rules, group, absent))
  const either = $.type.or(...variants)
  const others = names.filter((name) => !group.includes(name))
  const excludesOne = rules.exclusive?.some((one) => one.length === 1) ?? false
  return others.length === 0 && !excludesOne ? either : $.type.and(members(ctx, rules, others), either)
}

/** An optional property also accepts undefined, because clients don't send properties that are undefined. */
function members(ctx: ObjectContext, rules: Rules, names: readonly string[], absent?: string): TypeTsDsl {
  const shape = $.type.object()
  for (const [name, schema] of Object.entries(ctx.schema.properties ?? {})) {
    if (!names.includes(name)) continue
    const isRequired = ctx.schema.required?.includes(name) ?? false
    const { type } = ctx.walk(schema, { path: ctx.path, plugin: ctx.plugin })
    shape.prop(name, (property) => {
      const described =
        name === absent || (schema.description === undefined && schema.deprecated !== true)
          ? property
          : property.doc(docLines(schema.description, schema.deprecated))
      if (name === absent) described.required(false).type($.type('undefined'))
      else described.required(isRequired).type(isRequired ? type : $.type.or(type, $.type('undefined')))
    })
  }
  for (const [excluded, ...others] of absent === undefined ? (rules.exclusive ?? []) : []) {
    if (excluded === undefined || others.length > 0) continue
    shape.prop(excluded, (property) =>
      property.doc(['Must be absent.']).required(false).type($.type('undefined')),
    )
  }
  return shape
}

function docLines(description: string | undefined, deprecated: boolean | undefined): string[] {
  const lines = description?.split('\n') ?? []
  return deprecated === true ? [...lines, ...(lines.length > 0 ? [''] : []), '@deprecated'] : lines
}
