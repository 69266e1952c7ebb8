import { expect, it } from 'vitest'

import { Waits } from './client-class.ts'
import type { OperationDescriptor } from './core/descriptors.ts'
import { clientFor } from './http/test-support/clients.ts'
import { getItem, json } from './http/test-support/fixtures.ts'
import { virtualClock } from './testing/virtual-clock.ts'

it('R-21: a submission whose id is an integer is followed with an integer', async () => {
  const wrong = { issues: [{ message: 'must be an integer', path: ['path', 'item_id'] }] }
  const accepts = (value: unknown): boolean =>
    Number.isInteger((value as { readonly path: { readonly item_id: unknown } }).path.item_id)
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) => (accepts(value) ? { value } : wrong),
    },
  } as const
  const shown = {
    ...getItem,
    check: { accepts, schema: () => Promise.resolve(schema) },
    responses: { 200: { kind: 'json' } },
    waiter: { status: '/status', success: ['done'], failure: [] },
  } as unknown as OperationDescriptor<{ readonly path: { readonly item_id: number } }, object>
  const started = {
    ...shown,
    id: 'startItem',
    method: 'POST',
    path: '/items',
    parameters: [],
    check: undefined,
    retry: { class: 'unsent-only' },
    outcome: { id: '/id' },
  } as unknown as OperationDescriptor<object, object>
  let status = 'queued'
  const client = clientFor(() => json({ id: 7, status }), { clock: virtualClock() })
  const waits = new Waits(client, 'test', undefined)
  const handle = await waits.from(started, waits.of(shown), 'item_id')({})
  await expect(handle.wait({ deadline: 6_000 })).rejects.toThrow(
    /The wait for the operation 7 ended .* The operation continues/,
  )
  status = 'done'
  expect(await handle.wait()).toEqual({ id: 7, status: 'done' })
  waits.close()
})
