const NAMES = 'boat,buoy,chart,crew,dock,ferry,harbor,lock,pilot,tide'.split(',')
const KINDS = 'record,permit,report,survey,alarm,order'.split(',')
const MORE_KINDS = 'audit,claim,duty,event,fee,grant,hire,issue,job,log,map,note,offer,plan'.split(',')

const json = (schema: object) => ({ 'application/json': { schema } })
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const pascal = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const pick = <Item>(list: readonly Item[], index: number): Item => list[index % list.length] as Item

const resourcesOf = (kinds: readonly string[]): readonly string[] =>
  NAMES.flatMap((name) => kinds.map((kind) => pascal(name) + pascal(kind)))

/** The names of a resource, such as `FerryPermit`. */
const resources = resourcesOf(KINDS)

/** Fields of many kinds. Each resource has five of them. */
const fields: readonly (readonly [string, object])[] = [
  ['title', { type: 'string', minLength: 1 }],
  ['day', { type: 'string', format: 'date' }],
  ['depth', { type: ['number', 'null'], minimum: 0, maximum: 400 }],
  ['code', { type: 'string', pattern: '^[A-Z]{2}-[0-9]{3}$' }],
  ['tags', { type: 'array', items: { type: 'string' } }],
  ['count', { type: 'integer', minimum: 0 }],
  ['labels', { type: 'object', additionalProperties: { type: 'string' } }],
  ['state', { enum: ['planned', 'active', 'closed'] }],
  ['place', { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }],
  ['contact', { oneOf: [{ type: 'string', format: 'date' }, { type: 'integer' }] }],
  ['link', { type: 'string', format: 'uri' }],
]

function schemasOf(resource: string, index: number): object {
  const own = Array.from({ length: 5 }, (_, place) => pick(fields, index * 3 + place * 2))
  const body = { type: 'object', required: [own[0]?.[0]], properties: Object.fromEntries(own) }
  return {
    [resource]: {
      allOf: [
        body,
        {
          type: 'object',
          required: ['id'],
          properties: {
            id: { type: 'string', format: 'uuid', readOnly: true },
            parent: reference(pick(resources, index + 1)),
          },
        },
      ],
    },
    [`${resource}Page`]: {
      type: 'object',
      required: ['items'],
      properties: {
        items: { type: 'array', items: reference(resource) },
        next: { type: ['string', 'null'] },
      },
    },
  }
}

function pathsOf(resource: string): object {
  const path = `/${resource.replaceAll(/(?!^)[A-Z]/g, '-$&').toLowerCase()}s`
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }
  const problem = { description: 'Not possible', content: json(reference('Problem')) }
  const one = { 200: { description: 'It', content: json(reference(resource)) }, default: problem }
  const requestBody = { required: true, content: json(reference(resource)) }
  const tags = [resource]
  return {
    [path]: {
      get: {
        operationId: `list${resource}s`,
        tags,
        parameters: [
          { name: 'after', in: 'query', schema: { type: 'string' } },
          { name: 'filter', in: 'query', style: 'deepObject', explode: true, schema: reference('Filter') },
        ],
        responses: {
          200: { description: 'A page', content: json(reference(`${resource}Page`)) },
          default: problem,
        },
      },
      post: { operationId: `create${resource}`, tags, requestBody, responses: one },
    },
    [`${path}/{id}`]: {
      parameters: [id],
      get: { operationId: `get${resource}`, tags, responses: one },
      put: { operationId: `replace${resource}`, tags, requestBody, responses: one },
      delete: {
        operationId: `delete${resource}`,
        tags,
        responses: { 204: { description: 'Gone' }, default: problem },
      },
    },
  }
}

/** A fictional contract with 300 operations on 60 resources, which refer to each other. */
export const largeContract = (): object => contractOf(resources)

/** The same kind of contract, with 1,000 operations on 200 resources. */
export const largestContract = (): object => contractOf(resourcesOf([...KINDS, ...MORE_KINDS]))

function contractOf(all: readonly string[]): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Harbors', version: '1.0.0' },
    servers: [{ url: 'https://harbors.example/v1' }],
    security: [{ key: [] }],
    paths: Object.assign({}, ...all.map(pathsOf)) as object,
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
      schemas: Object.assign(
        {
          Filter: {
            type: 'object',
            properties: { state: { type: 'string' }, since: { type: 'string', format: 'date-time' } },
          },
          Problem: {
            type: 'object',
            required: ['title'],
            properties: { title: { type: 'string' }, status: { type: 'integer' } },
          },
        },
        ...all.map(schemasOf),
      ) as object,
    },
  }
}
