import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { GenerationError } from '../src/problems.ts'
import { generate } from '../src/run.ts'
import { typesAndSchemas } from '../src/emit/hey-api.ts'
import type { PlainSchema } from '../src/normalize/rules.ts'
import { readService } from '../src/normalize/service.ts'
import { accepted, schemasFrom, schemasOf } from './support/generated.ts'

const text = { type: 'string' }

/** Nests a value the given number of times. */
function nested(levels: number, around: (inner: object) => object, innermost: object = text): object {
  let inner = innermost
  for (let level = 0; level < levels; level++) inner = around(inner)
  return inner
}

const kinds: Readonly<Record<string, (inner: object) => object>> = {
  properties: (inner) => ({ type: 'object', properties: { a: inner } }),
  'properties without type': (inner) => ({ properties: { a: inner } }),
  items: (inner) => ({ type: 'array', items: inner }),
  prefixItems: (inner) => ({ type: 'array', prefixItems: [inner] }),
  additionalProperties: (inner) => ({ type: 'object', additionalProperties: inner }),
  allOf: (inner) => ({ allOf: [inner, { maxLength: 3 }] }),
  anyOf: (inner) => ({ anyOf: [inner, { type: 'number' }] }),
  oneOf: (inner) => ({ oneOf: [inner, { type: 'number' }] }),
  not: (inner) => ({ not: inner }),
  if: (inner) => ({ if: inner, then: text }),
  unevaluatedProperties: (inner) => ({ type: 'object', unevaluatedProperties: inner }),
}

describe('a document that is nested deeply', () => {
  let folder: string
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'concord-depth-'))))
  afterAll(() => rmSync(folder, { recursive: true }))

  async function outcomeOf(text: string): Promise<string> {
    writeFileSync(join(folder, 'openapi.yaml'), text)
    try {
      const { changes } = await generate({ services: [{ name: 'deep', openapi: 'openapi.yaml', output: 'gen' }] }, folder)
      return `${changes.length > 0}`
    } catch (error) {
      if (!(error instanceof GenerationError)) throw error
      return error.problems.map(({ place, reason }) => `${place.pointer}: ${reason}`).join('\n')
    }
  } // prettier-ignore

  const documentOf = (members: object) =>
    JSON.stringify({ openapi: '3.1.0', info: { title: 'Deep', version: '1' }, paths: {}, ...members })
  const schemaOf = (schema: object) => documentOf({ components: { schemas: { Deep: schema } } })

  it.each(Object.entries(kinds))('is generated, or rejected at the first level too many: %s', async (_, around) => {
    expect(await outcomeOf(schemaOf(nested(62, around)))).toBe('true')
    expect(await outcomeOf(schemaOf(nested(80, around)))).toMatch(
      /^#\/components\/schemas\/Deep\/.*: this schema is nested too deeply, in more than 64 other schemas; move it to `components\/schemas`$/,
    )
    expect(await outcomeOf(schemaOf(nested(600, around)))).toMatch(/: the document is nested too deeply/)
    // A rejected document leaves nothing behind.
    expect(await outcomeOf(schemaOf(text))).toBe('true')
  }) // prettier-ignore

  it('may have deep values that are not schemas', async () => {
    const value = nested(480, (inner) => ({ a: inner }))
    expect(await outcomeOf(schemaOf({ type: 'object', default: value, example: value, 'x-other': value }))).toBe('true')
    expect(await outcomeOf(schemaOf({ const: nested(480, (inner) => [inner]) }))).toBe('true')
    expect(await outcomeOf(documentOf({ 'x-other': nested(600, (inner) => ({ a: inner })) }))).toMatch(/^#\/x-other\/a\/a: the document is nested too deeply/)
  }) // prettier-ignore

  it('counts the levels that aliases of YAML add', async () => {
    const levels = Array.from({ length: 12 }, (_, index) => `  - &l${index} ${'['.repeat(50)}${index > 0 ? `*l${index - 1}` : '1'}${']'.repeat(50)}\n`)
    expect(await outcomeOf(`openapi: 3.1.0\ninfo: { title: T, version: '1' }\nx-list:\n${levels.join('')}`)).toMatch(
      /^#\/x-list\/9\/0: the document is nested too deeply/,
    )
  }) // prettier-ignore

  it('may refer to itself where it decides which properties are unevaluated', async () => {
    const branch = {
      type: 'object',
      if: { required: ['a'] },
      else: { anyOf: [{ required: ['b'] }, { $ref: '#/components/schemas/Thing' }] },
      unevaluatedProperties: text,
    }
    expect(
      await outcomeOf(
        documentOf({ components: { schemas: { Thing: { oneOf: [branch, { type: 'array' }] } } } }),
      ),
    ).toBe('true')
  })
})

it('an `allOf` of hundreds of schemas checks each of them', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `p${index}`)
  const all = { allOf: names.map((name) => ({ type: 'object', properties: { [name]: text } })) }
  const schemas = await schemasFrom({ All: all, List: { type: 'array', items: all } })
  const wrong = names.filter((_, index) => index % 100 === 0).map((name) => ({ [name]: 1 }))
  const right = { p0: 'a', p299: 'b' }
  expect(accepted(schemas, 'all', [right, { p299: 1 }, ...wrong])).toEqual([right])
  expect(accepted(schemas, 'list', [[right], [{ p299: 1 }], ...wrong.map((one) => [one])])).toEqual([[right]])
}) // prettier-ignore

it('types and schemas can be made after the stack overflowed while others were', async () => {
  const model = await readService(schemasOf({ Thing: text }))
  const outcomes = new Set<string>()
  // The size of the stack decides which of them fail, and in which step.
  for (let levels = 200; levels < 600; levels += 50) {
    const deep = nested(levels, (inner) => ({ type: 'object', properties: { a: inner } })) as PlainSchema
    const made = typesAndSchemas({ ...model, schemas: new Map([['Deep', deep]]) })
    outcomes.add(
      await made.then(
        () => 'made',
        (error: unknown) => (/call stack/.test(String(error)) ? 'overflow' : String(error)),
      ),
    )
    expect((await typesAndSchemas(model)).types).toContain('export type Thing = string')
  }
  expect(outcomes).toContain('overflow')
  outcomes.delete('made')
  expect([...outcomes]).toEqual(['overflow'])
})
