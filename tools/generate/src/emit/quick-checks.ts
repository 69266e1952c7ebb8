import { type Check, type PlainSchema, type Rules, refName, rulesOf } from '../normalize/rules.ts'
import { printText } from './literal.ts'

/** What is true of no value, and of every one. */
const NEVER = 'false'
const ALWAYS = 'true'
/** Stands between parts that must all be true until they are printed; no literal holds it. */
const AND = '\0'

/**
 * Writes functions that say quickly whether a schema accepts a value. A function that says no may be wrong in rare
 * cases (the value is no plain JSON, say): the schema has the last word then. One that says yes never is.
 */
export class QuickChecks {
  readonly #schemas: ReadonlyMap<string, PlainSchema>
  /** The functions by their names; `undefined` while one is being written. */
  readonly #functions = new Map<string, string | undefined>()
  readonly #given = new Set<string>()
  /** The functions for schemas without a name, by what they test. */
  readonly #parts = new Map<string, string>()

  constructor(schemas: ReadonlyMap<string, PlainSchema>) {
    this.#schemas = schemas
  }

  /** The name of the function for a type; undefined where it could accept nothing. */
  of(type: string): string | undefined {
    const name = this.#named(type)
    if (this.#functions.get(name) === NEVER) return undefined
    this.#given.add(name)
    return name
  }

  /** The functions whose names were given out, and those that these use; without the predicates. */
  print(): string[] {
    const texts = new Map<string, string>()
    const add = (name: string): void => {
      const test = this.#functions.get(name)
      if (test === undefined || texts.has(name)) return
      const parameter = /\bvalue\b/.test(test) ? 'value: unknown' : ''
      // What has a name in the contract can be put to the test by itself.
      const exported = this.#schemas.has(name.slice('accepts'.length)) ? 'export ' : ''
      texts.set(name, `${exported}function ${name}(${parameter}): boolean {\n  return ${inLines(test)}\n}\n`)
      for (const [used] of test.matchAll(/\baccepts\w+\b/g)) add(used)
    }
    for (const name of this.#given) add(name)
    return [...texts.values()]
  }

  #named(type: string): string {
    const name = `accepts${type}`
    if (this.#functions.has(name)) return name
    this.#functions.set(name, undefined)
    this.#functions.set(name, this.#test(this.#schemas.get(type) ?? { enum: [] }, 'value', name))
    return name
  }

  /** An expression that is true only where `schema` accepts what stands in `value`. */
  #test(schema: PlainSchema, value: string, owner: string): string {
    const { type } = schema
    if (schema.$ref !== undefined) return this.#call(this.#named(refName(schema.$ref)), value)
    if (schema.anyOf !== undefined)
      return some(schema.anyOf.map((branch) => this.#test(branch, value, owner)))
    if (schema.allOf !== undefined)
      return every(schema.allOf.map((branch) => this.#test(branch, value, owner)))
    if (schema.const !== undefined) return `${value} === ${printValue(schema.const)}`
    if (schema.enum !== undefined) return some(schema.enum.map((each) => `${value} === ${printValue(each)}`))
    const rules = rulesOf(schema)
    if (rules.nothing === true) return `${value} === undefined`
    if (type === undefined) return Object.keys(rules).length === 0 ? ALWAYS : NEVER
    switch (type) {
      case 'string':
        if (rules.binary === true) return `isBinaryInput(${value})`
        if (rules.blob === true) return `isBlob(${value})`
        if (rules.bytes === true) return `isUint8Array(${value})`
        return every([`typeof ${value} === 'string'`, ...checkTests(rules, value)])
      case 'number':
      case 'integer':
        return every([
          `typeof ${value} === 'number'`,
          ...finiteTests(rules, value),
          ...checkTests(rules, value),
        ])
      case 'boolean':
        return `typeof ${value} === 'boolean'`
      case 'null':
        return `${value} === null`
      case 'array':
        return this.#array(schema, rules, value, owner)
      case 'object':
        return this.#object(schema, rules, value, owner)
    }
  }

  /** What a function says of `value`; for one that always says the same, that. */
  #call(name: string, value: string): string {
    const test = this.#functions.has(name) ? this.#functions.get(name) : name
    return test === NEVER || test === ALWAYS ? test : `${name}(${value})`
  }

  #array({ items = {} }: PlainSchema, rules: Rules, value: string, owner: string): string {
    const item = this.#function(items, owner)
    const each =
      item === ALWAYS ? [] : item === NEVER ? [`${value}.length === 0`] : [`hasItemsOf(${value}, ${item})`]
    // The items first: what is asked of all of them takes them for what they should be.
    return every([`Array.isArray(${value})`, ...each, ...checkTests(rules, value)])
  }

  #object(schema: PlainSchema, rules: Rules, value: string, owner: string): string {
    const { properties = {}, required = [], additionalProperties = {} } = schema
    const names = Object.keys(properties)
    // Never beside named properties: the contract would have been refused.
    if (Object.keys(additionalProperties).length > 0)
      return this.#map(additionalProperties, rules, value, owner)
    // One inside another is a function of its own, so that none is looked up twice.
    if (value !== 'value') return this.#call(this.#function(schema, owner), value)
    const tests = Object.entries(properties).map(([name, property]) => {
      if (name === '__proto__') return NEVER
      const test = this.#test(property, place(name), owner)
      if (!required.includes(name)) return some([`${place(name)} === undefined`, test])
      const isThere = test === ALWAYS || rules.present?.includes(name)
      return isThere ? every([`${place(name)} !== undefined`, test]) : test
    })
    const only = rules.closed === true ? [`hasOnly(${['value', ...names.map(printText)].join(', ')})`] : []
    const apart = (rules.exclusive ?? []).map((group) =>
      some(group.map((name) => `${place(name)} === undefined`)),
    )
    return every(['isRecord(value)', ...tests, ...only, ...apart, ...checkTests(rules, value)])
  }

  #map(values: PlainSchema, rules: Rules, value: string, owner: string): string {
    const each = this.#function(values, owner)
    return every([
      `isMapOf(${value}, ${each === ALWAYS || each === NEVER ? `() => ${each}` : each})`,
      ...checkTests(rules, value),
    ])
  }

  #isTaken(name: string): boolean {
    return this.#functions.has(name) || this.#schemas.has(name.slice('accepts'.length))
  }

