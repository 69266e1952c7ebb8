import * as fc from 'fast-check'

import { type Json, type JsonObject, asList, asObject, isList, isObject } from '../../src/read/json.ts'

/** Follows a reference to a component. */
export type Resolve = (raw: Json) => Json

/** Names of properties. `__proto__` isn't among them; it has a separate test. */
const names = fc
  .oneof(fc.string({ maxLength: 6 }), fc.constantFrom('id', 'data', 'a', '0'))
  .filter((name) => name !== '__proto__')

/** Any JSON value. */
export const anyJson: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, '', 'a'),
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(names, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json

const numbers = fc.oneof(
  fc.integer({ min: -20, max: 120 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 0.5, 1.1, 99.99, 2 ** 31, -(2 ** 31), 2 ** 53 + 2, 1e300),
)

const addresses = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.webUrl({ validSchemes: ['https'] }),
  fc.constantFrom(
    'https://a.example/x?y=1#z', 'mailto:a@b.example', 'urn:a', 'a:', '//a', 'https://', 'https:///', 'HTTPS://A',
    'http://[::1]:80/', 'http://[::g]/', 'http://[1:2:3:4:5:6:7:8]', 'http://[1::2:3:4:5:6:7:8]', 'http://[v1.a]/',
    'http://1.2.3.4', 'a:b c', 'https://ä.example', 'https://a.example/%zz', 'https://u:p@h:1/', 'a:/[::1]', 'x',
  ),
) // prettier-ignore

const pad = (value: number, width = 2) => String(value).padStart(width, '0')

/** A number between two limits, and sometimes one of the other numbers. */
const mostly = (min: number, max: number, ...others: readonly number[]) =>
  fc.oneof({ weight: 19, arbitrary: fc.integer({ min, max }) }, fc.constantFrom(...others))

/** Timestamps in the forms of ISO 8601, and some that are almost valid. */
export const isoTimestamps = fc
  .record({
    year: fc.constantFrom(1900, 1999, 2000, 2024, 2026),
    month: mostly(1, 12, 0, 13),
    day: mostly(1, 28, 0, 29, 30, 31, 32),
    hour: mostly(0, 23, 24, 25),
    minute: mostly(0, 59, 60),
    second: mostly(0, 60, 61),
    extended: fc.boolean(),
    mark: fc.constantFrom('T', 't', ' '),
    precision: fc.constantFrom<'date' | 'hour' | 'minute' | 'second'>(
      'date',
      'hour',
      'minute',
      'second',
      'second',
    ),
    fraction: fc.constantFrom('', '.5', ',125', '.123456789'),
    zone: fc.oneof(
      { weight: 19, arbitrary: fc.constantFrom('', 'Z', 'z', '+05', '-0530', '+05:30', '+23:59') },
      fc.constantFrom('+24', '-05:60', '+5'),
    ),
  })
  .map((parts) => {
    const { year, month, day, hour, minute, second, extended, mark, precision, fraction, zone } = parts
    const date = [pad(year, 4), pad(month), pad(day)].join(extended ? '-' : '')
    const times = [pad(hour), pad(minute), pad(second)].slice(
      0,
      ['hour', 'minute', 'second'].indexOf(precision) + 1,
    )
    const time = precision === 'date' ? '' : `${mark}${times.join(extended ? ':' : '')}${fraction}${zone}`
    // JavaScript's calendar decides whether the day exists.
    const shown = new Date(Date.UTC(year, month - 1, day))
    const isDay = shown.getUTCMonth() === month - 1 && shown.getUTCDate() === day
    const endOfDay = hour === 24 && times.slice(1).every((text) => text === '00') && fraction === ''
    const isTime =
      (hour < 24 || endOfDay) && (times.length < 2 || minute < 60) && (times.length < 3 || second < 61)
    const isZone = !['+24', '-05:60', '+5'].includes(zone)
    return { text: `${date}${time}`, valid: isDay && (precision === 'date' || (isTime && isZone)) }
  })

const days = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.oneof(
    fc.uuid(),
    fc.uuid().map((id) => id.toUpperCase()),
    fc.uuid().map((id) => `urn:uuid:${id}`),
  ),
  uri: addresses,
  'date-time': fc.oneof(
    isoTimestamps.map(({ text }) => text),
    days.map((day) => day.toISOString()),
  ),
  'iso-8601': isoTimestamps.map(({ text }) => text),
  date: fc.oneof(
    days.map((day) => day.toISOString().slice(0, 10)),
    fc.constantFrom('2026-02-29', '2024-02-29', '2026-13-01', '2026-00-10'),
  ),
}

