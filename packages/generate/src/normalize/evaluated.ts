import type { ContractNode } from '../read/contract.ts'
import { asList, asObject } from '../read/json.ts'
import type { ReadInner } from './object-schema.ts'
import type { Evaluated, PlainSchema } from './rules.ts'

type Keyword = 'unevaluatedProperties' | 'unevaluatedItems'

const NONE: Evaluated = { all: false, names: [], patterns: [], items: 0, fitting: [], when: [] }
const ALL: Evaluated = { ...NONE, all: true }

/**
 * Finds the properties or items to which `keyword` doesn't apply, because other keywords of the schema evaluate them
 * (in the JSON Schema sense). These keywords can also be in a schema that this schema refers to or combines.
 *
 * @param through - The pointers of the schemas on the way from the outermost schema (not included) to this schema
 *   (included). Empty for the outermost schema.
 */
export function readEvaluated(
  schema: ContractNode,
  keyword: Keyword,
  read: ReadInner,
  through: readonly string[] = [],
): Evaluated {
  if (!schema.isObject) return NONE
  const { contract, raw } = schema
  const inside = (inner: ContractNode) => readEvaluated(inner, keyword, read, [...through, inner.pointer])
  const parts = [ownOf(schema, keyword, through)]
  // A reference that leads back to one of the schemas in `through` evaluates nothing more.
  if (typeof raw['$ref'] === 'string' && !contract.endsInItself(raw)) {
    const target = contract.component(raw)
    if (target && !through.includes(target.pointer)) parts.push(inside(contract.nodeOf(target)))
  }
  for (const branch of schema.at('allOf').items()) parts.push(inside(branch))
  for (const branch of [...schema.at('anyOf').items(), ...schema.at('oneOf').items()])
    parts.push(condition(read(branch), inside(branch), NONE))
  if (raw['if'] !== undefined) {
    const test = read(schema.at('if'))
    const then = join([inside(schema.at('if')), inside(schema.at('then'))])
    parts.push(condition(test, then, inside(schema.at('else'))))
  }
  for (const [name, branch] of schema.at('dependentSchemas').members()) {
    const test: PlainSchema = {
      type: 'object',
      properties: { [name]: {} },
      required: [name],
      'x-generate-rules': { present: [name] },
    }
    parts.push(condition(test, inside(branch), NONE))
  }
  if (keyword === 'unevaluatedItems' && raw['contains'] !== undefined)
    parts.push({ ...NONE, fitting: [read(schema.at('contains'))] })
  return join(parts)
}

/** The properties or items that the schema's own keywords evaluate. */
function ownOf({ raw }: ContractNode, keyword: Keyword, through: readonly string[]): Evaluated {
  // The outermost schema's `keyword` doesn't count, because the caller applies it to everything that isn't in the
  // result. In an inner schema, `keyword` evaluates everything that the other keywords don't evaluate.
  if (raw[keyword] !== undefined && through.length > 0) return ALL
  if (keyword === 'unevaluatedItems')
    return raw['items'] === undefined ? { ...NONE, items: asList(raw['prefixItems']).length } : ALL
  if (raw['additionalProperties'] !== undefined) return ALL
  return {
    ...NONE,
    names: Object.keys(asObject(raw['properties'])),
    patterns: Object.keys(asObject(raw['patternProperties'])),
  }
}

function condition(test: PlainSchema, then: Evaluated, otherwise: Evaluated): Evaluated {
  if (then === NONE && otherwise === NONE) return NONE
  return { ...NONE, when: [{ test, then, else: otherwise }] }
}

function join(parts: readonly Evaluated[]): Evaluated {
  return {
    all: parts.some(({ all }) => all),
    names: [...new Set(parts.flatMap(({ names }) => names))],
    patterns: [...new Set(parts.flatMap(({ patterns }) => patterns))],
    items: Math.max(0, ...parts.map(({ items }) => items)),
    fitting: parts.flatMap(({ fitting }) => fitting),
    when: parts.flatMap(({ when }) => when),
  }
}
