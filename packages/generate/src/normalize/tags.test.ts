import { describe, expect, it } from 'vitest'

import { documentOf } from '../../test/support/generated.ts'
import { Problems } from '../problems.ts'
import { Contract } from '../read/contract.ts'
import type { Json } from '../read/json.ts'
import type { TagModel } from './model.ts'
import { areDistinct, tagsOf } from './tags.ts'

const object = (properties: object, required = Object.keys(properties)) =>
  ({ type: 'object', required, properties }) as unknown as Json
const components = {
  Named: { const: 'named' },
  // Has no value that ends, but may be written.
  Endless: { type: 'object', required: ['kind', 'next'], properties: { kind: { const: 'endless' }, next: { $ref: '#/components/schemas/Endless' } } },
} // prettier-ignore
const contract = new Contract(documentOf({ components: { schemas: components } }), new Problems())
const tagOf = (pointer: string, equals: TagModel['equals']): TagModel => ({ pointer, equals })

describe('the tags of a payload are', () => {
  it.each<[string, Json, TagModel[]]>([
    ['its required constants', object({ a: { const: 1 }, b: { const: true }, c: { type: 'string' } }), [tagOf('/a', 1), tagOf('/b', true)]],
    ['not those that may be missing', object({ a: { const: 1 } }, []), []],
    ['an enum of one value', object({ a: { type: 'string', enum: ['x'] } }), [tagOf('/a', 'x')]],
    ['not an enum of several, an open one, or null', object({ a: { enum: ['x', 'y'] }, b: { type: 'string', enum: ['x'], 'x-open-enum': true }, c: { const: null } }), []],
    ['constants at any depth, with names escaped', object({ 'a/b': object({ 'c~d': { const: 1 } }) }), [tagOf('/a~1b/c~0d', 1)]],
    ['constants behind references', object({ a: { $ref: '#/components/schemas/Named' } }), [tagOf('/a', 'named')]],
    ['those of a schema that contains itself, down to where it begins again', { $ref: '#/components/schemas/Endless' }, [tagOf('/kind', 'endless')]],
    ['what all branches of a union share', { oneOf: [object({ a: { const: 1 }, b: { const: 1 } }), object({ a: { const: 1 }, b: { const: 2 } })] }, [tagOf('/a', 1)]],
    ['what any part of a combination has', { allOf: [object({ a: { const: 1 } }), object({ b: { const: 2 } })] }, [tagOf('/a', 1), tagOf('/b', 2)]],
    ['the whole payload where it is a constant', { const: 'ping' }, [tagOf('', 'ping')]],
    ['none for a list or for anything', { type: 'array', items: { const: 1 } }, []],
  ])('%s', (_, raw, expected) => {
    expect(tagsOf(contract, raw)).toEqual(expected)
  }) // prettier-ignore
})

describe('two messages are distinct', () => {
  const [one, two] = [tagOf('/type', 'one'), tagOf('/type', 'two')]
  it.each([
    ['with another value at the same place', [one], [two], true],
    ['if one is a plain value and the other has something inside', [tagOf('', 'ping')], [one], true],
    ['if one has more tags', [one, tagOf('/kind', 1)], [one], true],
    ['if only one has tags', [], [one], true],
    ['but not because one name begins like the other', [tagOf('/type', 1)], [tagOf('/typed', 1)], false],
    ['but not without tags', [], [], false],
    ['but not with tags at different places', [one], [tagOf('/kind', 1)], false],
  ])('%s', (_, first, second, expected) => {
    expect(areDistinct(first, second)).toBe(expected)
    expect(areDistinct(second, first)).toBe(expected)
  }) // prettier-ignore
})
