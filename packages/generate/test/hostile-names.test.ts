import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { expect, it } from 'vitest'

import { inFolder } from '../src/corpus/scratch.ts'
import { print } from '../src/generate.ts'
import { parseSource } from '../src/read/source.ts'
import type { Service } from '../src/services.ts'
import { errorsIn } from './support/compiler.ts'
import { modelOf } from './support/generated.ts'

/** Names that an API may well use, although the runtime, the class or a generated file uses them too. */
const OURS =
  `ApiError Client createClient Response RetryOptions ConcordError isErrorOf Fuzz FuzzOptions FuzzApi ItemStream PageItem
  NegotiatedOperation PagedOperation OperationDescriptor CheckDescriptor Exchange CallOptions BinaryContent IsRecord hasItemsOf
  isString AcceptsError spec SecuritySchemes writeForm writePipes`.split(/\s+/)

/** Names of generated files, of the language and the platform, of other scripts, and some that would be code if they were printed. */
const OTHERS = [
  ...`securitySchemes checks fuzzApi fuzzApiWithResponse FuzzApiWithResponse constructor toString
  __proto__ prototype valueOf await yield let static using satisfies infer any never object undefined NaN globalThis window z Zod
  send exchange input Promise Record Error`.split(/\s+/),
  '²', 'Ⅳ', '٣', '１', 'Σ', 'σ', '𝒳', 'İ', 'ẞ', 'a\u0301', '名前', '\u202Eabc', 'a\0b', '👩‍👧', '', ' ', '\n', '\u2028', '*/ globalThis.pwned = 1 /*',
  '${globalThis.pwned = 1}', '`;globalThis.pwned = 1;`', '// @ts-ignore\nglobalThis.pwned = 1', 'x'.repeat(500),
] // prettier-ignore

const text = { type: 'string' }
const json = (schema: object) => ({ 'application/json': { schema } })
const query = { in: 'query', style: 'pipeDelimited', explode: false, schema: { type: 'array', items: text } }

/**
 * A contract in which every kind of named object has each of these names. The schemas contain each other, so they are
 * recursive.
 */
