import type { Problems } from '../problems.ts'
import { childPointer } from '../read/pointer.ts'
import type { Json, JsonObject, Source } from '../read/source.ts'
import { docText } from './docs.ts'
import {
  annotations,
  besideRef,
  keywordsOfType,
  openNumberFormats,
  refusals,
  stringFormats,
} from './keywords.ts'
import { type Check, type PlainSchema, type Rules, rulesKey } from './rules.ts'

/** Where a schema is used, as far as that changes what it means. */
export interface SchemaUse {
  /** A multipart form, or one part of it: a part that holds bytes becomes {@link Rules.binary}. */
  readonly as?: 'form' | 'part'
}

/**
 * Turns the schemas of a contract into schemas of the synthesized document. Every keyword is either carried over,
 * in full, or reported as a problem with its place; none is dropped.
 */
export class SchemaReader {
  readonly #source: Source
  readonly #problems: Problems

  constructor(source: Source, problems: Problems) {
    this.#source = source
    this.#problems = problems
  }

  /** The schema at `pointer`, whose value is `raw`. */
  read(raw: Json | undefined, pointer: string, use: SchemaUse = {}): PlainSchema {
    if (raw === true) return {}
    if (!isObject(raw)) {
      const reason =
        raw === false ? 'a schema that accepts nothing cannot be expressed' : 'this is not a schema'
      return this.#refuse(pointer, reason)
    }
    const described = this.#assertions(raw, pointer, use)
    const description = docText(raw)
    if (description !== undefined) described.description = description
    if (raw['deprecated'] === true) described.deprecated = true
    return described
  }

  /** The raw component that a `$ref` names, or undefined (which is reported where the reference is read). */
  target(reference: string): { name: string; raw: Json; pointer: string } | undefined {
    const match = /^#\/components\/schemas\/([^/]+)$/.exec(reference)
    if (!match) return undefined
    const name = decodeURIComponent(match[1]!)
    const schemas = (this.#source.value['components'] as JsonObject | undefined)?.['schemas']
    if (!isObject(schemas) || schemas[name] === undefined) return undefined
    return { name, raw: schemas[name], pointer: childPointer('#/components/schemas', name) }
  }

  #assertions(raw: JsonObject, pointer: string, use: SchemaUse): PlainSchema {
    const keywords = Object.keys(raw).filter((key) => !annotations.has(key) && !key.startsWith('x-'))
    if (keywords.includes('$ref')) return this.#reference(raw, pointer, keywords)
    const combined = ['anyOf', 'oneOf', 'allOf'].filter((key) => keywords.includes(key))
    if (combined.length > 0) return this.#combination(raw, pointer, keywords, combined)
    return this.#typed(raw, pointer, keywords, use)
  }

