import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { inFolder } from '../src/corpus/scratch.ts'
import { generate } from '../src/run.ts'
import { parseSource } from '../src/read/source.ts'
import {
  type Schemas,
  accepted,
  documentOf,
  loadSchemas,
  modelOf,
  printed,
  schemasOf,
} from './support/generated.ts'

const text = { type: 'string' }

async function load(
  schemas: object,
  others: Readonly<Record<string, object>> = {},
): Promise<{ readonly schemas: Schemas; readonly widened: readonly string[] }> {
  const model = await modelOf(schemasOf(schemas), {
    others: Object.entries(others).map(([file, value]) => parseSource(JSON.stringify(value), file)),
  })
  const widened = model.departures.filter(({ effect }) => effect === 'widened')
  return {
    schemas: await loadSchemas(await printed(model)),
    widened: widened.map(({ place, reason }) => `${place.file}${place.pointer}: ${reason}`),
  }
}

describe('a reference is resolved as JSON Schema requires:', () => {
  const deep = {
    type: 'object',
    properties: { 'a/b~c %': { type: 'array', prefixItems: [text, { type: 'integer' }] } },
  }
  const cases: Readonly<Record<string, readonly [schemas: object, others?: Readonly<Record<string, object>>]>> = {
    'a pointer deep into a component': [
      { Deep: deep, Thing: { $ref: '#/components/schemas/Deep/properties/a~1b~0c%20%25/prefixItems/1' } },
    ],
    'a pointer through another reference': [
      { Deep: { properties: { a: { type: 'integer' } } }, Other: { $ref: '#/components/schemas/Deep' }, Thing: { $ref: '#/components/schemas/Other/properties/a' } },
    ],
    'a pointer into $defs': [
      { Thing: { $defs: { n: { type: 'integer' } }, $ref: '#/components/schemas/Thing/$defs/n' } },
    ],
    'an anchor': [{ Other: { $anchor: 'number', type: 'integer' }, Thing: { $ref: '#number' } }],
    'an anchor in a schema with an address of its own': [
      { Thing: { $id: 'https://a.example/thing', $ref: '#number', $defs: { n: { $anchor: 'number', type: 'integer' } } }, Other: { $anchor: 'number', type: 'string' } },
    ],
    'the address of a schema': [
      { Other: { $id: 'https://a.example/other.json', type: 'integer' }, Thing: { $ref: 'https://a.example/other.json' } },
    ],
    'an address that is relative to another one': [
      { Thing: { $id: 'https://a.example/b/thing', $ref: '../c', $defs: { c: { $id: '/c', type: 'integer' } } } },
    ],
    'a pointer from a schema with an address of its own': [
      { Thing: { $id: 'https://a.example/thing', $ref: '#/$defs/n', $defs: { n: { type: 'integer' } } } },
    ],
    'another file': [{ Thing: { $ref: './more/number.json' } }, { 'specs/test/more/number.json': { type: 'integer' } }],
    'a place in another file, which refers to one beside it': [
      { Thing: { $ref: 'more/all.json#/definitions/number' } },
      { 'specs/test/more/all.json': { definitions: { number: { $ref: 'number.json' } } }, 'specs/test/more/number.json': { type: 'integer' } },
    ],
    'another file, which refers back': [
      { Thing: { $ref: 'other.json' }, Number: { type: 'integer' } },
      { 'specs/test/other.json': { $ref: 'openapi.yaml#/components/schemas/Number' } },
    ],
  } // prettier-ignore

  it.each(Object.entries(cases).map(([name, [schemas, others]]) => ({ name, schemas, others })))(
    '$name',
    async ({ schemas, others }) => {
      const loaded = await load(schemas, others)
      expect(loaded.widened).toEqual([])
      expect(accepted(loaded.schemas, 'thing', [1, 'a', 1.5])).toEqual([1])
    },
  )

  it('a schema that contains itself through a pointer', async () => {
    const tree = { type: 'object', properties: { next: { type: 'array', items: { $ref: '#/components/schemas/Tree/properties/more' } }, more: { type: 'object', properties: { back: { $ref: '#/components/schemas/Tree' } } } } } // prettier-ignore
    const { schemas } = await load({ Tree: tree })
    const values = [{ next: [{ back: { next: [] } }] }, { next: [{ back: { next: [{ back: 1 }] } }] }]
    expect(accepted(schemas, 'tree', values)).toEqual(values.slice(0, 1))
  })
})

