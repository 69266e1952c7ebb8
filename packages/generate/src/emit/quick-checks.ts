import { camelCase, pascalCase } from '../normalize/names.ts'
import {
  type Assertion,
  type Check,
  type Evaluated,
  type PlainSchema,
  type Rules,
  refName,
  rulesKey,
  rulesOf,
} from '../normalize/rules.ts'
import {
  ALWAYS,
  NEVER,
  callback,
  choose,
  compares,
  entries,
  every,
  exactlyOne,
  inLines,
  not,
  parameters,
  some,
  uses,
  whole,
} from './expressions.ts'
import { checkTests, finiteTests, printPattern } from './check-tests.ts'
import { printLiteral, printText } from './literal.ts'

/**
 * Writes functions that quickly check whether a schema accepts a value. If a function returns true, the schema accepts
 * the value. If it returns false, the schema itself decides, because false is wrong in rare cases, for example if the
 * value isn't plain JSON.
 */
export class QuickChecks {
  readonly #schemas: ReadonlyMap<string, PlainSchema>
  /** The code of each function by its name; `undefined` while the function is being written. */
  readonly #functions = new Map<string, string | undefined>()
  readonly #used = new Set<string>()
  readonly #exported = new Set<string>()
  /** Caches the code of tests by schema, and then by the expression for the tested value, such as `value['id']`. */
  readonly #tests = new WeakMap<PlainSchema, Map<string, string>>()
  /** The name of each function by its code, except for the functions for types. */
  readonly #parts = new Map<string, string>()

  constructor(schemas: ReadonlyMap<string, PlainSchema>) {
    this.#schemas = schemas
  }

