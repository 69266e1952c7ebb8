import {
  arrayOf,
  isObject,
  type JsonObject,
  objectOf,
  type SchemaAt,
  type SchemaOracle,
} from '@concord/spec-model'
import { stringOfFormat } from './formats.ts'
import { mergedSchema, sharedTypes } from './merge.ts'
import { stringFromPattern } from './pattern.ts'
import { pick, whole, type Random } from './random.ts'

/** Which optional properties a generated value has: none, all, or a random selection. */
export type Fullness = 'required' | 'full' | 'random'

/**
 * Generates a value that the schema accepts, or returns undefined if no such value is found. The generator supports
 * only a part of JSON Schema, but every returned value is valid, since the oracle checks it.
 */
export function generateValid(
  oracle: SchemaOracle,
  at: SchemaAt,
  random: Random,
  fullness: Fullness,
): { readonly value: unknown } | undefined {
  return findValid(at, { oracle, random, fullness })
}

/** Like {@link generateValid}, with all optional properties and with strings that can be in a header. */
export function generateHeaderValue(
  oracle: SchemaOracle,
  at: SchemaAt,
  random: Random,
): { readonly value: unknown } | undefined {
  return findValid(at, { oracle, random, fullness: 'full', words: HEADER_WORDS })
}

function findValid(at: SchemaAt, options: GeneratorOptions): { readonly value: unknown } | undefined {
  const { oracle, fullness } = options
  const draw = (how: Fullness, examples: boolean): unknown =>
    new Generator({ ...options, fullness: how, examples }).bounded(at.schema)
  let endless = 0
  for (let attempt = 0; attempt < MAX_ATTEMPTS && endless < MAX_ENDLESS; attempt += 1) {
    // The examples of a schema can be invalid, so only the first half of the attempts uses them.
    const examples = attempt < MAX_ATTEMPTS / 2
    const value = draw(fullness, examples)
    if (value === undefined) endless += 1
    else if (oracle.accepts(at, value)) return { value }
    if (fullness === 'full' && isObject(value)) {
      const largest = largestAccepted(oracle, at, value, draw('required', examples))
      if (largest) return { value: largest }
    }
  }
  return undefined
}

const MAX_ATTEMPTS = 30

/** Explains why no valid value was found. */
export function objection(oracle: SchemaOracle, at: SchemaAt, random: Random): string {
  const [issue] = oracle.judge(at, new Generator({ oracle, random, fullness: 'required' }).bounded(at.schema))
  return issue ? `${issue.path || 'the value'} ${issue.reason}` : 'the schema accepts few values'
}

/** Words that are hard to encode. */
const WORDS = ['paper boat', 'Größe 42', 'quay "north"', 'line\nbreak', '𝄞 clef', 'plain']
/** Words that can be in a header (RFC 9110, section 5.5). They have no commas, since commas separate list items. */
const HEADER_WORDS = ['paper boat', '42 %', 'quay north', 'plain']

/** Generates a value with all optional properties. It may be invalid, since properties can exclude each other. */
export function generateEverything(oracle: SchemaOracle, at: SchemaAt, random: Random): unknown {
  return new Generator({ oracle, random, fullness: 'full' }).bounded(at.schema)
}

/**
 * Adds the properties of `full` to the object `least`, one at a time. Keeps a property only if the schema accepts the
 * resulting object.
 */
function largestAccepted(
  oracle: SchemaOracle,
  at: SchemaAt,
  full: JsonObject,
  least: unknown,
): JsonObject | undefined {
  if (!isObject(least) || !oracle.accepts(at, least)) return undefined
  let kept: JsonObject = least
  for (const [name, value] of Object.entries(full)) {
    const larger = { ...kept, [name]: value }
    if (oracle.accepts(at, larger)) kept = larger
  }
  return kept
}

const anything: readonly unknown[] = [
  'text',
  7,
  2.5,
  true,
  null,
  ['one', 2],
  { key: 'value', nested: { n: 1 } },
]