/** Values that mostly match a schema, generated from its keywords. */
export function valuesFor(raw: Json, resolve: Resolve, depth = 0): fc.Arbitrary<Json> {
  const schema = resolve(raw)
  if (!isObject(schema) || depth > 6) return anyJson
  const inner = (child: Json | undefined) => valuesFor(child ?? true, resolve, depth + 1)
  const own = ownValues(schema, inner)
  const combined = combinedSchemas(schema).map(inner)
  return combined.length === 0 ? own : fc.oneof(own, fc.oneof(...combined), merged([own, ...combined]))
}

/** The schemas that a schema applies to the same value. */
function combinedSchemas(schema: JsonObject): Json[] {
  const single = ['not', 'if', 'then', 'else'].flatMap((key) => schema[key] ?? [])
  const dependent = isObject(schema['dependentSchemas']) ? Object.values(schema['dependentSchemas']) : []
  const isExcluded = excludedNames(schema['not']).length > 0
  return [...(isExcluded ? [] : single), ...dependent]
}

/** Objects that have the members of all values that are objects. */
function merged(parts: readonly fc.Arbitrary<Json>[]): fc.Arbitrary<Json> {
  return fc.tuple(...parts).map((values) => Object.assign({}, ...values.filter(isObject)) as Json)
}

function ownValues(
  schema: JsonObject,
  inner: (child: Json | undefined) => fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  const branches = schema['anyOf'] ?? schema['oneOf']
  const asserted = typesOf(schema)
  const own = asserted.length > 0 ? [fc.oneof(...asserted.map((type) => ofType(type, schema, inner)))] : []
  if (isList(branches)) {
    const each = branches.map(inner)
    return own.length === 0
      ? fc.oneof(...each)
      : fc.oneof(...each, ...own, ...each.map((one) => merged([...own, one])))
  }
  if (isList(schema['allOf'])) {
    const all = [...schema['allOf'].map(inner), ...own]
    return fc.oneof({ weight: 2, arbitrary: merged(all) }, ...all)
  }
  if (schema['const'] !== undefined) return fc.constant(schema['const'])
  if (isList(schema['enum'])) {
    const listed = fc.constantFrom(...schema['enum'])
    return schema['x-open-enum'] === true ? fc.oneof({ weight: 3, arbitrary: listed }, fc.string()) : listed
  }
  return own[0] ?? anyJson
}

/** The types that a schema names, or to which its keywords apply. */
function typesOf(schema: JsonObject): string[] {
  if (schema['type'] !== undefined)
    return (isList(schema['type']) ? schema['type'] : [schema['type']]).map(String)
  const about: Record<string, readonly string[]> = {
    object: ['properties', 'patternProperties', 'required', 'propertyNames', 'additionalProperties'],
    array: ['items', 'prefixItems', 'contains'],
    string: ['pattern', 'maxLength'],
  }
  return Object.keys(about).filter((type) => about[type]?.some((key) => schema[key] !== undefined))
}

function ofType(
  type: string,
  schema: JsonObject,
  inner: (child: Json | undefined) => fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  switch (type) {
    case 'string':
      return texts(schema)
    case 'number':
    case 'integer':
      return inRange(schema, type)
    case 'boolean':
      return fc.boolean()
    case 'array':
      return arrays(schema, inner)
    case 'object':
      return objects(schema, inner)
    default:
      return schema['type'] === undefined ? anyJson : fc.constant(null)
  }
}

