import type { OperationDescriptor, ResponseDescriptor } from '../../core/descriptors.ts'
import type { ItemStream } from '../item-stream.ts'
import { reply } from './clients.ts'
import { getItem, type Item } from './fixtures.ts'

/** The successful response of an operation that returns a stream of events. */
export const EVENT_STREAM = {
  kind: 'items',
  contentType: 'text/event-stream',
  items: { format: 'sse' },
} as const satisfies ResponseDescriptor

export const JSON_LINES = {
  kind: 'items',
  contentType: 'application/x-ndjson',
  items: { format: 'lines' },
} as const satisfies ResponseDescriptor

/** An operation whose successful response is a stream of items. */
export function watching<One = Item>(
  success: ResponseDescriptor = EVENT_STREAM,
  more: Partial<OperationDescriptor> = {},
): OperationDescriptor<object, ItemStream<One>> {
  const { types: _, ...base } = getItem
  return {
    ...base,
    id: 'watch',
    path: '/v1/watch',
    parameters: [],
    responses: { 200: success },
    ...more,
  } as OperationDescriptor<object, ItemStream<One>>
}

export const item = (id: number | string): Item => ({ id: String(id), status: 'new' })

/** Returns one event with an id. `fields` are lines to put before the id. */
export const event = (id: number | string, fields = ''): string =>
  `${fields}id: ${id}\ndata: ${JSON.stringify(item(id))}\n\n`

export const events = (body: BodyInit, headers: Record<string, string> = {}): Response =>
  reply(body, 'text/event-stream', { headers })

export async function collect<Value>(stream: AsyncIterable<Value>): Promise<Value[]> {
  const values: Value[] = []
  for await (const value of stream) values.push(value)
  return values
}
