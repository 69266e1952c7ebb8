import { beforeAll, describe, expect, it } from 'vitest'

import type { ServiceModel } from '../src/normalize/model.ts'
import { type Schemas, documentOf, loadSchemas, modelOf, printed } from './support/generated.ts'
import { oraclesOf } from './support/oracle.ts'
import { type QuickTests, loadQuick } from '../src/corpus/quick.ts'

const text = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })

/** An account with an id that the service sets and a password that it never shows. */
const account = {
  type: 'object',
  required: ['id', 'name', 'password'],
  properties: {
    id: { type: 'integer', readOnly: true },
    name: text,
    password: { type: 'string', writeOnly: true },
    owner: ref('Owner'),
  },
}
const owner = { type: 'object', required: ['name'], properties: { name: text, accounts: { type: 'array', items: ref('Account') } } } // prettier-ignore
const closed = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name'],
  properties: { id: { ...text, readOnly: true }, name: text },
}
const schemas = {
  Account: account,
  Owner: owner,
  Closed: closed,
  Extended: {
    allOf: [ref('Account'), { required: ['id', 'size'], properties: { size: { type: 'integer' } } }],
  },
  Either: { oneOf: [ref('Account'), ref('Closed')] },
  Plain: { type: 'object', properties: { name: text } },
  AccountRequest: { type: 'object', properties: { reason: text } },
  Stamp: { ...text, readOnly: true },
  Named: { type: 'object', properties: { default: { type: 'object', required: ['id'], properties: { id: { ...text, readOnly: true } } } } },
  Stamped: { type: 'object', required: ['at'], properties: { at: ref('Stamp') } },
} // prettier-ignore
const pathOf = (name: string) => ({
  post: {
    operationId: `send${name}`,
    requestBody: { required: true, ...json(ref(name)) },
    responses: { '200': { description: '', ...json(ref(name)) } },
  },
})
const source = documentOf({
  paths: Object.fromEntries(Object.keys(schemas).map((name) => [`/${name}`, pathOf(name)])),
  components: { schemas },
})

describe('a property that belongs to one direction', () => {
  let model: ServiceModel
  let zod: Schemas
  let quick: QuickTests
  let files: ReadonlyMap<string, string>

  beforeAll(async () => {
    model = await modelOf(source)
    files = await printed(model)
    zod = await loadSchemas(files)
    quick = await loadQuick(model.schemas, model.schemas.keys())
  })

  it('adds a second type only for the schemas that reach it, with a name of its own', () => {
    expect([...model.schemas.keys()].filter((name) => !name.startsWith('Send'))).toEqual([
      ...Object.keys(schemas),
      'AccountRequest2',
      'OwnerRequest',
      'ClosedRequest',
      'ExtendedRequest',
      'EitherRequest',
      'NamedRequest',
      'StampedRequest',
    ])
  })

  it('changes nothing but what is demanded, as Ajv judges the same schemas without it', () => {
    const relaxed = (raw: typeof account, lacks: string) => ({
      ...raw,
      required: raw.required.filter((name) => name !== lacks),
      properties: { ...raw.properties, [lacks]: undefined },
    })
    const rawOf = (lacks: 'id' | 'password') => {
      const own: object = JSON.parse(
        JSON.stringify({
          ...schemas,
          Account: relaxed(account, lacks),
          Closed: lacks === 'id' ? { ...closed, required: ['name'] } : closed,
          Extended: {
            allOf: [
              ref('Account'),
              {
                required: ['id', 'size'].filter((name) => name !== lacks),
                properties: { size: { type: 'integer' } },
              },
            ],
          },
          Either: { anyOf: [ref('Account'), ref('Closed')] },
        }),
      )
      return { components: { schemas: own } } as never
    }
    const ids = [{}, { id: 1 }, { id: 'a' }]
    const names = [{}, { name: 'a' }, { name: 1 }]
    const passwords = [{}, { password: 'a' }]
    const others = [{}, { size: 1 }, { size: 'a' }]
    const flat = ids.flatMap((id) =>
      names.flatMap((name) =>
        passwords.flatMap((password) => others.map((more) => ({ ...id, ...name, ...password, ...more }))),
      ),
    )
    const values = [
      ...flat,
      ...flat.slice(0, 20).map((one) => ({ ...one, owner: { name: 'a', accounts: [one] } })),
      7,
    ]
    const wrong: unknown[] = []
    for (const [lacks, types] of [
      ['password', { Account: 'Account', Owner: 'Owner', Closed: 'Closed', Extended: 'Extended' }],
      [
        'id',
        {
          Account: 'AccountRequest2',
          Owner: 'OwnerRequest',
          Closed: 'ClosedRequest',
          Extended: 'ExtendedRequest',
          Either: 'EitherRequest',
        },
      ],
    ] as const) {
      // prettier-ignore
      const judge = oraclesOf(rawOf(lacks))
      for (const [name, type] of Object.entries(types)) {
        const oracle = judge(ref(name))
        for (const value of values) {
          const expected = oracle.judge(value) === undefined
          const key = `${type.charAt(0).toLowerCase()}${type.slice(1)}`
          const found = [zod[key]?.safeParse(value).success, quick[type]?.(value)]
          if (found.some((one) => one !== expected)) wrong.push({ type, value, expected, found })
        }
      }
    }
    expect(wrong.slice(0, 3)).toEqual([])
  })

  it('is marked where the property refers to a schema that is', () => {
    expect(zod['stamped']?.safeParse({}).success).toBe(false)
    expect(zod['stampedRequest']?.safeParse({}).success).toBe(true)
  })

  it('lists what is left open because of it', () => {
    const widened = model.departures.filter(({ effect }) => effect === 'widened')
    expect(widened.map(({ place, reason }) => `${place.pointer} ${reason}`)).toEqual(
      ['response', 'request'].map(
        (direction) =>
          `#/components/schemas/Either/oneOf \`oneOf\` relies on a property that doesn't belong to a ${direction}`,
      ),
    )
  })

  it('is not in the type of the other direction', () => {
    const namesOf = (type: string) => Object.keys(model.schemas.get(type)?.properties ?? {})
    expect(namesOf('Account')).toEqual(['id', 'name', 'owner'])
    expect(namesOf('AccountRequest2')).toEqual(['name', 'password', 'owner'])
    // Otherwise, a closed object would reject the property, and a caller couldn't send an object that it received.
    expect(namesOf('ClosedRequest')).toEqual(['id', 'name'])
    expect(files.get('types.gen.ts')).toContain(
      'export type SendAccountInput = {\n  body: AccountRequest2\n}',
    )
  })
})