  #reference(raw: JsonObject, pointer: string, keywords: readonly string[]): PlainSchema {
    const reference = String(raw['$ref'])
    for (const key of keywords) {
      if (key === '$ref') continue
      this.#refuse(
        childPointer(pointer, key),
        `\`${key}\` beside \`$ref\`: only a description may stand there`,
      )
    }
    for (const key of Object.keys(raw)) {
      if (annotations.has(key) && !besideRef.has(key)) {
        this.#refuse(
          childPointer(pointer, key),
          `\`${key}\` beside \`$ref\` has no effect; put it into the component`,
        )
      }
    }
    if (!this.target(reference)) {
      return this.#refuse(
        childPointer(pointer, '$ref'),
        `\`${reference}\` is not a component of this file; refer to #/components/schemas/<name>`,
      )
    }
    return { $ref: reference }
  }

  #combination(raw: JsonObject, pointer: string, keywords: string[], combined: string[]): PlainSchema {
    const key = combined[0]!
    const list = raw[key]
    const at = childPointer(pointer, key)
    if (!Array.isArray(list) || list.length === 0)
      return this.#refuse(at, `\`${key}\` needs a list of schemas`)
    for (const other of keywords) {
      if (other === key) continue
      this.#refuse(childPointer(pointer, other), `\`${other}\` beside \`${key}\`: write it into each branch`)
    }
    if (keywords.length > 1) return {}
    const branches = list.map((branch: Json, index) => this.read(branch, childPointer(at, index)))
    if (key === 'allOf') return this.#intersection(list, branches, at)
    if (key === 'oneOf') this.#checkDisjoint(list, at)
    return branches.length === 1 ? branches[0]! : { anyOf: branches }
  }

  #intersection(list: readonly Json[], branches: PlainSchema[], at: string): PlainSchema {
    list.forEach((branch, index) => {
      const kind = this.#resolve(branch)
      if (!isObject(kind) || kind['type'] !== 'object') {
        this.#refuse(childPointer(at, index), '`allOf` can only combine objects')
      } else if (kind['additionalProperties'] !== undefined && kind['additionalProperties'] !== true) {
        this.#refuse(
          childPointer(at, index),
          '`allOf` can only combine open objects without `additionalProperties`',
        )
      }
    })
    return branches.length === 1 ? branches[0]! : { allOf: branches }
  }

  /** `oneOf` means "exactly one", a union means "at least one": the same only where no value fits two branches. */
  #checkDisjoint(list: readonly Json[], at: string): void {
    for (let first = 0; first < list.length; first++) {
      for (let second = first + 1; second < list.length; second++) {
        if (disjoint(this.#resolve(list[first]!), this.#resolve(list[second]!), (raw) => this.#resolve(raw)))
          continue
        this.#refuse(
          at,
          `\`oneOf\`: a value could fit branch ${first} and branch ${second}, which a union cannot refuse; use anyOf, ` +
            'or give both branches a required property with a different const',
        )
        return
      }
    }
  }

  #resolve(raw: Json): Json {
    let current = raw
    for (let depth = 0; depth < 50 && isObject(current) && typeof current['$ref'] === 'string'; depth++) {
      const target = this.target(current['$ref'])
      if (!target) return current
      current = target.raw
    }
    return current
  }

  #typed(raw: JsonObject, pointer: string, keywords: readonly string[], use: SchemaUse): PlainSchema {
    const types = this.#types(raw, pointer)
    const allowed = new Set(['type', 'const', 'enum', ...types.flatMap((type) => keywordsOfType[type] ?? [])])
    for (const key of keywords) {
      if (allowed.has(key)) continue
      this.#refuse(childPointer(pointer, key), `\`${key}\`: ${this.#whyNot(key, types)}`)
    }
    if (types.length === 0) return {}
    const branches = types.flatMap((type) => this.#ofType(type, raw, pointer, types.length > 1, use))
    if (branches.length === 0) return this.#refuse(pointer, 'no value fits both `type` and the listed values')
    return branches.length === 1 ? branches[0]! : { anyOf: branches }
  }

  #whyNot(key: string, types: readonly string[]): string {
    if (refusals[key]) return refusals[key]
    const owners = Object.keys(keywordsOfType).filter((type) => keywordsOfType[type]!.includes(key))
    if (owners.length === 0) return 'the generator does not know this keyword'
    return types.length === 0
      ? `without \`type\` it would hold for some types only; add type: ${owners[0]}`
      : `it has no effect on type ${types.join(', ')}`
  }

  #types(raw: JsonObject, pointer: string): string[] {
    const type = raw['type']
    const named: readonly Json[] = type === undefined ? [] : Array.isArray(type) ? type : [type]
    const unknown = named.find((name) => typeof name !== 'string' || keywordsOfType[name] === undefined)
    if (unknown !== undefined || (type !== undefined && named.length === 0)) {
      this.#refuse(childPointer(pointer, 'type'), `\`${JSON.stringify(type)}\` is not a type of JSON Schema`)
      return []
    }
    if (named.length > 0) {
      const types = new Set(named as string[])
      if (types.has('number')) types.delete('integer')
      return [...types]
    }
    const values = listedValues(raw)
    return values ? [...new Set(values.map(typeOfValue))] : []
  }

  #ofType(type: string, raw: JsonObject, pointer: string, oneOfMany: boolean, use: SchemaUse): PlainSchema[] {
    const listed = this.#listed(type, raw, pointer)
    if (listed) return listed
    const rules: { -readonly [Key in keyof Rules]: Rules[Key] } = {}
    const schema: PlainSchema = { type: type as NonNullable<PlainSchema['type']> }
    switch (type) {
      case 'string':
        if (use.as === 'part' && isBytes(raw)) {
          if (oneOfMany)
            this.#refuse(childPointer(pointer, 'type'), 'a part that holds bytes can be nothing else')
          rules.binary = true
        }
        rules.checks = this.#stringChecks(raw, pointer)
        break
      case 'number':
      case 'integer':
        rules.checks = this.#numberChecks(type, raw, pointer, oneOfMany)
        break
      case 'array':
        if (raw['items'] !== undefined) schema.items = this.read(raw['items'], childPointer(pointer, 'items'))
        else schema.items = {}
        rules.checks = [
          ...this.#limit(raw, pointer, 'minItems'),
          ...this.#limit(raw, pointer, 'maxItems'),
          ...(raw['uniqueItems'] === true ? [{ check: 'unique' } as const] : []),
        ]
        break
      case 'object':
        this.#object(raw, pointer, schema, rules, use)
        break
    }
    if (rules.checks?.length === 0) delete rules.checks
    if (Object.keys(rules).length > 0) schema[rulesKey] = rules
    return [schema]
  }

  /** What `const` and `enum` make of one type; undefined without them. */
  #listed(type: string, raw: JsonObject, pointer: string): PlainSchema[] | undefined {
    const values = listedValues(raw)
    if (!values) {
      if (raw['enum'] !== undefined)
        return [this.#refuse(childPointer(pointer, 'enum'), '`enum` needs a list of values')]
      return undefined
    }
    const keyword = raw['const'] === undefined ? 'enum' : 'const'
    if (keyword === 'const' && raw['enum'] !== undefined) {
      this.#refuse(childPointer(pointer, 'enum'), '`enum` beside `const`: write the one that is meant')
    }
    for (const key of Object.keys(raw)) {
      if (key === 'type' || key === keyword || key === 'enum' || annotations.has(key) || key.startsWith('x-'))
        continue
      this.#refuse(
        childPointer(pointer, key),
        `\`${key}\` beside \`${keyword}\`: list the values that it leaves`,
      )
    }
    if (values.some((value) => typeof value === 'object' && value !== null)) {
      return [
        this.#refuse(
          childPointer(pointer, keyword),
          `\`${keyword}\` can only list text, numbers, booleans and null`,
        ),
      ]
    }
    const fitting = values.filter((value) => fitsType(value, type)) as (string | number | boolean | null)[]
    if (fitting.length === 0) return []
    const named = type as NonNullable<PlainSchema['type']>
    if (type === 'null') return [{ type: named }]
    if (raw['x-open-enum'] === true) {
      if (type !== 'string' || keyword !== 'enum') {
        this.#refuse(childPointer(pointer, 'x-open-enum'), 'only an enum of strings can be open')
      }
      return [{ type: 'string', [rulesKey]: { openEnum: fitting as string[] } }]
    }
    if (fitting.length === 1) return [{ type: named, const: fitting[0]! }]
    return [{ type: named, enum: fitting as (string | number | boolean)[] }]
  }

  #stringChecks(raw: JsonObject, pointer: string): Check[] {
    const checks: Check[] = []
    const format = raw['format']
    if (format !== undefined) {
      const check = stringFormats[String(format)]
      if (check) checks.push({ check })
      else
        this.#refuse(
          childPointer(pointer, 'format'),
          `\`format: ${String(format)}\` has no check in this generator`,
        )
    }
    for (const [key, check] of [
      ['minLength', 'minCodePoints'],
      ['maxLength', 'maxCodePoints'],
    ] as const) {
      for (const { value } of this.#limit(raw, pointer, key)) checks.push({ check, value })
    }
    if (raw['pattern'] !== undefined) {
      const pattern = raw['pattern']
      try {
        checks.push({ check: 'pattern', value: new RegExp(String(pattern), 'u') && String(pattern) })
      } catch (error) {
        this.#refuse(
          childPointer(pointer, 'pattern'),
          `\`pattern\` is not valid with the u flag: ${String(error)}`,
        )
      }
    }
    return checks
  }

  #numberChecks(type: string, raw: JsonObject, pointer: string, oneOfMany: boolean): Check[] {
    const checks: Check[] = type === 'integer' ? [{ check: 'integer' }] : []
    const format = raw['format']
    if (format === 'int32') checks.push({ check: 'int32' })
    else if (format === 'int64') checks.push({ check: 'integer' })
    else if (
      format !== undefined &&
      !openNumberFormats.has(String(format)) &&
      !(oneOfMany && stringFormats[String(format)])
    ) {
      this.#refuse(
        childPointer(pointer, 'format'),
        `\`format: ${String(format)}\` has no check in this generator`,
      )
    }
    for (const key of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const) {
      const value = raw[key]
      if (value === undefined) continue
      if (typeof value !== 'number' || (key === 'multipleOf' && value <= 0)) {
        this.#refuse(
          childPointer(pointer, key),
          `\`${key}\` needs a ${key === 'multipleOf' ? 'positive ' : ''}number`,
        )
      } else checks.push({ check: key, value })
    }
    return checks.filter((check, index) => checks.findIndex((other) => other.check === check.check) === index)
  }

  #limit<Key extends 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'minProperties' | 'maxProperties'>(
    raw: JsonObject,
    pointer: string,
    check: Key,
  ): { check: Key; value: number }[] {
    const value = raw[check]
    if (value === undefined) return []
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return [{ check, value }]
    this.#refuse(childPointer(pointer, check), `\`${check}\` needs a whole number`)
    return []
  }

  #object(
    raw: JsonObject,
    pointer: string,
    schema: PlainSchema,
    rules: { -readonly [Key in keyof Rules]: Rules[Key] },
    use: SchemaUse,
  ): void {
    const properties = this.#properties(raw, pointer, use)
    const required = this.#required(raw, pointer)
    const loose: string[] = []
    for (const name of required) {
      const own = isObject(raw['properties']) ? raw['properties'][name] : undefined
      if (own === undefined) properties[name] = {}
      if (own === undefined || this.acceptsAbsence(own)) loose.push(name)
    }
    const more = raw['additionalProperties']
    if (more === false) rules.closed = true
    else if (more !== undefined && more !== true) {
      if (Object.keys(properties).length > 0) {
        this.#refuse(
          childPointer(pointer, 'additionalProperties'),
          '`additionalProperties` with a schema beside `properties` has no type in TypeScript; leave one of them out',
        )
      } else {
        const at = childPointer(pointer, 'additionalProperties')
        schema.additionalProperties = this.read(more, at)
      }
    }
    if (Object.keys(properties).length > 0) schema.properties = properties
    if (required.length > 0) schema.required = required
    if (loose.length > 0) rules.present = loose
    rules.checks = [
      ...this.#limit(raw, pointer, 'minProperties'),
      ...this.#limit(raw, pointer, 'maxProperties'),
    ]
    if (raw['not'] !== undefined) this.#exclusion(raw['not'], pointer, properties, required, rules)
  }

  #properties(raw: JsonObject, pointer: string, use: SchemaUse): Record<string, PlainSchema> {
    const properties: Record<string, PlainSchema> = {}
    const listed = raw['properties']
    if (listed === undefined) return properties
    if (!isObject(listed)) {
      this.#refuse(childPointer(pointer, 'properties'), '`properties` needs an object')
      return properties
    }
    for (const [name, property] of Object.entries(listed)) {
      const at = childPointer(pointer, 'properties', name)
      if (name === '__proto__') this.#refuse(at, 'a property of this name cannot be read safely')
      properties[name] = this.read(property, at, use.as === 'form' ? { as: 'part' } : {})
    }
    return properties
  }

  #required(raw: JsonObject, pointer: string): string[] {
    const required = raw['required']
    if (required === undefined) return []
    if (Array.isArray(required) && required.every((name: Json) => typeof name === 'string'))
      return [...new Set(required as string[])]
    this.#refuse(childPointer(pointer, 'required'), '`required` needs a list of names')
    return []
  }

  /** `not: {required: [a, b]}` is the one form of `not` that has a meaning in types: not all of them together. */
  #exclusion(
    not: Json,
    pointer: string,
    properties: Record<string, PlainSchema>,
    required: readonly string[],
    rules: { -readonly [Key in keyof Rules]: Rules[Key] },
  ): void {
    const at = childPointer(pointer, 'not')
    const names = isObject(not) && Object.keys(not).length === 1 ? not['required'] : undefined
    if (!Array.isArray(names) || names.length < 2 || !names.every((name: Json) => typeof name === 'string')) {
      this.#refuse(at, '`not` can only be expressed as not: {required: [two or more names]}')
      return
    }
    const group = names as string[]
    const missing = group.find((name) => properties[name] === undefined)
    if (missing !== undefined)
      this.#refuse(at, `\`not\` names \`${missing}\`, which is not one of the properties`)
    else if (group.every((name) => required.includes(name)))
      this.#refuse(at, '`not` excludes what `required` asks for')
    else rules.exclusive = [group]
  }

  /** Whether a schema would accept that the value is missing, which JSON Schema tells apart and zod does not. */
  acceptsAbsence(raw: Json, seen: readonly string[] = []): boolean {
    if (!isObject(raw)) return true
    if (typeof raw['$ref'] === 'string') {
      const target = this.target(raw['$ref'])
      if (!target || seen.includes(target.name)) return false
      return this.acceptsAbsence(target.raw, [...seen, target.name])
    }
    const branches = raw['anyOf'] ?? raw['oneOf']
    if (Array.isArray(branches)) return branches.some((branch: Json) => this.acceptsAbsence(branch, seen))
    return (
      raw['type'] === undefined &&
      raw['const'] === undefined &&
      raw['enum'] === undefined &&
      raw['allOf'] === undefined
    )
  }

  #refuse(pointer: string, reason: string): PlainSchema {
    this.#problems.add(this.#source.place(pointer), reason)
    return {}
  }
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a schema stands for bytes where bytes can be sent. */
export function isBytes(raw: Json | undefined): boolean {
  return (
    isObject(raw) &&
    raw['contentMediaType'] === 'application/octet-stream' &&
    raw['contentEncoding'] === undefined
  )
}

