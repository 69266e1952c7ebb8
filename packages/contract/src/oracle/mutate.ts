import { escapeToken, isObject } from '@concord/spec-model'

/** A changed copy of a value, and a description of the change. */
export interface Mutant {
  readonly value: unknown
  /** For instance `/result/pages/0/page_number: null`. */
  readonly change: string
}

const replacements: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a string', 'not a documented value'],
  ['a number', 7],
  ['a fraction', 1.5],
  ['a boolean', true],
  ['an array', []],
  ['an object', {}],
]

/**
 * Returns copies of a value with one change each. Changes near the root come first. A copy may still be valid.
 *
 * @param donor another value of the same schema. Each property that only `donor` has is added to a separate copy,
 *   because properties can exclude each other.
 */
export function mutantsOf(value: unknown, donor?: unknown, maxCount = 400): readonly Mutant[] {
  const found: Mutant[] = []
  if (isObject(value) && isObject(donor)) {
    for (const [name, item] of Object.entries(donor)) {
      if (!(name in value)) found.push({ value: { ...value, [name]: item }, change: `(root): with ${name}` })
    }
  }
  const queue: { at: string; node: unknown; rebuild: (changed: unknown) => unknown }[] = [
    { at: '', node: value, rebuild: (changed) => changed },
  ]
  for (let entry = queue.shift(); entry && found.length < maxCount; entry = queue.shift()) {
    const { at, node, rebuild } = entry
    const add = (change: string, changed: unknown): void => {
      found.push({ value: rebuild(changed), change: `${at || '(root)'}: ${change}` })
    }
    for (const [name, other] of replacements) {
      if (kindOf(other) !== kindOf(node) || typeof node === 'string') add(name, other)
    }
    if (typeof node === 'string') {
      add('an empty string', '')
      add('a long string', 'x'.repeat(2000))
    }
    if (typeof node === 'number') {
      add('zero', 0)
      add('a large number', 1e9)
      add('a large negative number', -1e9)
    }
    if (Array.isArray(node)) {
      if (node.length > 0) {
        add('no items', [])
        add('the first item twice', [...node, node[0]])
        add(
          'many items',
          Array.from({ length: 60 }, () => node[0]),
        )
        if (node.length > 1) add('only the first item', node.slice(0, 1))
      }
      node.forEach((item, index) => {
        queue.push({
          at: `${at}/${index}`,
          node: item,
          rebuild: (changed) => rebuild(node.map((one, position) => (position === index ? changed : one))),
        })
      })
    }
    if (isObject(node)) {
      if (Object.keys(node).length > 1) add('no properties', {})
      add('an unknown property', { ...node, zz_unknown: { deep: [1, 'two'] } })
      for (const [name, item] of Object.entries(node)) {
        const { [name]: _dropped, ...rest } = node
        add(`without ${name}`, rest)
        queue.push({
          at: `${at}/${escapeToken(name)}`,
          node: item,
          rebuild: (changed) => rebuild({ ...node, [name]: changed }),
        })
      }
    }
  }
  return found.slice(0, maxCount)
}

/** Returns at most `limit` mutants: half are those nearest to the root, and half are picked evenly from the rest. */
export function someMutants(value: unknown, limit: number, donor?: unknown): readonly Mutant[] {
  const all = mutantsOf(value, donor)
  if (all.length <= limit) return all
  const near = Math.ceil(limit / 2)
  const step = (all.length - near) / (limit - near)
  return [
    ...all.slice(0, near),
    ...Array.from({ length: limit - near }, (_, at) => all[near + Math.floor(at * step)]).filter(
      (one) => one !== undefined,
    ),
  ]
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  return typeof value
}
