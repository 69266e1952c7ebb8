import {
  arrayOf,
  isObject,
  type JsonObject,
  objectOf,
  type SchemaOracle,
  type SocketChannel,
} from '@concord/spec-model'
import { generateValid } from '../../oracle/generate.ts'
import { seededRandom } from '../../oracle/random.ts'
import { reservedText } from '../../suite/inputs.ts'

const REQUIRED_ONLY = '(required only)'

/** A query with which the tests open a channel. */
export interface HandshakeCase {
  readonly name: string
  readonly query: JsonObject
  /** Whether the query deliberately contains reserved characters, which must be encoded. */
  readonly hard: boolean
}

export function handshakeCases(channel: SocketChannel, oracle: SchemaOracle): readonly HandshakeCase[] {
  const at = channel.query
  if (!at) return [{ name: '(no query)', query: {}, hard: false }]
  const schema = objectOf(oracle.deref(at.schema))
  const draw = (fullness: 'required' | 'full'): JsonObject =>
    plain(objectOf(generateValid(oracle, at, seededRandom(channel.id), fullness)?.value))
  const cases: HandshakeCase[] = [
    ...arrayOf(schema['examples']).map((one, index) => ({
      name: `example ${index + 1}`,
      query: objectOf(one),
      hard: false,
    })),
    { name: REQUIRED_ONLY, query: draw('required'), hard: false },
    { name: '(everything)', query: draw('full'), hard: false },
  ]
  const free = Object.entries(objectOf(schema['properties'])).filter(([name, property]) =>
    oracle.accepts({ pointer: `${at.pointer}/hard/${name}`, schema: property }, reservedText),
  )
  if (free.length === 0) return cases
  const hard = { ...draw('required'), ...Object.fromEntries(free.map(([name]) => [name, reservedText])) }
  return oracle.accepts(at, hard)
    ? [...cases, { name: '(reserved characters)', query: hard, hard: true }]
    : cases
}

/** Returns a valid query with as few values as possible. */
export function leastQuery(channel: SocketChannel, oracle: SchemaOracle): JsonObject {
  const cases = handshakeCases(channel, oracle)
  return (cases.find(({ name }) => name === REQUIRED_ONLY) ?? cases[0])?.query ?? {}
}

/** Copies a query, but leaves out values that have no defined form in a URL: null, objects and empty lists. */
function plain(query: JsonObject): JsonObject {
  const simple = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)
  return Object.fromEntries(
    Object.entries(query).filter(
      ([, value]) => simple(value) || (Array.isArray(value) && value.length > 0 && value.every(simple)),
    ),
  )
}

/** Converts a query value to strings. A list becomes one string per item. */
export function textsOf(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) return value.map(String)
  return isObject(value) || value === null || value === undefined ? undefined : [String(value)]
}