  /** The function for a schema without a name; its verdict where that is always the same. */
  #function(schema: PlainSchema, owner: string): string {
    if (schema.$ref !== undefined) {
      const name = this.#named(refName(schema.$ref))
      const test = this.#functions.get(name)
      return test === NEVER || test === ALWAYS ? test : name
    }
    let name = owner
    // No type has the name of a part of another.
    for (let count = 1; this.#isTaken(name); count += 1) name = `${owner}_${count}`
    this.#functions.set(name, undefined)
    const test = this.#test(schema, 'value', name)
    // Many parts are alike: an identifier in a path, a list of texts.
    const same = test === NEVER || test === ALWAYS ? test : this.#parts.get(test)
    if (same !== undefined) {
      this.#functions.delete(name)
      return same
    }
    this.#parts.set(test, name)
    this.#functions.set(name, test)
    return name
  }
}

/** A long expression has a part on each line. */
function inLines(test: string): string {
  const line = test.replaceAll(AND, ' && ')
  return line.length < 100 ? line : `(\n    ${test.replaceAll(AND, ' &&\n    ')}\n  )`
}

/** A property of the value that a function looks at. */
function place(name: string): string {
  return `value[${printText(name)}]`
}

function every(tests: readonly string[]): string {
  if (tests.includes(NEVER)) return NEVER
  const left = tests.filter((test) => test !== ALWAYS)
  return left.length === 0
    ? ALWAYS
    : left.map((test) => (test.includes(' || ') ? `(${test})` : test)).join(AND)
}

function some(tests: readonly string[]): string {
  if (tests.includes(ALWAYS)) return ALWAYS
  const left = tests.filter((test) => test !== NEVER)
  return left.length === 0
    ? NEVER
    : left.map((test) => (test.includes(AND) ? `(${test.replaceAll(AND, ' && ')})` : test)).join(' || ')
}

function printValue(value: string | number | boolean | null): string {
  return typeof value === 'string' ? printText(value) : JSON.stringify(value)
}

/** A whole number is finite anyway. */
function finiteTests({ checks = [] }: Rules, value: string): string[] {
  return checks.some(({ check }) => check === 'integer' || check === 'int32')
    ? []
    : [`Number.isFinite(${value})`]
}

/** The checks of a value that has the right type already. */
function checkTests({ checks = [] }: Rules, value: string): string[] {
  return checks.map((each) => checkTest(each, value))
}

function checkTest(check: Check, value: string): string {
  switch (check.check) {
    case 'integer':
      return `Number.isInteger(${value})`
    case 'int32':
      return `isInt32(${value})`
    case 'uuid':
      return `isUuid(${value})`
    case 'date':
      return `isDate(${value})`
    case 'dateTime':
      return `isDateTime(${value})`
    case 'uri':
      return `isUri(${value})`
    case 'unique':
      return `hasUniqueItems(${value})`
    case 'pattern':
      return `${String(new RegExp(check.value, 'u'))}.test(${value})`
    case 'multipleOf':
      return `Number.isInteger(${value} / ${check.value})`
    case 'minimum':
      return `${value} >= ${check.value}`
    case 'maximum':
      return `${value} <= ${check.value}`
    case 'exclusiveMinimum':
      return `${value} > ${check.value}`
    case 'exclusiveMaximum':
      return `${value} < ${check.value}`
    case 'minItems':
      return `${value}.length >= ${check.value}`
    case 'maxItems':
      return `${value}.length <= ${check.value}`
    case 'minProperties':
      return `Object.keys(${value}).length >= ${check.value}`
    case 'maxProperties':
      return `Object.keys(${value}).length <= ${check.value}`
    // A character has one or two units of length, and a text that is not empty has one character at least.
    case 'minCodePoints':
      if (check.value <= 1) return `${value}.length >= ${check.value}`
      return `${value}.length >= ${check.value * 2} || hasMinCodePoints(${check.value})(${value})`
    case 'maxCodePoints':
      return `${value}.length <= ${check.value} || hasMaxCodePoints(${check.value})(${value})`
  }
}
