import { beforeAll, describe, expect, it } from 'vitest'

import type { ServiceModel } from '../src/normalize/model.ts'
import { typeCheck } from './support/compiler.ts'
import { type Schemas, documentOf, generate, loadSchemas, modelOf, printed } from './support/generated.ts'
import { oraclesOf } from './support/oracle.ts'

const text = { type: 'string' }
const object = (properties: object, required: readonly string[]) => ({ type: 'object', required, properties })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const content = (name: string) => ({ 'application/json': { schema: ref(name) } })

const schemas = {
  Ferry: object({ kind: text, cars: { type: 'integer' } }, ['kind', 'cars']),
  Barge: object({ kind: text, tons: { type: 'number' } }, ['kind', 'tons']),
  Tug: object({ kind: { ...text, const: 'tug' }, pull: { type: 'number' } }, ['kind', 'pull']),
  // Two values name one schema. Barge is named by its own name. Tug lists its value itself.
  Vessel: {
    oneOf: [ref('Ferry'), ref('Barge'), ref('Tug')],
    discriminator: {
      propertyName: 'kind',
      mapping: { ferry: '#/components/schemas/Ferry', 'car-ferry': 'Ferry', tug: 'Tug' },
    },
  },
  Fleet: { type: 'array', items: ref('Vessel') },
  // The first discriminator belongs to no union, and the second names no branch.
  Lone: { ...object({ kind: text }, []), discriminator: { propertyName: 'kind' } },
  Broken: { oneOf: [ref('Ferry'), ref('Barge')], discriminator: {} },
}
/** A base component that others extend, one of them through another component. */
const extended = {
  Port: {
    ...object({ type: text, next: ref('Port') }, ['type']),
    description: 'A port.',
    discriminator: { propertyName: 'type', mapping: { sea: 'SeaPort' } },
  },
  SeaPort: { allOf: [ref('Port'), object({ depth: { type: 'number' } }, ['depth'])] },
  RiverPort: { allOf: [ref('Port'), object({ river: text }, ['river'])] },
  LockPort: { allOf: [ref('RiverPort'), object({ locks: { type: 'integer' } }, ['locks'])] },
}
const responses = (name: string) => ({ '200': { description: '', content: content(name) } })
const source = documentOf({
  paths: {
    '/fleet': { get: { operationId: 'getFleet', responses: responses('Fleet') } },
    '/port': { get: { operationId: 'getPort', responses: responses('Port') } },
  },
  components: { schemas: { ...schemas, ...extended } },
})

const consumer = `
import type { Port, PortBase, Vessel } from './index.gen.ts'
import type { TestApi } from './api.gen.ts'

export async function use(api: TestApi): Promise<number> {
  const [vessel] = await api.getFleet()
  if (vessel === undefined) return 0
  switch (vessel.kind) {
    case 'ferry':
    case 'car-ferry':
      return vessel.cars
    case 'Barge':
      return vessel.tons
    case 'tug':
      return vessel.pull
  }
}
export async function visit(api: TestApi): Promise<string | number | undefined> {
  const port = await api.getPort()
  if (port.type === 'sea') return port.depth + (port.next?.type === 'LockPort' ? port.next.locks : 0)
  return port.river
}
export const base: PortBase = { type: 'other' }
// @ts-expect-error: a sea port has a depth.
export const shallow: Port = { type: 'sea' }
export const right: Vessel = { kind: 'car-ferry', cars: 1 }
// @ts-expect-error: a ferry has cars.
export const wrong: Vessel = { kind: 'ferry', tons: 1 }
`

it('the schema that a discriminator maps all other values to has any value, or none', async () => {
  const Other = object({ kind: text, size: { type: 'number' } }, ['size'])
  const discriminator = { propertyName: 'kind', mapping: { ferry: 'Ferry' }, defaultMapping: 'Other' }
  const members = { Ferry: schemas.Ferry, Other, Vessel: { oneOf: [ref('Ferry'), ref('Other')], discriminator } }
  const heirs = {
    Port: { ...object({ type: text }, []), discriminator: { propertyName: 'type', defaultMapping: ref('RiverPort').$ref } },
    SeaPort: { allOf: [ref('Port'), object({ depth: { type: 'number' } }, ['depth'])] },
    RiverPort: { allOf: [ref('Port'), object({ river: text }, ['river'])] },
  }
  const model = await modelOf(documentOf({ openapi: '3.2.0', components: { schemas: { ...members, ...heirs } } }))
  expect(model.departures.filter(({ place }) => place.pointer.endsWith('/discriminator'))).toEqual([])
  const lines = `
import type { Port, Vessel } from './types.gen.ts'
export const vessels: Vessel[] = [{ kind: 'ferry', cars: 1 }, { kind: 'raft', size: 1 }, { size: 1 }]
export const ports: Port[] = [{ type: 'SeaPort', depth: 1 }, { type: 'pond', river: 'Elbe' }, { river: 'Elbe' }]
// @ts-expect-error: other values have a size.
export const wrong: Vessel = { kind: 'raft', cars: 1 }
`
  expect(await typeCheck(await printed(model), lines)).toBe('')
}) // prettier-ignore