/** Keywords that don't restrict values. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  '$comment default deprecated description example examples externalDocs readOnly title writeOnly xml'.split(
    ' ',
  ),
)

const COMBINING = ['allOf', 'anyOf', 'oneOf']

/** If `allOf`, `anyOf` and `oneOf` are nested more deeply than this, they count as a cycle. */
const MAX_DEPTH = 20
/** Without these limits, generation would never end for a schema that requires itself. */
const LIMITS = { depth: 60, parts: 20_000 }
/**
 * The generator stops after this many attempts that exceed the limits. It doesn't stop after the first one, because
 * the next attempt can choose smaller alternatives.
 */
const MAX_ENDLESS = 3

interface GeneratorOptions {
  readonly oracle: SchemaOracle
  readonly random: Random
  readonly fullness: Fullness
  /** The strings to choose from. Default: words that are hard to encode. */
  readonly words?: readonly string[]
  /** Whether a schema's examples may be used as values. Default: true. */
  readonly examples?: boolean
}

class Generator {
  readonly #oracle: SchemaOracle
  readonly #random: Random
  readonly #fullness: Fullness
  readonly #words: readonly string[]
  readonly #examples: boolean
  #parts = 0
  #isEndless = false

  constructor({ oracle, random, fullness, words = WORDS, examples = true }: GeneratorOptions) {
    this.#words = words
    this.#oracle = oracle
    this.#random = random
    this.#fullness = fullness
    this.#examples = examples
  }

  /** Generates a value, or returns undefined if it would exceed the limits. */
  bounded(schema: unknown): unknown {
    const value = this.value(schema, 0)
    return this.#isEndless ? undefined : value
  }

