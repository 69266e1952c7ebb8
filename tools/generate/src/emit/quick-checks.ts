import { type PlainSchema, type Rules, refName, rulesOf } from '../normalize/rules.ts'
import { printText } from './literal.ts'

/** What is true of no value, and of every one. */
const NEVER = 'false'
const ALWAYS = 'true'
/** Stands between parts that must all be true until they are printed; no literal holds it. */
const AND = '\0'

/**
 * Writes functions that say quickly whether a schema certainly accepts a value that was read from JSON. What a function
 * does not accept is left to the schema; so whatever cannot be told in a few words is not told at all.
 */
export class QuickChecks {
  readonly #schemas: ReadonlyMap<string, PlainSchema>
  /** The functions by their names; `undefined` while one is being written. */
  readonly #functions = new Map<string, string | undefined>()
  readonly #given = new Set<string>()

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

  /** The functions whose names were given out, and what these use. */
  print(): string[] {
    const texts = new Map<string, string>()
    const add = (name: string): void => {
      const test = this.#functions.get(name)
      if (test === undefined || texts.has(name)) return
      const parameter = /\bvalue\b/.test(test) ? 'value: unknown' : ''
      texts.set(name, `function ${name}(${parameter}): boolean {\n  return ${inLines(test)}\n}\n`)
      for (const [used] of test.matchAll(/\baccepts\w+\b/g)) add(used)
    }
    for (const name of this.#given) add(name)
    const all = [...texts.values()]
    return all.some((text) => text.includes('isRecord(')) ? [...all, isRecord] : all
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
    if (type === undefined) return Object.keys(rules).length === 0 ? ALWAYS : NEVER
    switch (type) {
      case 'string':
        return every([`typeof ${value} === 'string'`, ...textTests(rules, value)])
      case 'number':
      case 'integer':
        return every([numberTest(type, value), ...numberTests(rules, value)])
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
      item === ALWAYS ? [] : item === NEVER ? [`${value}.length === 0`] : [`${value}.every(${item})`]
    return every([`Array.isArray(${value})`, ...lengthTests(rules, value), ...each])
  }

  #object(schema: PlainSchema, rules: Rules, value: string, owner: string): string {
    const { properties = {}, required = [], additionalProperties } = schema
    const { checks = [], closed, exclusive = [] } = rules
    const isOpen = additionalProperties === undefined || Object.keys(additionalProperties).length === 0
    if (checks.length > 0 || closed === true || exclusive.length > 0 || !isOpen) return NEVER
    // One inside another is a function of its own, so that none is looked up twice.
    if (value !== 'value') return this.#call(this.#function(schema, owner), value)
    const tests = Object.entries(properties).map(([name, property]) => {
      if (name === '__proto__') return NEVER
      const place = `value[${printText(name)}]`
      const test = this.#test(property, place, owner)
      if (required.includes(name)) return test === ALWAYS ? `${place} !== undefined` : test
      return some([`${place} === undefined`, test])
    })
    return every(['isRecord(value)', ...tests])
  }

  /** The function for a schema without a name; its verdict where that is always the same. */
  #function(schema: PlainSchema, owner: string): string {
    if (schema.$ref !== undefined) {
      const name = this.#named(refName(schema.$ref))
      const test = this.#functions.get(name)
      return test === NEVER || test === ALWAYS ? test : name
    }
    let name = owner
    for (let count = 1; this.#functions.has(name); count += 1) name = `${owner}${count}`
    this.#functions.set(name, undefined)
    const test = this.#test(schema, 'value', name)
    if (test !== NEVER && test !== ALWAYS) {
      this.#functions.set(name, test)
      return name
    }
    this.#functions.delete(name)
    return test
  }
}

/** A long expression has a part on each line. */
function inLines(test: string): string {
  const line = test.replaceAll(AND, ' && ')
  return line.length < 100 ? line : `(\n    ${test.replaceAll(AND, ' &&\n    ')}\n  )`
}

const isRecord = `function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
`

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
    : left.map((test) => (test.includes(AND) ? `(${test})` : test)).join(' || ')
}

function printValue(value: string | number | boolean | null): string {
  return typeof value === 'string' ? printText(value) : JSON.stringify(value)
}

/** Every character has one or two units of length: what is certain of the number of units is certain of it. */
function textTests({ checks = [], openEnum: _openEnum, ...others }: Rules, value: string): string[] {
  if (Object.keys(others).length > 0) return [NEVER]
  return checks.map((each) => {
    if (each.check === 'minCodePoints') return `${value}.length >= ${each.value * 2}`
    if (each.check === 'maxCodePoints') return `${value}.length <= ${each.value}`
    return NEVER
  })
}

function numberTest(type: 'number' | 'integer', value: string): string {
  return type === 'number'
    ? `typeof ${value} === 'number'${AND}Number.isFinite(${value})`
    : `typeof ${value} === 'number'${AND}Number.isSafeInteger(${value})`
}

const COMPARISONS: Readonly<Record<string, string>> = {
  minimum: '>=',
  maximum: '<=',
  exclusiveMinimum: '>',
  exclusiveMaximum: '<',
}

function numberTests({ checks = [], ...others }: Rules, value: string): string[] {
  if (Object.keys(others).length > 0) return [NEVER]
  return checks.map((each) => {
    if (each.check === 'integer') return `Number.isSafeInteger(${value})`
    const sign = COMPARISONS[each.check]
    return sign === undefined || !('value' in each) ? NEVER : `${value} ${sign} ${each.value}`
  })
}

function lengthTests({ checks = [], ...others }: Rules, value: string): string[] {
  if (Object.keys(others).length > 0) return [NEVER]
  return checks.map((each) => {
    if (each.check === 'minItems') return `${value}.length >= ${each.value}`
    if (each.check === 'maxItems') return `${value}.length <= ${each.value}`
    return NEVER
  })
}