describe('a broken reference accepts anything, and is reported with its place:', () => {
  const at = 'specs/test/openapi.yaml#/components/schemas/Thing'
  it.each([
    ['a component that is missing', { $ref: '#/components/schemas/Missing' }, `${at}/$ref`],
    ['a file that was not given', { $ref: './missing.json' }, `${at}/$ref`],
    ['an address that was not given', { $ref: 'https://a.example/b' }, `${at}/$ref`],
    ['a pointer with a broken escape', { $ref: '#/components/schemas/100%' }, `${at}/$ref`],
    ['an anchor that is missing', { $ref: '#missing' }, `${at}/$ref`],
    ['itself', { $ref: '#/components/schemas/Thing' }, `${at}/$ref`],
    ['itself, in a union', { anyOf: [{ $ref: '#/components/schemas/Thing' }, text] }, `${at}/anyOf/0/$ref`],
    ['a dynamic reference', { $dynamicRef: '#a' }, `${at}/$dynamicRef`],
  ])('%s', async (_, schema, place) => {
    const { schemas, widened } = await load({ Thing: schema })
    expect(widened).toEqual([expect.stringContaining(`${place}: `)])
    expect(accepted(schemas, 'thing', [1, null, { a: 1 }])).toEqual([1, null, { a: 1 }])
  })

  it('a parameter, a body and a response', async () => {
    const missing = { $ref: '#/components/missing' }
    const get = { operationId: 'getA', parameters: [missing], responses: { 200: missing } }
    const model = await modelOf(documentOf({ paths: { '/a': { get } } }))
    expect(
      model.departures.filter(({ effect }) => effect === 'widened').map(({ place }) => place.pointer),
    ).toEqual(expect.arrayContaining(['#/paths/~1a/get/parameters/0', '#/paths/~1a/get/responses/200']))
  })
})

describe('a contract that refers to other documents', () => {
  const events = {
    asyncapi: '3.0.0',
    info: { title: 'Events', version: '1' },
    channels: { live: { address: '/live', messages: { tick: { $ref: 'common/messages.yaml#/tick' } } } },
  }
  const messages = { tick: { payload: { $ref: 'https://schemas.example/tick.json' } } }
  const asked: string[] = []
  const fetched = (async (address: string) => {
    asked.push(address)
    return Response.json({ type: 'object', required: ['at'], properties: { at: { type: 'integer' } } })
  }) as typeof fetch

  it('is generated with what they have; addresses are fetched only if the config allows their hosts', async () => {
    const files = new Map([
      ['events.json', JSON.stringify(events)],
      ['common/messages.yaml', JSON.stringify(messages)],
    ])
    await inFolder(files, async (folder) => {
      const service = { name: 'events', asyncapi: 'events.json', output: 'src/gen' }
      const types = async (more: object) => {
        const { services, write } = await generate({ services: [{ ...service, ...more }] }, folder, {
          fetch: fetched,
        })
        write()
        return {
          departures: services[0]?.departures,
          text: readFileSync(join(folder, 'src/gen/types.gen.ts'), 'utf8'),
        }
      }
      const denied = await types({})
      expect(asked).toEqual([])
      expect(denied.departures).toContainEqual({
        place: { file: 'common/messages.yaml', pointer: '#/tick/payload/$ref' },
        reason: expect.stringContaining('Add "schemas.example" to `allowHosts`'),
        effect: 'widened',
      })
      const allowed = await types({ allowHosts: ['schemas.example'] })
      expect(asked).toEqual(['https://schemas.example/tick.json'])
      expect(allowed.text).toContain('at: number')
      await expect(generate({ services: [{ ...service, strict: true }] }, folder)).rejects.toThrow(
        'allowHosts',
      )
    })
  })
})

