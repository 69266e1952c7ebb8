import { describe, expect, it } from 'vitest'

import { readService } from '../src/normalize/service.ts'
import { parseSource } from '../src/read/source.ts'
import { departuresOf, documentOf, modelOf, printed } from './support/generated.ts'

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })

/** A document with one operation that takes and returns the first of these schemas. */
function using(schemas: Readonly<Record<string, object>>) {
  const [first = ''] = Object.keys(schemas)
  const body = { content: json(reference(first)) }
  const post = { operationId: 'send', requestBody: body, responses: { 200: { description: '', ...body } } }
  return documentOf({ paths: { '/': { post } }, components: { schemas } })
}

// A walk that visits a schema once for each path to it would take years for any of these contracts.
describe('the generator visits a schema once, however many ways lead to it, in', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

  it('schemas that all refer to each other', async () => {
    const names = numbers(40).map((index) => `S${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, reference(name)]))
    const schema = { type: 'object', properties: { ...properties, kind: { type: 'string', 'x-secret': true } } }
    const model = await modelOf(using(Object.fromEntries(names.map((name) => [name, schema]))))
    expect(model.operations[0]?.secrets).toEqual(['kind'])
  }) // prettier-ignore

  it('levels of two references each', async () => {
    const levels = numbers(60).map((index) => {
      const next = reference(`L${index + 1}`)
      return [`L${index}`, { type: 'object', properties: { a: next, b: next }, not: { required: ['c'] } }]
    })
    const last = { type: 'object', properties: { open: { type: 'string', enum: ['a'] } } }
    const model = await modelOf(using({ ...Object.fromEntries(levels), L60: last }))
    expect(departuresOf(model)).toEqual([])
  })

  it('unions of unions and combinations of combinations', async () => {
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const levels = numbers(40).map((index) => {
        const next = reference(`L${index + 1}`)
        return [`L${index}`, { [key]: [next, next] }]
      })
      const model = await modelOf(using({ ...Object.fromEntries(levels), L40: { type: 'string' } }))
      expect(model.schemas.size).toBeGreaterThan(40)
    }
  })

  const chain = (letter: string, count: number, link: (next: object, index: number) => object) =>
    numbers(count).map(
      (index) => [`${letter}${index}`, link(reference(`${letter}${index + 1}`), index)] as const,
    )

  it('chains of thousands of references and of combinations', async () => {
    const own = (index: number) => ({ type: 'object', properties: { [`p${index}`]: { type: 'string' } } })
    const schemas = [
      ...chain('A', 4_000, (next) => next),
      ...chain('B', 2_000, (next, index) => ({ allOf: [next, own(index)] })),
    ]
    const ends = { A4000: own(0), B2000: own(1) }
    const model = await modelOf(using({ ...Object.fromEntries(schemas), ...ends }))
    expect(model.schemas.get('A0')).toEqual({ $ref: '#/components/schemas/A1' })
  }) // prettier-ignore

  it('a chain of objects, and a circle of them, when they are written', async () => {
    const holder = (next: object) => ({ type: 'object', properties: { next }, required: ['next'] })
    const schemas = { ...Object.fromEntries(chain('A', 1_200, holder)), A1200: reference('A600') }
    const files = await printed(await modelOf(using(schemas)))
    const text = files.get('schemas.gen.ts') ?? ''
    expect(text).toContain('z.lazy((): z.core.$ZodType<A1> => a1)')
    expect(files.get('checks.gen.ts')).toContain('function acceptsA1199(')
  })

  it('unions of objects that refer to each other', async () => {
    const names = numbers(14).map((index) => `S${index}`)
    const schemas = names.map((name) => [
      name,
      { oneOf: names.map((other) => ({ type: 'object', properties: { a: reference(other) } })) },
    ])
    await modelOf(using(Object.fromEntries(schemas)))
  })
})

const head = 'openapi: 3.1.0\ninfo: { title: Test, version: 1.0.0 }\npaths: {}\n'

it('a document may use an alias of YAML often', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `      p${index}: *text\n`).join('')
  const source = parseSource(
    `${head}components:\n  schemas:\n    Text: &text { type: string }\n    Thing:\n     type: object\n     properties:\n${names}`,
    'openapi.yaml',
  )
  expect((await readService(source)).schemas.size).toBe(2)
})
