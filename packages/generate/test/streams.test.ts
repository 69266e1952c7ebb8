import { beforeAll, describe, expect, it } from 'vitest'

import type { OperationModel, ServiceModel } from '../src/normalize/model.ts'
import { errorsIn, typeCheck } from './support/compiler.ts'
import { accepted, documentOf, generate, loadSchemas, modelOf, printed } from './support/generated.ts'

const text = { type: 'string' }
const change = {
  type: 'object',
  required: ['id'],
  properties: { id: text, note: { ...text, readOnly: true } },
}
const events = 'text/event-stream'

/** An operation whose success has this content. */
function answering(operationId: string, content: object) {
  const ok = { description: '', content }
  return { operationId, responses: { '200': ok, '404': { description: '' } } }
}

const ref = { $ref: '#/components/schemas/Change' }
const json = (schema: object) => ({ contentMediaType: 'application/json', contentSchema: schema, ...text })
const operations = {
  watchData: answering('watchData', { [events]: { schema: ref } }),
  watchText: answering('watchText', { 'Text/Event-Stream; charset=utf-8': { schema: text } }),
  watchEvents: answering('watchEvents', { [events]: { schema: { type: 'object', required: ['data'], properties: { event: text, data: text } } } }),
  watchOwn: answering('watchOwn', { [events]: { itemSchema: { type: 'object', required: ['data'], properties: { event: { const: 'change' }, data: json(ref) } } } }),
  watchEither: answering('watchEither', {
    [events]: {
      itemSchema: {
        oneOf: [
          { type: 'object', required: ['event', 'data'], properties: { event: { const: 'change' }, data: json(ref) } },
          { type: 'object', required: ['event', 'data'], properties: { event: { const: 'count' }, data: json({ type: 'integer' }) } },
        ],
      },
    },
  }),
  readLines: answering('readLines', { 'application/x-ndjson': { schema: { type: 'array', items: ref } } }),
  readJsonl: answering('readJsonl', { 'application/jsonl': { itemSchema: ref } }),
  readWhole: answering('readWhole', { 'application/x-ndjson': { schema: text } }),
  readSequence: answering('readSequence', { 'application/geo+json-seq': { schema: ref } }),
  complete: answering('complete', { 'application/json': { schema: { type: 'object', required: ['text'], properties: { text } } }, [events]: { schema: ref } }),
  readXml: answering('readXml', { 'application/xml': { schema: change } }),
  readSvg: answering('readSvg', { 'image/svg+xml': { schema: text } }),
  readJson: answering('readJson', { 'Application/JSON': { schema: change } }),
  readOldJson: answering('readOldJson', { 'text/json': { schema: change } }),
  readProblem: answering('readProblem', { 'application/vnd.acme.v1+json; charset=utf-8': { schema: change } }),
} // prettier-ignore

const source = documentOf({
  paths: Object.fromEntries(Object.entries(operations).map(([id, get]) => [`/${id}`, { get }])),
  components: { schemas: { Change: change } },
})

const consumer = `
import type { TestApi } from './api.gen.ts'

export async function use(api: TestApi): Promise<void> {
  for await (const item of await api.watchData()) item.id satisfies string
  for await (const item of await api.watchText()) item satisfies string
  for await (const { event } of await api.watchEvents()) event satisfies string | undefined
  for await (const event of await api.watchOwn({}, { reconnect: true })) event.data.id satisfies string
  for await (const event of await api.watchEither()) {
    if (event.event === 'count') event.data satisfies number
    else event.data.id satisfies string
  }
  for await (const item of await api.readLines()) item.id satisfies string
  for await (const item of await api.completeStream({}, { idleTimeoutMs: 1000 })) item.id satisfies string
  ;(await api.complete()).text satisfies string
  ;(await api.readXml()) satisfies string
  ;(await api.readSvg()) satisfies string
  // @ts-expect-error: only a stream can be continued.
  await api.readXml({}, { reconnect: true })
}
`

describe('a response that arrives item by item', () => {
  let model: ServiceModel
  let files: ReadonlyMap<string, string>
  const operation = (id: string): OperationModel => {
    const found = model.operations.find((one) => one.id === id)
    if (!found) throw new Error(`there is no operation ${id}`)
    return found
  }

  beforeAll(async () => {
    model = await modelOf(source)
    files = await printed(model)
  })

  it.each([
    ['watchData', 'items', { format: 'sse' }],
    ['watchText', 'items', { format: 'sse', item: 'text' }],
    ['watchEvents', 'items', { format: 'sse', item: 'event' }],
    ['watchOwn', 'items', { format: 'sse', item: 'json-event' }],
    ['watchEither', 'items', { format: 'sse', item: 'json-event' }],
    ['readLines', 'items', { format: 'lines' }],
    ['readJsonl', 'items', { format: 'lines' }],
    ['readWhole', 'items', { format: 'lines' }],
    ['readSequence', 'items', { format: 'sequence' }],
    ['complete', 'json', undefined],
    ['completeStream', 'items', { format: 'sse' }],
    ['readXml', 'text', undefined],
    ['readSvg', 'text', undefined],
    ['readJson', 'json', undefined],
    ['readOldJson', 'json', undefined],
    ['readProblem', 'json', undefined],
  ])('%s is read as %s %j', (id, kind, items) => {
    const [success] = operation(id).responses
    expect([success?.kind, success?.items]).toEqual([kind, items])
  })

  it('is an async iterable for the caller, with the type of its items', async () => {
    expect(await typeCheck(files, consumer)).toBe('')
  })

  it.each([
    ['a stream beside JSON in `default`', 'default', { 'application/json': { schema: ref }, [events]: {} }],
    [
      'any type beside text',
      '200',
      { '*/*': { schema: { ...text, format: 'byte' } }, 'text/plain': { schema: text } },
    ],
  ])('imports exactly what it names: %s', async (_what, status, content) => {
    const paths = {
      '/choose': { head: { operationId: 'choose', responses: { [status]: { description: '', content } } } },
    }
    const own = await generate(documentOf({ paths, components: { schemas: { Change: change } } }))
    const validators = { '@concord/test-validators': './index.gen.ts' }
    expect(await errorsIn(own, { paths: validators })).toEqual([])
  })

  it('has a schema for each item', async () => {
    const schemas = await loadSchemas(files)
    const values = [{ id: 'a' }, {}, 'a', { data: 'a' }, { event: 'count', data: 1 }, { event: 'count', data: {} }, { event: 'change', data: { id: 'a' } }] // prettier-ignore
    expect(accepted(schemas, 'watchDataOutput', values)).toEqual([{ id: 'a' }])
    expect(accepted(schemas, 'watchTextOutput', values)).toEqual(['a'])
    expect(accepted(schemas, 'watchEventsOutput', values)).toEqual([{ data: 'a' }])
    expect(accepted(schemas, 'watchEitherOutput', values)).toEqual(values.slice(4, 5).concat(values.slice(6)))
    expect(accepted(schemas, 'readWholeOutput', values)).toEqual(values)
  })

  it('has a descriptor with its format', () => {
    expect(files.get('operations.gen.ts')).toContain("items: { format: 'sse', item: 'json-event' }")
  })

  it('is listed where something is left out', () => {
    const found = model.departures.filter(({ reason }) => !/x-retry|3\.1|keyword/.test(reason))
    expect(found.map(({ effect, place }) => `${effect} ${place.pointer.slice(10)}`)).toEqual([
      'noted readWhole/get/responses/200/content/application~1x-ndjson/schema',
      'noted complete/get',
      'widened readXml/get/responses/200/content/application~1xml/schema',
    ])
  })
})
