import { describe, expect, it } from 'vitest'

import { Contract } from '../read/contract.ts'
import type { JsonObject } from '../read/json.ts'
import { parseSource } from '../read/source.ts'
import { Problems } from '../problems.ts'
import { openEnums, secretNames } from './walk.ts'

/** A contract that counts how often a reference is followed. */
class Counted extends Contract {
  steps = 0

  override target(raw: JsonObject) {
    if ('$ref' in raw) this.steps++
    return super.target(raw)
  }
}

function contractOf(schemas: object, direction?: 'request' | 'response'): Counted {
  const document = { openapi: '3.1.0', info: {}, paths: {}, components: { schemas } }
  const source = parseSource(JSON.stringify(document), 'openapi.yaml')
  return new Counted(source, new Problems({ strict: false }), direction && { direction })
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Schemas that all refer to each other, and that have these properties. */
function allRelated(count: number, properties: object): object {
  const related = Object.fromEntries(numbers(count).map((index) => [`s${index}`, reference(`S${index}`)]))
  return Object.fromEntries(
    numbers(count).map((index) => [
      `S${index}`,
      { type: 'object', properties: { ...properties, ...related } },
    ]),
  )
}

const schemasIn = (contract: Contract) => Object.values(contract.schemas.raw) as JsonObject[]

describe('the names of secrets', () => {
  it('are those of the properties that a secret is in, through references, combinations and items', () => {
    const contract = contractOf({
      Secret: { type: 'string', 'x-secret': true },
      Named: { properties: { key: reference('Secret'), other: { type: 'string' } } },
      Combined: { anyOf: [{ allOf: [reference('Secret')] }, { type: 'null' }] },
      All: {
        properties: {
          combined: reference('Combined'),
          list: { items: reference('Secret') },
          self: reference('All'),
        },
        allOf: [reference('Named')],
      },
    })
    const { Secret, Named, Combined, All } = contract.schemas.raw
    expect(secretNames(contract, Secret)).toEqual(['*'])
    expect(secretNames(contract, Named)).toEqual(['key'])
    expect(secretNames(contract, Combined)).toEqual(['*'])
    expect(secretNames(contract, All).sort()).toEqual(['*', 'combined', 'key'])
    expect(secretNames(contract, true)).toEqual([])
  })

  it('take no more steps for more bodies whose schemas all refer to each other', () => {
    const contract = contractOf(allRelated(30, { token: { type: 'string', 'x-secret': true } }))
    const [first, ...others] = schemasIn(contract)
    expect(secretNames(contract, first)).toEqual(['token'])
    const { steps } = contract
    for (const other of others) expect(secretNames(contract, other)).toEqual(['token'])
    expect(contract.steps).toBe(steps)
  })
})

describe('the paths to open enums', () => {
  const open = { type: 'string', enum: ['a'], 'x-open-enum': true }

  it('are found without looking into schemas that have none', () => {
    const contract = contractOf({
      Plain: { properties: { plain: reference('Plain'), text: { type: 'string' } } },
      Kind: open,
      Thing: {
        properties: {
          kind: { anyOf: [reference('Kind'), { ...open, enum: ['b'] }] },
          plain: reference('Plain'),
          parts: { items: reference('Thing') },
        },
      },
    })
    expect(openEnums(contract.schemas.at('Thing'))).toEqual([{ path: ['kind'], values: ['b', 'a'] }])
    expect(openEnums(contract.schemas.at('Plain'))).toEqual([])
    expect(contract.problems.departures).toEqual([])
  })

  it('are the shortest, with a note, where there are thousands, and take as many steps for each body', () => {
    const contract = contractOf(allRelated(30, { kind: open }))
    const steps = contract.schemas.members().map(([, schema]) => {
      const before = contract.steps
      const found = openEnums(schema)
      expect(found[0]).toEqual({ path: ['kind'], values: ['a'] })
      expect(found.length).toBeLessThan(2_000)
      openEnums(schema)
      return contract.steps - before
    })
    expect(Math.max(...steps)).toBeLessThan(4_000)
    expect(contract.problems.departures[0]?.reason).toContain('too many paths')
  })
})

it('the names that a direction excludes are the same sets for all links of a chain of `allOf`', () => {
  const setsOf = (count: number) => {
    const link = (index: number) => ({
      allOf: [
        reference(`S${index + 1}`),
        { type: 'object', properties: { id: { type: 'string', readOnly: true } } },
      ],
    })
    const links = Object.fromEntries(numbers(count).map((index) => [`S${index}`, link(index)]))
    const last = { type: 'object', properties: { key: { type: 'string', readOnly: true } } }
    const contract = contractOf({ ...links, [`S${count}`]: last }, 'request')
    const sets = new Set(schemasIn(contract).map((schema) => contract.excluded(schema)))
    return [...sets].map((set) => [...set].sort())
  }
  for (const count of [50, 500]) expect(setsOf(count)).toEqual([['id', 'key'], ['key']])
})