  /** The name of the function for a type; undefined if the function would reject every value. */
  of(type: string): string | undefined {
    const name = this.#named(type)
    if (this.#functions.get(name) === NEVER) return undefined
    this.#used.add(name)
    return name
  }

  /**
   * Prints each function whose name `of()` or `assertion()` has returned, and the functions that it calls. Leaves out
   * the predicates in src/checks.
   */
  print(): string[] {
    const texts = new Map<string, string>()
    const pending = [...this.#used].toReversed()
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      const test = this.#functions.get(name)
      if (test === undefined || texts.has(name)) continue
      const parameter = uses(test, 'value') ? 'value: unknown' : '_value: unknown'
      // The functions for types are exported, so that tests can compare them with the schemas.
      const exported = this.#isForType(name) || this.#exported.has(name) ? 'export ' : ''
      texts.set(name, `${exported}function ${name}(${parameter}): boolean {\n  return ${inLines(test)}\n}\n`)
      const used = [...test.matchAll(/\p{ID_Start}\p{ID_Continue}*/gu)]
      for (const [each] of used.toReversed()) pending.push(each)
    }
    return [...texts.values()]
  }

  /**
   * Returns the name of the function for a type. Before that, a loop writes this function and the functions for all
   * types that it refers to. Recursion could overflow the stack in a long chain of references.
   */
  #named(type: string): string {
    const name = `accepts${type}`
    if (this.#functions.has(name)) return name
    const pending = [type]
    for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
      const own = `accepts${next}`
      const schema = this.#schemas.get(next) ?? { enum: [] }
      if (this.#functions.has(own)) {
        if (this.#functions.get(own) === undefined)
          this.#functions.set(own, this.#test(schema, 'value', next))
        pending.pop()
        continue
      }
      this.#functions.set(own, undefined)
      const references = [...referencesIn(schema)].filter((each) => this.#schemas.has(each))
      pending.push(...references.filter((each) => !this.#functions.has(`accepts${each}`)).toReversed())
    }
    return name
  }

  /**
   * Returns an expression that is true only if `schema` accepts `value`.
   *
   * @param path - The name of the type and the steps from the type to the value, such as `JobInputItem`. Function
   * names contain this string.
   */
  #test(schema: PlainSchema, value: string, path: string): string {
    // The same schema may occur in a type and in an assertion. Without a cache, each level of nesting would double
    // the time.
    const known = this.#tests.get(schema)?.get(value)
    if (known !== undefined) return known
    const test = this.#written(schema, value, path)
    this.#tests.set(schema, (this.#tests.get(schema) ?? new Map<string, string>()).set(value, test))
    return test
  }

  #written(schema: PlainSchema, value: string, path: string): string {
    if (schema.$ref !== undefined) return this.#call(this.#named(refName(schema.$ref)), value)
    const last = rulesOf(schema).discriminator?.isFamily && schema.anyOf?.at(-1)
    if (last) return this.#test(last, value, path)
    if (schema.anyOf !== undefined) return some(schema.anyOf.map((branch) => this.#test(branch, value, path)))
    if (schema.allOf !== undefined) {
      const [first = {}, second = {}] = schema.allOf
      const stricter = (rulesOf(second).assertions ?? []).some(
        (each) =>
          each.isOpen !== true &&
          'schemas' in each &&
          (each.schemas === first.anyOf || each.schemas === first.allOf),
      )
      return every(this.#together(stricter ? [second] : schema.allOf, value, path))
    }
    if (schema.const !== undefined) return `${value} === ${printValue(schema.const)}`
    if (schema.enum !== undefined) return some(schema.enum.map((each) => `${value} === ${printValue(each)}`))
    const rules = rulesOf(schema)
    if (rules.nothing === true) return `${value} === undefined`
    if (rules.never === true) return NEVER
    if (rules.noneOf !== undefined) return `isNoneOf(${rules.noneOf.map(printText).join(', ')})(${value})`
    // A nested value such as `value['id']` is passed to a separate function, so that it is looked up only once.
    if (rules.assertions !== undefined && value !== 'value') return this.#callOf(schema, value, path)
    const typed = this.#typed(schema, value, path)
    if (rules.assertions === undefined) return typed
    let isNarrowed = compares(typed)
    const asserted = rules.assertions.map((each) => {
      const test = this.#assertion(each, value, path)
      if (isNarrowed && compares(test)) return `${this.#add(test, `accepts${path}`)}(${value})`
      isNarrowed ||= compares(test)
      return test
    })
    return every([typed, ...asserted])
  }

  /**
   * Returns the tests of schemas that must all accept the same value. TypeScript rejects code such as
   * `x === 'a' && x === 'b'`, so only the first test with a comparison is written inline.
   */
  #together(schemas: readonly PlainSchema[], value: string, path: string): string[] {
    let isNarrowed = false
    return schemas.map((schema) => {
      const test = this.#test(schema, value, path)
      if (isNarrowed && compares(test)) return this.#callOf(schema, value, path)
      isNarrowed ||= compares(test)
      return test
    })
  }

  /** Returns the test for the type of a schema and for the keywords of this type. */
  #typed(schema: PlainSchema, value: string, path: string): string {
    const { type } = schema
    const rules = rulesOf(schema)
    if (type === undefined) return rules.checks === undefined ? ALWAYS : NEVER
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
        return this.#array(schema, rules, value, path)
      case 'object':
        return this.#object(schema, rules, value, path)
    }
  }

  /** Writes the call of a function, or only the function's result if the result is constant. */
  #call(name: string, value: string): string {
    const test = this.#functions.has(name) ? this.#functions.get(name) : name
    return test === NEVER || test === ALWAYS ? test : `${name}(${value})`
  }

  #array({ items = {} }: PlainSchema, rules: Rules, value: string, path: string): string {
    const item = this.#function(items, `${path}Item`)
    const each =
      item === ALWAYS ? [] : item === NEVER ? [`${value}.length === 0`] : [`hasItemsOf(${value}, ${item})`]
    // Items are tested first, because the checks of the whole list rely on the types of the items.
    return every([`Array.isArray(${value})`, ...each, ...checkTests(rules, value)])
  }