  value(given: unknown, depth: number): unknown {
    this.#parts += 1
    this.#isEndless ||= depth > LIMITS.depth || this.#parts > LIMITS.parts
    if (this.#isEndless) return null
    const schema = objectOf(this.#oracle.deref(given))
    if ('const' in schema) return schema['const']
    const values = arrayOf(schema['enum'])
    if (values.length > 0) return pick(this.#random, values)
    if (COMBINING.some((keyword) => keyword in schema)) {
      return this.value(mergedSchema(this.#partsOf(schema, 0)), depth + 1)
    }
    const examples = this.#examples ? arrayOf(schema['examples']) : []
    if (examples.length > 0 && this.#random() < 0.5) return pick(this.#random, examples)
    return this.#typed(schema, depth)
  }

  /**
   * Returns the schemas that a value has to match: the given schema without its combining keywords, all schemas in
   * `allOf`, one in `anyOf`, and one in `oneOf`.
   */
  #partsOf(given: unknown, depth: number): JsonObject[] {
    const { allOf, anyOf, oneOf, ...rest } = objectOf(this.#oracle.deref(given))
    if (depth > MAX_DEPTH) return []
    const isAssertion = Object.keys(rest).some((key) => !ANNOTATIONS.has(key) && !key.startsWith('x-'))
    const parts = arrayOf(allOf).flatMap((part) => this.#partsOf(part, depth + 1))
    if (isAssertion) parts.push(rest)
    for (const branches of [arrayOf(anyOf), arrayOf(oneOf)]) {
      if (branches.length > 0) parts.push(...this.#partsOf(this.#branchOf(branches, parts), depth + 1))
    }
    return parts
  }

  /** Picks one of the schemas in `branches`: if possible, one with a type that all schemas in `parts` allow. */
  #branchOf(branches: readonly unknown[], parts: readonly JsonObject[]): unknown {
    const { type } = mergedSchema(parts)
    const fitting = branches.filter((branch) => {
      const own = objectOf(this.#oracle.deref(branch))['type']
      return type === undefined || own === undefined || sharedTypes(type, own).length > 0
    })
    return pick(this.#random, fitting.length > 0 ? fitting : branches)
  }

  #typed(schema: JsonObject, depth: number): unknown {
    const named = schema['type']
    // The merged schemas share no type, so every value would be invalid.
    if (Array.isArray(named) && named.length === 0) return null
    const type = Array.isArray(named) ? pick(this.#random, named) : (named ?? impliedType(schema))
    switch (type) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return this.#array(schema, depth)
      case 'string':
        return this.#string(schema)
      case 'integer':
      case 'number':
        return this.#number(schema, type)
      case 'boolean':
        return this.#random() < 0.5
      case 'null':
        return null
      default:
        return pick(this.#random, anything)
    }
  }

  #object(schema: JsonObject, depth: number): unknown {
    const properties = objectOf(schema['properties'])
    const required = new Set(arrayOf(schema['required']).map(String))
    const drawn: Record<string, unknown> = {}
    for (const name of new Set([...Object.keys(properties), ...required])) {
      if (!required.has(name) && !this.#isIncluded(depth)) continue
      drawn[name] = this.value(properties[name] ?? true, depth + 1)
    }
    const extra = schema['additionalProperties']
    const least = Number(schema['minProperties'] ?? 0)
    if (isObject(extra) && this.#isIncluded(depth)) {
      drawn['first_entry'] = this.value(extra, depth + 1)
      drawn['second entry'] = this.value(extra, depth + 1)
    }
    for (let at = 0; Object.keys(drawn).length < least; at += 1)
      drawn[`entry_${at}`] = this.value(extra, depth + 1)
    return drawn
  }

  #array(schema: JsonObject, depth: number): unknown {
    const least = Number(schema['minItems'] ?? 0)
    const most = Math.min(Number(schema['maxItems'] ?? least + 2), least + 9)
    const length =
      this.#fullness === 'required' || depth > 8 ? least : whole(this.#random, Math.max(least, 1), most)
    const prefix = arrayOf(schema['prefixItems'])
    const items = Array.from({ length: Math.max(length, prefix.length) }, (_, at) =>
      this.value(prefix[at] ?? schema['items'] ?? true, depth + 1),
    )
    if ('contains' in schema) items.push(this.value(schema['contains'], depth + 1))
    return items
  }

  #string(schema: JsonObject): string {
    const least = Number(schema['minLength'] ?? 0)
    const most = Number(schema['maxLength'] ?? Math.max(least, 24))
    const format =
      typeof schema['format'] === 'string' ? stringOfFormat(schema['format'], this.#random) : undefined
    if (format !== undefined) return format
    if (typeof schema['pattern'] === 'string') {
      const matched = stringFromPattern(schema['pattern'], this.#random, {
        least,
        most: Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY),
      })
      if (matched !== undefined) return matched
    }
    const words = pick(this.#random, this.#words)
    return [...words.padEnd(least, '.')].slice(0, Math.min(most, Math.max(least, 24))).join('')
  }

  #number(schema: JsonObject, type: 'integer' | 'number'): number {
    const step = Number(schema['multipleOf'] ?? (type === 'integer' ? 1 : 0.5))
    const low = bound(schema, 'minimum', 'exclusiveMinimum', step)
    const high = bound(schema, 'maximum', 'exclusiveMaximum', -step)
    const least = low ?? (high === undefined ? -1000 : high - 1000)
    const most = high ?? least + 2000
    const first = Math.ceil(least / step)
    // If no multiple of the default step is within the bounds, the midpoint of the bounds is used.
    if (first * step > most && !('multipleOf' in schema)) return middle(schema)
    return whole(this.#random, first, Math.floor(most / step)) * step
  }

  #isIncluded(depth: number): boolean {
    if (this.#fullness === 'required' || depth > 6) return false
    return this.#fullness === 'full' || this.#random() < 0.6
  }
}

function middle(schema: JsonObject): number {
  const [low, high] = [
    bound(schema, 'minimum', 'exclusiveMinimum', 0),
    bound(schema, 'maximum', 'exclusiveMaximum', 0),
  ]
  return ((low ?? 0) + (high ?? 0)) / 2
}

function bound(schema: JsonObject, inclusive: string, exclusive: string, step: number): number | undefined {
  if (typeof schema[exclusive] === 'number') return schema[exclusive] + step
  return typeof schema[inclusive] === 'number' ? schema[inclusive] : undefined
}

function impliedType(schema: JsonObject): string | undefined {
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object'
  if ('items' in schema || 'prefixItems' in schema) return 'array'
  if ('pattern' in schema || 'format' in schema || 'maxLength' in schema) return 'string'
  if ('minimum' in schema || 'maximum' in schema) return 'number'
  return undefined
}