it('a document that is missing is listed once for each place, and strict mode says that it is the reason, in the order of lines', async () => {
  const ref = { $ref: 'missing.json' }
  const contract = {
    openapi: '3.1.0',
    info: { title: 'A', version: '1' },
    paths: { '/a': { get: { responses: { 200: { description: '', content: { 'application/json': { schema: ref } } } } } } },
    components: { schemas: { Thing: ref, Other: { type: 'string', minimum: 1 } }, parameters: { a: ref } },
  }
  const text = JSON.stringify(contract, undefined, 1)
  await inFolder(new Map([['openapi.json', text]]), async (folder) => {
    const service = { name: 'a', openapi: 'openapi.json', output: 'src/gen' }
    const { services } = await generate({ services: [service] }, folder)
    const found = services[0]?.departures.filter(({ effect }) => effect === 'widened') ?? []
    expect(found.map(({ place }) => place.pointer)).toEqual([
      '#/paths/~1a/get/responses/200/content/application~1json/schema/$ref',
      '#/components/schemas/Thing/$ref',
      '#/components/parameters/a/$ref',
    ])
    const error = await generate({ services: [service] }, folder, { strict: true }).catch(String)
    const lines = [...String(error).matchAll(/openapi\.json:(\d+)/g)].map(([, line]) => Number(line))
    expect(lines).toEqual(lines.toSorted((one, other) => one - other))
    expect(String(error).match(/missing\.json/g)).toHaveLength(1)
    expect(error).toMatch(/also: lines \d+, \d+\n/)
    expect(error).toContain('All of these are rejected by strict mode only. Correct the contract, add an overlay, or turn')
  })
}) // prettier-ignore

it('an address with a query is followed, and the query gets into no message, no report and no file', async () => {
  const address = 'https://schemas.example/lamp.json?token=t0ken'
  const texts: Readonly<Record<string, object>> = {
    [address]: { type: 'object', properties: { at: { $ref: '#/$defs/at' }, gone: { $ref: 'gone.json?token=t0ken' } }, $defs: { at: { type: 'integer' } } },
    'https://schemas.example/lamp.json?token=t0ken&kind=2': { type: 'boolean' },
  }
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Lamps', version: '1' },
    paths: {},
    components: { schemas: { Lamp: { $ref: address }, Second: { $ref: `${address}&kind=2` } } },
  }
  const files = new Map([['openapi.json', JSON.stringify(contract)], ['node_modules/x', '']])
  await inFolder(files, async (folder) => {
    const fetched = (async (input: string) => {
      const found = texts[input]
      return found ? Response.json(found) : new Response('', { status: 404 })
    }) as typeof fetch
    const service = { name: 'lamps', openapi: 'openapi.json', output: 'src/gen', allowHosts: ['schemas.example'] }
    const { services, write } = await generate({ services: [service] }, folder, { fetch: fetched })
    write()
    expect(services[0]?.departures).toEqual([
      {
        place: { file: 'https://schemas.example/lamp.json', pointer: '#/properties/gone/$ref' },
        reason: "`gone.json` can't be followed: the server responded with status 404",
        effect: 'widened',
      },
    ])
    const written = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'openapi.json')
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    expect(written.length).toBeGreaterThan(5)
    for (const text of written) expect(text).not.toContain('t0ken')
    const types = readFileSync(join(folder, 'src/gen/types.gen.ts'), 'utf8')
    expect(types).toContain('export type At = number')
    expect(types).toContain('boolean')
  })
}) // prettier-ignore

