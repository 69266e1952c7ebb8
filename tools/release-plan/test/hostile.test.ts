import { describe, expect, it } from 'vitest'

import { PlanError } from '../src/index.ts'
import { compareTexts } from './support.ts'

const contract = (schema: string, more = ''): Record<string, string> => ({
  'parcels/openapi.yaml': `openapi: 3.1.0
paths:
  /parcels:
    get:
      operationId: listParcels
      responses:
        '200':
          description: Parcels.
          content:
            application/json:
              schema: ${schema}
${more}`,
})
const plain = contract('{ type: string }')

describe("contracts that can't be compared", () => {
  it.each([
    [
      'malformed YAML',
      { 'parcels/openapi.yaml': 'openapi: 3.1.0\npaths: [\n' },
      'specs/parcels/openapi.yaml:3 of the tree is not valid',
    ],
    [
      'a duplicate key',
      { 'parcels/openapi.yaml': 'openapi: 3.1.0\nopenapi: 3.1.1\n' },
      'specs/parcels/openapi.yaml:2 of the tree is not valid: Map keys must be unique',
    ],
    ['a list instead of an object', { 'parcels/openapi.yaml': '- a\n' }, 'it is not an object'],
    [
      'YAML that is nested too deeply',
      { 'parcels/openapi.yaml': `openapi: ${'['.repeat(20_000)}` },
      'specs/parcels/openapi.yaml:1 of the tree is not valid',
    ],
    [
      'aliases that multiply',
      {
        'parcels/openapi.yaml': `a: &a [x, x]\n${[...'bcdefghijkl'].map((name, at) => `${name}: &${name} [${`*${'abcdefghijkl'[at]}, `.repeat(9)}]`).join('\n')}\n`,
      },
      'Excessive alias count',
    ],
    [
      'a reference to a URL',
      contract("{ $ref: 'https://other.example/a.yaml#/A' }"),
      'specs/parcels/openapi.yaml:11 (#/paths/~1parcels/get/responses/200/content/application~1json/schema) of the tree leads to no contract of the same service',
    ],
    [
      'a reference out of the folder',
      contract("{ $ref: '../../package.json#/name' }"),
      'leads to no contract of the same service',
    ],
    ['a reference to nothing', contract("{ $ref: '#/components/schemas/Gone' }"), 'leads to nothing'],
    ['a reference with a broken escape', contract("{ $ref: '#/components/schemas/%' }"), 'leads to nothing'],
    [
      'circular references',
      contract(
        "{ $ref: '#/components/schemas/A' }",
        "components: { schemas: { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } } }",
      ),
      'is circular',
    ],
    [
      'a schema that is nested too deeply',
      contract(`${'{ type: array, items: '.repeat(150)}{ type: string }${' }'.repeat(150)}`),
      'nested more than 100 levels deep',
    ],
  ])('rejects a contract with file and line: %s', (_, next, reason) => {
    const base = reason.includes('nested more') ? next : plain
    const changed =
      base === next
        ? {
            'parcels/openapi.yaml': next['parcels/openapi.yaml']!.replace(
              '{ type: string }',
              '{ type: integer }',
            ),
          }
        : next

    const compare = () => compareTexts(base, changed)

    expect(compare).toThrow(PlanError)
    expect(compare).toThrow(reason)
  })
})

describe('contracts that only look dangerous', () => {
  it('compares schemas that contain themselves', () => {
    const node = (value: string) =>
      contract(
        "{ $ref: '#/components/schemas/Node' }",
        `components: { schemas: { Node: { type: object, properties: { value: ${value}, next: { $ref: '#/components/schemas/Node' } } } } }`,
      )

    const changes = compareTexts(node('{ type: string }'), node('{ type: integer }'))

    expect(changes.map(({ message }) => message)).toEqual([
      'Changes the type of `Node.value` from `string` to `integer` (response).',
    ])
  })

  it('compares schemas whose references multiply at each level', () => {
    const names = Array.from({ length: 40 }, (_, at) => `S${at}`)
    const schemas = (leaf: string): string =>
      names
        .map((name, at) => {
          const next = names[at + 1]
          return next
            ? `${name}: { type: object, properties: { a: { $ref: '#/components/schemas/${next}' }, b: { $ref: '#/components/schemas/${next}' } } }`
            : `${name}: ${leaf}`
        })
        .join(', ')
    const tree = (leaf: string) =>
      contract("{ $ref: '#/components/schemas/S0' }", `components: { schemas: { ${schemas(leaf)} } }`)

    expect(compareTexts(tree('{ type: string }'), tree('{ type: integer }'))).toHaveLength(1)
  })

  it('shows control characters of a contract as spaces', () => {
    const base = contract('{ type: string, enum: [a] }')
    const next = contract('{ type: string, enum: [a, "b\\e[31m\\n# c"] }')

    expect(compareTexts(base, next)[0]?.message).toBe(
      'Adds the value `b [31m # c` to the response 200 of `listParcels`.',
    )
  })

  it('compares members that are named like members of the object prototype', () => {
    const base = contract('{ type: object, properties: { constructor: { type: string } } }')
    const next = contract(
      '{ type: object, properties: { constructor: { type: string }, __proto__: { type: string } } }',
    )

    expect(compareTexts(base, next).map(({ message }) => message)).toEqual([
      'Adds the optional response field `__proto__` to the response 200 of `listParcels`.',
    ])
  })
})
