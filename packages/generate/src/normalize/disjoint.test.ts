import { describe, expect, it } from 'vitest'

import type { Json } from '../read/json.ts'
import { areAllDisjoint } from './disjoint.ts'

const member = (kind: Json): Json => ({ type: 'object', required: ['id', 'kind'], properties: { kind } })
const members = (count: number) => Array.from({ length: count }, (_, index) => member({ const: `k${index}` }))

describe('branches of oneOf', () => {
  it('of which there are many are compared in as many steps, whether or not their values differ', () => {
    const stepsOf = (branches: readonly Json[]) => {
      let steps = 0
      const isDisjoint = areAllDisjoint(branches, (raw) => {
        steps++
        return raw
      })
      return { steps, isDisjoint }
    }
    for (const [end, isDisjoint] of [
      [[], true],
      [[member({ const: 'k3' })], false],
      [[member({ enum: ['x', 'k0'] })], false],
      [[{ type: 'string' }], false],
    ] as const) {
      const [small, large] = [1_000, 4_000].map((count) => stepsOf([...members(count), ...end]))
      expect([small?.isDisjoint, large?.isDisjoint]).toEqual([isDisjoint, isDisjoint])
      expect((large?.steps ?? 0) / (small?.steps ?? 1)).toBeLessThan(4.1)
    }
  })

  it.each([
    ['different values', [{ const: 1 }, { enum: [2, null] }], true],
    ['a value that two have', [{ const: 1 }, { enum: [2, 1] }], false],
    ['equal objects as values', [{ const: { a: 1 } }, { const: { a: 1 } }], false],
    ['an open enum', [{ const: 'a' }, { enum: ['b'], 'x-open-enum': true }], false],
    ['different types', [{ type: 'string' }, member({ const: 'a' }), member({ const: 'b' })], true],
    ['a property without values', [member({ const: 'a' }), member({ type: 'string' })], false],
  ] as const)('with %s: disjoint is %j', (_, branches, isDisjoint) => {
    expect(areAllDisjoint(branches, (raw) => raw)).toBe(isDisjoint)
  })
})
