import { beforeAll, describe, expect, it } from 'vitest'

import type { ServiceModel } from '../src/normalize/model.ts'
import { type Schemas, accepted, documentOf, loadSchemas, modelOf, printed } from './support/generated.ts'
import { type QuickTests, loadQuick } from '../src/corpus/quick.ts'

const text = { type: 'string' }
const id = { ...text, readOnly: true }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const having = (name: string, ...others: object[]) => ({
  allOf: [...others, { type: 'object', required: [name], properties: { [name]: text } }],
})

const FILE = { a: 'x' }
const LINK = { b: 'x' }
const BOTH = { a: 'x', b: 'x' }
const NAMED = { id: '1', ...FILE }

/** Each schema, with the requests and the responses that it rejects. It accepts the other values above. */
const cases: Record<string, { schema: object; requests: object[]; responses: object[]; isWidened?: true }> = {
  'a union beside the property': {
    schema: {
      type: 'object',
      required: ['id'],
      properties: { id },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    requests: [BOTH],
    responses: [FILE, LINK, BOTH],
  },
  'a union whose branches extend the same object': {
    schema: { oneOf: [having('a', ref('Base')), having('b', ref('Base'))] },
    requests: [BOTH],
    responses: [FILE, LINK, BOTH],
  },
  'branches that describe the property in the same way': {
    schema: {
      oneOf: [
        { type: 'object', required: ['id', 'a'], properties: { id: { ...id, description: 'One' } } },
        { type: 'object', required: ['id', 'b'], properties: { id: { description: 'Two', ...id } } },
      ],
    },
    requests: [BOTH],
    responses: [FILE, LINK, BOTH],
  },
  'branches that only the property distinguishes': {
    schema: { type: 'object', properties: { id }, oneOf: [{ required: ['id'] }, { required: ['b'] }] },
    requests: [],
    responses: [FILE],
    isWidened: true,
  },
  'branches that describe the property differently': {
    schema: {
      oneOf: [
        { type: 'object', properties: { id } },
        { type: 'object', properties: { id: { type: 'integer', readOnly: true } } },
      ],
    },
    requests: [],
    responses: [FILE, LINK, BOTH],
    isWidened: true,
  },
  'a component that demands the property, which only the schema beside it marks': {
    schema: { allOf: [ref('Demanding'), { type: 'object', properties: { id: { readOnly: true } } }] },
    requests: [LINK],
    responses: [FILE, LINK, BOTH],
  },
  'a demand of its own for a property that another schema marks': {
    schema: { allOf: [ref('Base'), { required: ['a', 'id'] }] },
    requests: [LINK],
    responses: [FILE, LINK, BOTH],
  },
  'a condition that demands the property': {
    schema: {
      type: 'object',
      properties: { id },
      if: { required: ['a'] },
      then: { required: ['id'] },
      else: { required: ['a', 'id'] },
    },
    requests: [LINK],
    responses: [FILE, LINK, BOTH],
  },
  'a condition about the property': {
    schema: { type: 'object', properties: { id }, if: { required: ['id'] }, else: { required: ['b'] } },
    requests: [],
    responses: [FILE],
    isWidened: true,
  },
  'a property that another one depends on': {
    schema: { type: 'object', properties: { id }, dependentSchemas: { a: { required: ['id'] } } },
    requests: [],
    responses: [FILE, BOTH],
  },
}
const names = Object.keys(cases)
const components = {
  Base: { type: 'object', required: ['id'], properties: { id } },
  Demanding: { allOf: [ref('Demanded'), { type: 'object', required: ['a'] }] },
  Demanded: { type: 'object', required: ['id'], properties: { id: text } },
  ...Object.fromEntries(names.map((name, index) => [`Case${index}`, cases[name]?.schema])),
}
const pathOf = (name: string) => ({
  post: {
    operationId: `send${name}`,
    requestBody: { required: true, ...json(ref(name)) },
    responses: { 200: { description: '', ...json(ref(name)) } },
  },
})

describe('a union with properties of one direction', () => {
  let model: ServiceModel
  let zod: Schemas
  let quick: QuickTests

  beforeAll(async () => {
    const paths = Object.fromEntries(names.map((_, index) => [`/${index}`, pathOf(`Case${index}`)]))
    model = await modelOf(documentOf({ paths, components: { schemas: components } }))
    zod = await loadSchemas(await printed(model))
    quick = await loadQuick(model.schemas, model.schemas.keys())
  })

  it.each(names)('keeps what is said by %s', (name) => {
    const index = names.indexOf(name)
    const values = [FILE, LINK, BOTH, NAMED]
    const rejectedBy = (type: string) => {
      const fitting = accepted(zod, `c${type.slice(1)}`, values)
      expect(values.filter((value) => quick[type]?.(value))).toEqual(fitting)
      return values.filter((value) => !fitting.includes(value))
    }
    expect({ requests: rejectedBy(`Case${index}Request`), responses: rejectedBy(`Case${index}`) }).toEqual({
      requests: cases[name]?.requests,
      responses: cases[name]?.responses,
    })
    const widened = model.departures.filter(
      ({ effect, place }) =>
        effect === 'widened' && place.pointer.startsWith(`#/components/schemas/Case${index}`),
    )
    expect(widened.length > 0).toBe(cases[name]?.isWidened === true)
  })
})