function listedValues(raw: JsonObject): readonly Json[] | undefined {
  if (raw['const'] !== undefined) return [raw['const']]
  return Array.isArray(raw['enum']) && raw['enum'].length > 0 ? raw['enum'] : undefined
}

function typeOfValue(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function fitsType(value: Json, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOfValue(value) === type
}

/** Whether no value can fit both schemas, as far as types and const properties show it. */
function disjoint(first: Json, second: Json, resolve: (raw: Json) => Json): boolean {
  if (!isObject(first) || !isObject(second)) return false
  const [firstTypes, secondTypes] = [typesOf(first), typesOf(second)]
  if (!firstTypes || !secondTypes) return false
  if (firstTypes.every((type) => !secondTypes.includes(type))) return true
  if (firstTypes.join() !== 'object' || secondTypes.join() !== 'object') {
    const [firstValues, secondValues] = [closedValues(first), closedValues(second)]
    return !!firstValues && !!secondValues && firstValues.every((value) => !secondValues.includes(value))
  }
  return requiredNames(first).some((name) => {
    if (!requiredNames(second).includes(name)) return false
    const [own, other] = [resolve(property(first, name)), resolve(property(second, name))]
    const [ownValues, otherValues] = [
      isObject(own) && closedValues(own),
      isObject(other) && closedValues(other),
    ]
    return !!ownValues && !!otherValues && ownValues.every((value) => !otherValues.includes(value))
  })
}

function closedValues(raw: JsonObject): readonly Json[] | undefined {
  return raw['x-open-enum'] === true ? undefined : listedValues(raw)
}

function typesOf(raw: JsonObject): string[] | undefined {
  const type = raw['type']
  const names = Array.isArray(type)
    ? (type as string[])
    : typeof type === 'string'
      ? [type]
      : listedValues(raw)?.map(typeOfValue)
  return names?.map((name) => (name === 'integer' ? 'number' : name))
}

function requiredNames(raw: JsonObject): readonly Json[] {
  return Array.isArray(raw['required']) ? raw['required'] : []
}

function property(raw: JsonObject, name: Json): Json {
  return isObject(raw['properties']) ? (raw['properties'][String(name)] ?? null) : null
}