function contractOf(names: readonly string[]) {
  const ref = (index: number) => ({ $ref: `#/components/refs/${index % names.length}` })
  const each = (entryOf: (name: string, index: number) => unknown) =>
    Object.fromEntries(names.map((name, index) => [name, entryOf(name, index)]))
  // References lead through lists, because some names can't be written in an address.
  const addresses = (kind: string) =>
    names.map((name) => ({
      $ref: `#/components/${kind}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
    }))
  const operationsOf = (name: string, index: number) => {
    const body = json(ref(index))
    const shared = { $ref: `#/components/responseRefs/${index}` }
    const page = {
      type: 'object',
      required: ['items', 'next_cursor'],
      properties: {
        items: { type: 'array', items: ref(index) },
        next_cursor: { type: ['string', 'null'] },
      },
    }
    return {
      [`/${index}`]: {
        post: {
          operationId: name,
          tags: [name],
          summary: name,
          description: name,
          parameters: [
            { ...query, name: 'parts' },
            { name: name || 'x', in: 'query', schema: { ...text, default: name } },
            { name: `X-${index}`, in: 'header', description: name, schema: { enum: [name, 'other'] } },
          ],
          requestBody: { content: { ...body, 'text/csv': { schema: text } } },
          responses: {
            200: {
              description: name,
              headers: { 'X-A': { schema: ref(index) } },
              content: { ...body, 'text/csv': { schema: text } },
            },
            404: shared,
            429: { description: '', headers: { 'X-B': { schema: text } }, content: body },
            '5XX': shared,
            default: { description: name, content: json({ type: 'object', properties: { [name]: {} } }) },
          },
          security: [{ [name]: [] }],
        },
      },
      [`/${index}/pages`]: {
        get: {
          operationId: `${name}List`,
          tags: [name],
          parameters: [{ name: 'cursor', in: 'query', schema: text }],
          responses: { 200: { description: '', content: json(page) } },
        },
      },
      [`/${index}/events`]: {
        get: {
          operationId: `${name}Events`,
          responses: {
            200: { description: '', content: { 'text/event-stream': { schema: ref(index) }, ...body } },
          },
        },
      },
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: names.slice(-6).join(' '), version: names.slice(-6).join(' ') },
    tags: names.map((name) => ({ name, description: name })),
    security: names.map((name) => ({ [name]: [] })),
    paths: Object.assign({}, ...names.map(operationsOf)) as object,
    components: {
      schemas: each((name, index) => ({
        type: 'object',
        description: name,
        required: ['name'],
        properties: {
          name: { const: name },
          [name]: { const: name },
          next: ref(index + 1),
          back: { type: 'array', items: ref(index) },
          lines: { type: 'array', items: text },
        },
      })),
      responses: each((_, index) => ({
        description: '',
        headers: { 'X-Left': { schema: { type: 'integer' } } },
        content: json(ref(index)),
      })),
      refs: addresses('schemas'),
      responseRefs: addresses('responses'),
      securitySchemes: each((_, index) => ({ type: 'http', scheme: index % 2 === 0 ? 'basic' : 'bearer' })),
    },
  }
}

const packages: Service = {
  name: 'fuzz',
  openapi: 'openapi.json',
  apiName: 'FuzzApi',
  className: 'Fuzz',
  validators: { packageName: '@concord/fuzz-validators', folder: 'validators' },
  client: { folder: 'client' },
}
const onePackage: Service = { ...packages, validators: { folder: 'gen' }, client: { folder: 'gen' } }
const paths = { '@concord/fuzz-validators': './validators/index.gen.ts' }

const read = (document: object) =>
  modelOf(parseSource(JSON.stringify(document), packages.openapi), { apiName: packages.apiName })

it.each([
  ['names that the runtime and the class export, in two packages', OURS, packages],
  ['names that the runtime and the class export, in one package', OURS, onePackage],
  ['any names', OTHERS, onePackage],
])('the compiler accepts files with %s', async (_, names, service) => {
  const files = await print(await read(contractOf(names)), service)
  expect((await errorsIn(files, { paths })).slice(0, 10)).toEqual([])
})

it('files with any names run no code of the contract, and are the same in each run', async () => {
  const made = async () => print(await read(contractOf(OTHERS)), onePackage)
  const files = await made()
  expect(await made()).toEqual(files)
  await inFolder(new Map([...files, ['package.json', '{"type":"module"}']]), async (folder) => {
    const modules = resolve(import.meta.dirname, '../../runtime/node_modules')
    symlinkSync(modules, join(folder, 'gen/node_modules'), 'dir')
    for (const file of files.keys()) await import(/* @vite-ignore */ join(folder, file))
    expect(Object.hasOwn(globalThis, 'pwned')).toBe(false)
  })
})

it('types keep the names that the runtime has for others', async () => {
  const { schemas } = await read(contractOf(OURS))
  expect([...schemas.keys()]).toEqual(expect.arrayContaining(['ApiError', 'PageItem', 'ItemStream']))
})

it('channels may have the names that the file of the class imports', async () => {
  const names = ['connect', 'createClient', 'readEnvironment']
  const model = await read({
    asyncapi: '3.0.0',
    info: { title: 'Fuzz', version: '1' },
    servers: { main: { host: 'fuzz.example', protocol: 'wss' } },
    channels: Object.fromEntries(
      names.map((name) => [name, { address: `/${name}`, messages: { text: { payload: text } } }]),
    ),
  })
  expect(await errorsIn(await print(model, packages), { paths })).toEqual([])
  expect(model.channels.map(({ id }) => id)).toEqual(names.map((name) => `${name}Channel`))
})