describe('a union with a discriminator', () => {
  let model: ServiceModel
  let files: ReadonlyMap<string, string>
  let loaded: Schemas

  beforeAll(async () => {
    model = await modelOf(source)
    files = await printed(model)
    loaded = await loadSchemas(files, 'zod/mini')
  })

  it('is narrowed by its property', async () => {
    expect(await typeCheck(files, consumer)).toBe('')
  })

  it('accepts what JSON Schema accepts, which knows no discriminators', () => {
    const oracle = oraclesOf(source.value)(ref('Vessel') as never)
    const values = [
      { kind: 'ferry', cars: 1 },
      { kind: 'ferry', tons: 1 },
      { kind: 'other', tons: 1 },
      { kind: 'ferry', cars: 1, tons: 1 },
      { cars: 1 },
      { kind: 'tug', pull: 1 },
      { kind: 'tug', cars: 1 },
      { kind: 'tug' },
      { kind: 7, cars: 1 },
      null,
      'ferry',
    ]
    const judged = values.map((value) => oracle.judge(value) === undefined)
    expect(values.map((value) => loaded['vessel']?.safeParse(value).success)).toEqual(judged)
    expect(new Set(judged)).toEqual(new Set([true, false]))
    const ports = [
      { type: 'sea', depth: 1 },
      { type: 'sea' },
      { type: 'other' },
      {},
      { type: 'sea', next: {} },
    ]
    const judge = oraclesOf(source.value)(ref('Port') as never)
    const expected = ports.map((value) => judge.judge(value) === undefined)
    expect(ports.map((value) => loaded['port']?.safeParse(value).success)).toEqual(expected)
    const locked = { type: 'LockPort', river: 'Elbe', locks: 2 }
    expect(
      [locked, { ...locked, locks: 'two' }].map((one) => loaded['lockPort']?.safeParse(one).success),
    ).toEqual([true, false])
  })

  it.each([
    [{ kind: 'ferry', cars: 'many' }, [['cars']]],
    [{ kind: 'car-ferry' }, [['cars']]],
    [{ kind: 'Barge', tons: null }, [['tons']]],
  ])('explains what is wrong with the branch that %j selects', (value, paths) => {
    const [issue] = loaded['vessel']?.safeParse(value).error?.issues ?? []
    const { errors } = issue as unknown as { readonly errors: readonly { readonly path: unknown }[][] }
    expect(errors.map((issues) => issues.map(({ path }) => path))).toEqual([paths])
  })

  it('explains what is wrong with all branches if no value selects one', () => {
    const [issue] = loaded['vessel']?.safeParse({ kind: 'sub' }).error?.issues ?? []
    expect((issue as unknown as { readonly errors: unknown[] }).errors).toHaveLength(3)
  })

  it('is listed where it has no effect, and where types leave out values that are accepted', () => {
    const listed = model.departures.filter(({ place }) => place.pointer.endsWith('/discriminator'))
    const isNarrow = (reason: string) => reason.includes("that the TypeScript type doesn't allow")
    expect(
      listed.map(({ effect, place, reason }) => `${effect} ${place.pointer} ${isNarrow(reason)}`),
    ).toEqual([
      'noted #/components/schemas/Port/discriminator true',
      'noted #/components/schemas/Vessel/discriminator true',
      'noted #/components/schemas/Lone/discriminator false',
      'noted #/components/schemas/Broken/discriminator false',
    ])
  })
})

it('a discriminator leaves the type of a branch alone if its property can only be a number or a boolean there', async () => {
  const kind = (schema: object) => ({ type: 'object', required: ['kind'], properties: { kind: schema } })
  const schemas = {
    One: { allOf: [ref('Numbered'), { type: 'object' }] },
    Numbered: kind({ type: 'integer' }),
    Flag: kind({ type: ['boolean', 'null'] }),
    Named: kind({ type: ['string', 'null'] }),
    Any: {
      oneOf: [ref('One'), ref('Flag'), ref('Named')],
      discriminator: { propertyName: 'kind', mapping: { 1: 'One', true: 'Flag', named: 'Named' } },
    },
    Base: { ...kind({ type: 'integer' }), discriminator: { propertyName: 'kind' } },
    Heir: { allOf: [ref('Base'), { type: 'object' }] },
  }
  const code = `import type { Any, Base } from './types.gen.ts'
export const values: readonly [Any, Any, Any, Base] = [{ kind: 1 }, { kind: true }, { kind: 'named' }, { kind: 2 }]
// @ts-expect-error: the value that names another branch.
export const other: Any = { kind: 'One' }
`
  expect(await typeCheck(await generate(documentOf({ components: { schemas } })), code)).toBe('')
})