it('a reference with a path through itself leads to nothing', async () => {
  const through = (name: string) => ({ $ref: `#/components/schemas/${name}/x` })
  const source = schemasOf({ One: through('One'), Two: through('Three'), Three: through('Two') })
  const { departures } = await modelOf(source)
  expect(departures.map(({ place, effect }) => `${effect} ${place.pointer}`)).toEqual(
    ['One', 'Two', 'Three'].map((name) => `widened #/components/schemas/${name}/$ref`),
  )
})

describe('a path item that is a reference', () => {
  const responses = { 204: { description: 'None.' } }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
  const retry = { 'x-retry': { class: 'safe' } }
  const read = async (openapi: string, paths: object, more: object = {}) => {
    const others = [
      parseSource(
        JSON.stringify({ lamp: { delete: { operationId: 'deleteLamp', responses, ...retry } } }),
        'specs/test/lamps/lamp.json',
      ),
    ]
    const { operations, departures } = await modelOf(documentOf({ openapi, paths, ...more }), { others })
    return {
      operations: operations.map((one) => `${one.id} ${one.method} ${one.path} ${one.file}${one.pointer}`),
      parameters: operations.map(({ parameters }) => parameters.map(({ name }) => name).join()),
      widened: departures
        .filter(({ effect }) => effect === 'widened')
        .map(({ place, reason }) => `${place.pointer}: ${reason}`),
    }
  }
  const pathItems = {
    Lamp: {
      parameters: [id],
      get: { operationId: 'getLamp', responses, ...retry },
      put: { operationId: 'putLamp', responses, ...retry },
    },
  }

  it.each(['3.0.3', '3.1.0'])(
    'has the operations and parameters of its target (OpenAPI %s)',
    async (version) => {
      const paths = {
        '/lamps/{id}': { $ref: '#/components/pathItems/Lamp' },
        '/lamp': { $ref: 'lamps/lamp.json#/lamp' },
      }
      const { operations, parameters, widened } = await read(version, paths, { components: { pathItems } })
      expect(operations).toEqual([
        'getLamp GET /lamps/{id} specs/test/openapi.yaml#/components/pathItems/Lamp/get',
        'putLamp PUT /lamps/{id} specs/test/openapi.yaml#/components/pathItems/Lamp/put',
        'deleteLamp DELETE /lamp specs/test/lamps/lamp.json#/lamp/delete',
      ])
      expect(parameters).toEqual(['id', 'id', ''])
      expect(widened).toEqual([])
    },
  )

  it.each(['3.0.3', '3.1.0'])(
    'also has the members beside the reference, which come first (OpenAPI %s)',
    async (version) => {
      const own = {
        get: { operationId: 'getOwn', responses, ...retry },
        post: { operationId: 'postOwn', responses, ...retry },
      }
      const paths = { '/lamps/{id}': { $ref: '#/components/pathItems/Lamp', ...own } }
      const { operations, parameters, widened } = await read(version, paths, { components: { pathItems } })
      expect(operations.map((one) => one.split(' ')[0]).toSorted()).toEqual(['getOwn', 'postOwn', 'putLamp'])
      expect(parameters).toEqual(['id', 'id', 'id'])
      expect(widened).toEqual([
        '#/paths/~1lamps~1{id}/get: this `get` replaces the one in the target of `$ref`',
      ])
    },
  )

  it.each([
    ['is missing', '#/components/pathItems/None', /is not in this file; correct the reference$/],
    ['leads back to itself', '#/paths/~1a', /correct the reference$/],
    [
      'is not a path item',
      '#/info/title',
      /^#\/paths\/~1a\/\$ref: the reference leads to a value that is not a path item/,
    ],
  ])('is reported if its target %s', async (_what, $ref, reason) => {
    const { operations, widened } = await read('3.1.0', {
      '/a': { $ref },
      '/b': { get: { operationId: 'getB', responses } },
    })
    expect(operations).toHaveLength(1)
    expect(widened).toEqual([expect.stringMatching(reason)])
  })
})
