import { expect, it } from 'vitest'

import { inFolder } from '../src/corpus/scratch.ts'
import { print } from '../src/generate.ts'
import { readService } from '../src/normalize/service.ts'
import { parseSource } from '../src/read/source.ts'
import type { Service } from '../src/services.ts'
import { typeCheck } from './support/compiler.ts'

/** Names that the runtime, the class or a generated file has too, and that an API may well use. */
const NAMES =
  `ApiError Client createClient Response RetryOptions ConcordError isErrorOf Fuzz FuzzOptions FuzzApi ItemStream PageItem
  NegotiatedOperation PagedOperation OperationDescriptor CheckDescriptor Exchange CallOptions BinaryContent IsRecord hasItemsOf
  isString AcceptsError spec SecuritySchemes writeForm writePipes`.split(/\s+/)

const text = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ 'application/json': { schema } })
const query = { in: 'query', style: 'pipeDelimited', explode: false, schema: { type: 'array', items: text } }

/** Each name as that of a schema, a response with headers, an operation, a tag and a credential. */
const contract = {
  openapi: '3.1.0',
  info: { title: 'Fuzz', version: '1' },
  tags: NAMES.map((name) => ({ name })),
  paths: Object.fromEntries(
    NAMES.flatMap((name, index) => [
      [
        `/${index}`,
        {
          post: {
            operationId: name,
            tags: [name],
            parameters: [{ ...query, name: 'parts' }],
            requestBody: { content: { ...json(ref(name)), 'text/csv': { schema: text } } },
            responses: {
              200: {
                description: '',
                headers: { 'X-A': { schema: ref(name) } },
                content: { ...json(ref(name)), 'text/csv': { schema: text } },
              },
              404: { $ref: `#/components/responses/${name}` },
              429: { description: '', headers: { 'X-B': { schema: text } }, content: json(ref(name)) },
              '5XX': { $ref: `#/components/responses/${name}` },
              default: { description: '', content: json({ type: 'array', items: ref(name) }) },
            },
          },
        },
      ],
      [
        `/${index}/pages`,
        {
          get: {
            operationId: `${name}List`,
            tags: [name],
            parameters: [{ name: 'cursor', in: 'query', schema: text }],
            responses: {
              200: {
                description: '',
                content: json({
                  type: 'object',
                  required: ['items', 'next_cursor'],
                  properties: {
                    items: { type: 'array', items: ref(name) },
                    next_cursor: { type: ['string', 'null'] },
                  },
                }),
              },
            },
          },
        },
      ],
      [
        `/${index}/events`,
        {
          get: {
            operationId: `${name}Events`,
            responses: {
              200: {
                description: '',
                content: { 'text/event-stream': { schema: ref(name) }, ...json(ref(name)) },
              },
            },
          },
        },
      ],
    ]),
  ),
  components: {
    schemas: Object.fromEntries(
      NAMES.map((name, index) => [
        name,
        {
          type: 'object',
          required: ['name'],
          properties: {
            name: { const: name },
            next: ref(NAMES[(index + 1) % NAMES.length] ?? ''),
            lines: { type: 'array', items: text },
          },
        },
      ]),
    ),
    responses: Object.fromEntries(
      NAMES.map((name) => [
        name,
        { description: '', headers: { 'X-Left': { schema: { type: 'integer' } } }, content: json(ref(name)) },
      ]),
    ),
    securitySchemes: Object.fromEntries(NAMES.map((name) => [name, { type: 'http', scheme: 'bearer' }])),
  },
  security: NAMES.map((name) => ({ [name]: [] })),
}

const service: Service = {
  name: 'fuzz',
  openapi: 'openapi.json',
  apiName: 'FuzzApi',
  className: 'Fuzz',
  validators: { packageName: '@concord/fuzz-validators', folder: 'validators' },
  client: { folder: 'client' },
}

it.each(['two packages', 'one package'])(
  'errors, operations and tags may have the names that the runtime and the class export, in %s',
  async (packages) => {
    const own =
      packages === 'two packages'
        ? service
        : { ...service, validators: { folder: 'gen' }, client: { folder: 'gen' } }
    const source = parseSource(JSON.stringify(contract), service.openapi)
    const model = await readService(source, undefined, { strict: false, apiName: service.apiName })
    const files = await print(model, own)
    await inFolder(files, (folder) => {
      const places = { '@concord/fuzz-validators': './validators/index.gen.ts' }
      expect(typeCheck(folder, [...files.keys()], places).slice(0, 2000)).toBe('')
    })
    expect([...model.schemas.keys()]).toEqual(expect.arrayContaining(['ApiError', 'PageItem', 'ItemStream']))
  },
)

it('channels may have the names that the file of the class imports', async () => {
  const names = ['connect', 'createClient', 'readEnvironment']
  const events = {
    asyncapi: '3.0.0',
    info: { title: 'Fuzz', version: '1' },
    servers: { main: { host: 'fuzz.example', protocol: 'wss' } },
    channels: Object.fromEntries(
      names.map((name) => [name, { address: `/${name}`, messages: { text: { payload: text } } }]),
    ),
  }
  const model = await readService(parseSource(JSON.stringify(events), 'asyncapi.json'), undefined, {
    strict: false,
  })
  const files = await print(model, service)
  await inFolder(files, (folder) => {
    const places = { '@concord/fuzz-validators': './validators/index.gen.ts' }
    expect(typeCheck(folder, [...files.keys()], places).slice(0, 2000)).toBe('')
  })
  expect(model.channels.map(({ id }) => id)).toEqual(names.map((name) => `${name}Channel`))
})