  #object(schema: PlainSchema, rules: Rules, value: string, path: string): string {
    const { properties = {}, required = [], additionalProperties = {} } = schema
    const names = Object.keys(properties)
    if (names.length === 0 && Object.keys(additionalProperties).length > 0)
      return this.#map(additionalProperties, rules, value, path)
    if (value !== 'value') return this.#call(this.#function(schema, path), value)
    const tests = Object.entries(properties).map(([name, property]) => {
      const test = this.#test(property, place(name), path + wordOf(name))
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

  #map(values: PlainSchema, rules: Rules, value: string, path: string): string {
    const each = this.#function(values, `${path}Value`)
    return every([`isMapOf(${value}, ${callback(each)})`, ...checkTests(rules, value)])
  }

  /** The name of a function that tests one assertion; undefined if the assertion holds for every value. */
  assertion(assertion: Assertion, path: string): string | undefined {
    const test = this.#assertion(assertion, 'value', path)
    if (test === ALWAYS) return undefined
    const name = this.#add(test, `accepts${path}`)
    this.#used.add(name)
    this.#exported.add(name)
    return name
  }

  /** An expression that is true only if an assertion holds for `value`. */
  #assertion(assertion: Assertion, value: string, path: string): string {
    if (assertion.isOpen === true) return ALWAYS
    const test = (schema: PlainSchema) => this.#test(schema, value, path)
    const passes = (schema: PlainSchema) => this.#function(schema, path)
    switch (assertion.assert) {
      case 'not':
        return not(test(assertion.schema))
      case 'allOf':
        return every(this.#together(assertion.schemas, value, path))
      case 'oneOf':
        return exactlyOne(assertion.schemas.map(test))
      case 'if': {
        const [condition = NEVER, then = NEVER] = this.#together(
          [assertion.test, assertion.then],
          value,
          path,
        )
        return choose(condition, then, test(assertion.else))
      }
      case 'values':
        return `isOneOf(${[value, ...assertion.values.map((each) => printLiteral(each))].join(', ')})`
      case 'properties':
        return this.#properties(assertion, value, path)
      case 'required':
        return `hasNames(${[value, ...assertion.names.map(printText)].join(', ')})`
      case 'propertyNames':
        return entries(value, this.#callOf(assertion.schema, 'name', path))
      case 'dependentRequired':
        return some([
          `!hasName(${value}, ${printText(assertion.name)})`,
          `hasNames(${[value, ...assertion.required.map(printText)].join(', ')})`,
        ])
      case 'dependentSchema':
        return some([`!hasName(${value}, ${printText(assertion.name)})`, test(assertion.schema)])
      case 'items': {
        const first = assertion.first.map((each, index) =>
          some([
            `!Array.isArray(${value})`,
            `${value}.length <= ${index}`,
            this.#callOf(each, `${value}[${index}]`, path),
          ]),
        )
        const others = passes(assertion.others)
        const rest = others === ALWAYS ? [] : [`hasItemsFrom(${value}, ${first.length}, ${callback(others)})`]
        return every([...first, ...rest])
      }
      case 'contains': {
        const { least, most } = assertion
        const limits = most === undefined ? [least] : [least, most]
        return `hasMatches(${[value, callback(passes(assertion.schema)), ...limits].join(', ')})`
      }
      case 'unevaluatedProperties': {
        const seen = this.#evaluated(assertion.evaluated, value, path)
        return entries(value, some([seen, this.#callOf(assertion.schema, 'item', path)]))
      }
      case 'unevaluatedItems': {
        const seen = this.#evaluated(assertion.evaluated, value, path)
        const all = whole(some([seen, this.#callOf(assertion.schema, 'item', path)]))
        if (all === ALWAYS) return ALWAYS
        return `hasItemsFrom(${value}, ${assertion.evaluated.items}, (${parameters(all, 'item', 'index')}) => ${all})`
      }
    }
  }

  #properties(
    { names, patterns, others }: Assertion & { readonly assert: 'properties' },
    value: string,
    path: string,
  ): string {
    const own = Object.entries(names)
      .filter(([, schema]) => Object.keys(schema).length > 0)
      .map(([name, schema]) => some([`name !== ${printText(name)}`, this.#callOf(schema, 'item', path)]))
    const matching = patterns.map(([pattern, schema]) =>
      some([not(matches(pattern)), this.#callOf(schema, 'item', path)]),
    )
    const known = [
      ...Object.keys(names).map((name) => `name === ${printText(name)}`),
      ...patterns.map(([pattern]) => matches(pattern)),
    ]
    return entries(value, every([...own, ...matching, some([...known, this.#callOf(others, 'item', path)])]))
  }

  /**
   * Returns an expression that is true if a property or an item is already evaluated (JSON Schema 2020-12, section
   * 11). In this expression, `name` is the name of the property, and `index` is the index of the item.
   */
  #evaluated(evaluated: Evaluated, value: string, path: string): string {
    if (evaluated.all) return ALWAYS
    return some([
      ...evaluated.names.map((name) => `name === ${printText(name)}`),
      ...evaluated.patterns.map(matches),
      ...(evaluated.items > 0 ? [`index < ${evaluated.items}`] : []),
      ...evaluated.fitting.map((schema) => this.#callOf(schema, 'item', path)),
      ...evaluated.when.map(({ test, then, else: otherwise }) =>
        choose(
          this.#test(test, value, path),
          this.#evaluated(then, value, path),
          this.#evaluated(otherwise, value, path),
        ),
      ),
    ])
  }

  #callOf(schema: PlainSchema, value: string, path: string): string {
    return this.#call(this.#function(schema, path), value)
  }

  #isForType(name: string): boolean {
    return name.startsWith('accepts') && this.#schemas.has(name.slice('accepts'.length))
  }

  /** The name of the function for a schema, or only the function's result if the result is constant. */
  #function(schema: PlainSchema, path: string): string {
    if (schema.$ref !== undefined) {
      const name = this.#named(refName(schema.$ref))
      const test = this.#functions.get(name)
      return test === NEVER || test === ALWAYS ? test : name
    }
    const test = this.#test(schema, 'value', path)
    if (test === NEVER || test === ALWAYS) return test
    // Many schemas in a contract are equal, for example those of ids. Equal schemas share one function.
    return this.#add(test, nameByContent(schema) ?? `accepts${path}`)
  }

  /** Adds a function for a test, unless the test already has a function. Returns the name of the function. */
  #add(test: string, wanted: string): string {
    const same = this.#parts.get(test)
    if (same !== undefined) return same
    let name = wanted
    for (let count = 2; this.#functions.has(name) || this.#isForType(name); count += 1)
      name = `${wanted}_${count}`
    this.#parts.set(test, name)
    this.#functions.set(name, test)
    return name
  }
}

/** All names that a schema refers to, including those in its assertions. */
export function referencesIn(schema: PlainSchema): Set<string> {
  const found = new Set<string>()
  // A type and an assertion may contain the same schema.
  const seen = new Set<unknown>()
  const look = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return
    seen.add(part)
    // The values of an enum are data, not schemas.
    if ('assert' in part && part.assert === 'values') return
    if ('$ref' in part && typeof part.$ref === 'string') found.add(refName(part.$ref))
    for (const inner of Object.values(part)) look(inner)
  }
  look(schema)
  return found
}

const FORMATS: { readonly [check in Check['check']]?: string } = {
  uuid: 'Uuid',
  uri: 'Uri',
  date: 'Date',
  dateTime: 'DateTime',
}

/** Returns a function name such as `isString` or `hasStringName`; undefined if no such name fits the schema. */
function nameByContent(schema: PlainSchema): string | undefined {
  const kind = kindOf(schema)
  if (kind !== undefined) return `is${Object.values(FORMATS).includes(kind) ? `${kind}String` : kind}`
  const { type, properties = {}, required = [] } = schema
  const [first, second] = Object.entries(properties)
  if (type !== 'object' || first === undefined || second !== undefined) return undefined
  const [name, property] = first
  const { closed, exclusive, checks } = rulesOf(schema)
  const propertyKind = kindOf(property)
  if (propertyKind === undefined || !required.includes(name)) return undefined
  if (closed === true || exclusive !== undefined || checks !== undefined) return undefined
  return `has${propertyKind}${wordOf(name)}`
}

/** Turns a property name into a part of a function name. */
function wordOf(name: string): string {
  return pascalCase(camelCase(name)).replaceAll(/\W/g, '')
}

/**
 * A word that describes a simple schema, such as `Uuid`. A schema is simple if it is a string, number or boolean
 * without rules, or a string whose only rule is a format in {@link FORMATS}.
 */
function kindOf(schema: PlainSchema): string | undefined {
  const { type, ...others } = schema
  const { checks = [], ...rules } = rulesOf(schema)
  const settles = Object.keys(others).some(
    (key) => key !== rulesKey && key !== 'description' && key !== 'deprecated',
  )
  if (settles || Object.keys(rules).length > 0 || checks.length > 1) return undefined
  const [check] = checks
  if (type === 'string') return check === undefined ? 'String' : FORMATS[check.check]
  if (check !== undefined || (type !== 'number' && type !== 'boolean')) return undefined
  return pascalCase(type)
}

/** The expression for a property of `value`, the parameter of each generated function. */
function place(name: string): string {
  return `value[${printText(name)}]`
}

function matches(pattern: string): string {
  return `${printPattern(pattern)}.test(name)`
}

function printValue(value: string | number | boolean | null): string {
  return typeof value === 'string' ? printText(value) : JSON.stringify(value)
}