function arrays(
  schema: JsonObject,
  inner: (child: Json | undefined) => fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  const minLength = Number(schema['minItems'] ?? 0)
  const item = schema['items'] === false ? anyJson : inner(schema['items'])
  const each = schema['contains'] === undefined ? item : fc.oneof(item, inner(schema['contains']))
  const maxLength = Math.max(minLength, Number(schema['maxItems'] ?? 3))
  const rest = fc.array(each, { minLength, maxLength })
  const first = isList(schema['prefixItems'])
    ? fc.tuple(...schema['prefixItems'].map(inner))
    : fc.constant([])
  const list = fc.tuple(first, rest).map(([start, others]) => [...start, ...others])
  return fc.oneof(
    { weight: 4, arbitrary: list },
    first,
    list.map((items) => [...items, ...items.slice(0, 1)]),
  )
}

function texts(schema: JsonObject): fc.Arbitrary<Json> {
  const { format, pattern, minLength = 0, maxLength } = schema
  const candidates: fc.Arbitrary<string>[] = []
  const known = formats[String(format)]
  if (known) candidates.push(known)
  if (typeof pattern === 'string') candidates.push(fc.stringMatching(new RegExp(pattern, 'u')))
  if (candidates.length > 0) return fc.oneof(...candidates)
  const [least, most] = [Number(minLength), Number(maxLength ?? Number(minLength) + 8)]
  const atTheLimits = [least - 1, least, most, most + 1]
    .filter((length) => length >= 0)
    .flatMap((length) => ['a'.repeat(length), '📄'.repeat(length)])
  return fc.oneof(
    fc.string({ unit: 'binary', minLength: least, maxLength: most }),
    fc.constantFrom(...atTheLimits),
  )
}

function inRange(schema: JsonObject, type: string): fc.Arbitrary<Json> {
  const step = Number(schema['multipleOf'] ?? 1)
  const least = Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? -10)
  const most = Number(schema['maximum'] ?? schema['exclusiveMaximum'] ?? least + 100)
  const whole = fc.integer({
    min: Math.ceil(least / step),
    max: Math.max(Math.ceil(least / step), Math.floor(most / step)),
  })
  return fc.oneof(
    whole.map((value) => value * step),
    fc.constantFrom(least, most),
    ...(type === 'number' ? [numbers] : []),
  )
}

function objects(
  schema: JsonObject,
  inner: (child: Json | undefined) => fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  const properties = asObject(schema['properties'])
  const required = asList(schema['required']).map(String)
  const members = Object.fromEntries(
    [...new Set([...Object.keys(properties), ...required])].map((name) => [name, inner(properties[name])]),
  )
  for (const name of excludedNames(schema['not']))
    members[name] ??= fc.oneof({ weight: 9, arbitrary: fc.constant(undefined as never) }, anyJson)
  const named = Object.entries(asObject(schema['patternProperties'])).map(([pattern, child]) =>
    fc.dictionary(matching(pattern), inner(child), { maxKeys: 2, noNullPrototype: true }),
  )
  const known = fc
    .record(members, { requiredKeys: required, noNullPrototype: true })
    .map((value) => Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)))
  const more = schema['additionalProperties']
  const others =
    more === false
      ? fc.constant({})
      : fc.dictionary(names, inner(more), {
          maxKeys: 2,
          minKeys: Number(schema['minProperties'] ?? 0),
          noNullPrototype: true,
        })
  return fc
    .tuple(others, known, fc.tuple(...named))
    .map(([extra, own, matched]) => Object.assign({}, extra, ...matched, own) as Json)
}

/** Names that match a pattern. */
function matching(pattern: string): fc.Arbitrary<string> {
  return fc.oneof(
    fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 8 }).filter((name) => name !== '__proto__'),
    fc.constantFrom('a', 'ab', 'd', 'id'),
  )
}

/** The names that `not` asks to be absent, together or alone. */
function excludedNames(not: Json | undefined): string[] {
  if (!isObject(not)) return []
  if (isList(not['anyOf'])) return not['anyOf'].flatMap(excludedNames)
  return asList(not['required']).map(String)
}
