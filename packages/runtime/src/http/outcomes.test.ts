import { expect, it } from 'vitest'
import { ConnectionError, type SubmissionUncertainError } from '../core/errors.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import type { ScriptStep } from '../testing/transports.ts'
import { submit } from './submit.ts'
import { keyFrom, reply, scene, status } from './test-support/clients.ts'
import { createItem, getItem, type Item, json, KEY, rejection } from './test-support/fixtures.ts'

const submitItem = {
  ...createItem,
  id: 'submitItem',
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  responses: getItem.responses,
  outcome: { id: '/id' },
} as const satisfies OperationDescriptor<{ readonly body: Record<string, unknown> }, Item>
const deleteItem: OperationDescriptor<{ readonly path: { readonly item_id: string } }, undefined> = {
  ...getItem,
  id: 'deleteItem',
  method: 'DELETE',
  responses: { 204: { kind: 'empty' } },
  retry: { class: 'unsent-only', statuses: [503, 504] },
  outcome: { lookUp: 'getItem' },
} as never
const item = { id: 'a', status: 'queued' }
const input = { body: { name: 'x' } }
const one = { path: { item_id: 'a' } }

const text = (body: string, contentType = 'application/json') => reply(body, contentType)

async function uncertain(steps: readonly [ScriptStep, ...ScriptStep[]]): Promise<SubmissionUncertainError> {
  const { client } = scene(steps)
  const error = await rejection(client.send(submitItem, input))
  expect(error).toMatchObject({ code: 'submission-uncertain', operation: 'submitItem' })
  return error as SubmissionUncertainError
}

it.each([
  ['HTML', text('<p>hello</p>', 'text/html'), '<p>hello</p>'],
  ['empty', text(''), ''],
  ['no JSON', text('{"status":"queued'), '{"status":"queued'],
  ['without an id', json({ status: 'queued' }), '{"status":"queued"}'],
  ['with a fraction as its id', json({ id: 7.5, status: 'queued' }), '{"id":7.5,"status":"queued"}'],
])(
  'R-21: a success that is %s is uncertain, with its status and its body',
  async (_what, response, received) => {
    for (const validate of ['report', 'enforce', 'off'] as const) {
      const { client, transport } = scene([response, json(item)], { validate })
      const error = await rejection(client.send(submitItem, input))
      expect(error).toMatchObject({
        code: 'submission-uncertain',
        status: 200,
        received,
        possibleDuplicates: 1,
      })
      expect(transport.requests).toHaveLength(1)
    }
  },
)

it('R-21: `received` of a SubmissionUncertainError is redacted and truncated', async () => {
  const error = await uncertain([text(`<p>${KEY}${'x'.repeat(10_000)}</p>`, 'text/html')])
  expect(error.received).toMatch(/^<p>\[redacted\]x+$/)
  expect(error.received).toHaveLength(4_096)
  expect(Object.keys(error)).not.toContain('received')
})

it('R-21: `received` is empty for a response that may contain a secret and cannot be searched for it', async () => {
  const operation = { ...submitItem, secrets: ['token'] }
  const { client } = scene([text('{"token":"s3cret-s3cret"')])
  expect(await rejection(client.send(operation, input))).toMatchObject({ received: '' })
  const other = scene([json({ token: 's3cret-s3cret' })])
  expect(await rejection(other.client.send(operation, input))).toMatchObject({
    received: '{"token":"[redacted]"}',
  })
})

it('R-21: a credential that cannot be read for another attempt does not hide that the first may have been accepted', async () => {
  for (const failure of [
    new Error('The vault is sealed.'),
    new ConnectionError('The vault is down.', { phase: 'connect', sent: 'no' }),
  ]) {
    let reads = 0
    const value = (): string => {
      if (++reads > 1) throw failure
      return KEY
    }
    const { client } = scene([status(503)], {
      credentials: { key: keyFrom(value) },
    })
    expect(await rejection(client.send(submitItem, input))).toMatchObject({
      code: 'submission-uncertain',
      possibleDuplicates: 1,
      cause: failure,
    })
  }
})

it('R-21: a SubmissionUncertainError has the id if a truncated response has it', async () => {
  const error = await uncertain([text('{"id":"a-7","status":"que')])
  expect(error).toMatchObject({ id: 'a-7', status: 200 })
  expect(error.message).toContain('accepted the request under the id "a-7"')
  expect(error.remedy).toContain('do not send the request again')
})

it('R-21: an id in JSON of another media type proves acceptance: the data is returned, the type reported', async () => {
  const { client, drift } = scene([text(JSON.stringify(item), 'text/plain')])
  expect(await client.send(submitItem, input)).toEqual(item)
  expect(drift).toMatchObject([{ operation: 'submitItem', issues: [{ path: '' }] }])
})

it('R-21: an id may be an integer, which proves acceptance like a string', async () => {
  for (const validate of ['report', 'enforce', 'off'] as const) {
    const { client } = scene([json({ id: 7, status: 'queued' })], { validate })
    const call = await submit(client, { ...submitItem, responses: { 200: { kind: 'json' } } }, input)
    expect(call).toMatchObject({ id: '7', data: { id: 7 } })
  }
})

it('a safe operation fails with its own error, and its response needs no id', async () => {
  const { client } = scene([text('<p>', 'text/html')])
  expect(await rejection(client.send(getItem, one))).toMatchObject({ code: 'unexpected-content' })
  const withId = { ...getItem, outcome: { id: '/id' } }
  expect(await scene([json({ status: 'done' })]).client.send(withId, one)).toEqual({ status: 'done' })
})

it('R-21: the cause of a missing id says where it was expected, and earlier attempts are counted', async () => {
  const error = await uncertain([status(504), json({ status: 'queued' })])
  expect(error).toMatchObject({
    possibleDuplicates: 2,
    cause: { code: 'contract-drift', operation: 'submitItem', issues: [{ path: '/id' }] },
  })
})

it('R-21: a submission without an input is uncertain, too', async () => {
  const { client } = scene(['lost'])
  const { body: _, ...bare } = submitItem
  expect(await rejection(client.send(bare as never, undefined as never))).toMatchObject({
    code: 'submission-uncertain',
    submitted: { fields: [] },
  })
})

it('R-21: retries a submission after a 504 within maxAttempts, and the error says how many may exist', async () => {
  const { client, transport } = scene([status(504)])
  const error = await rejection(client.send(submitItem, input))
  expect(error).toMatchObject({ code: 'submission-uncertain', status: 504, possibleDuplicates: 3 })
  expect(String(error)).toContain('3 submissions may exist')
  expect(transport.requests).toHaveLength(3)
  const once = scene([status(504)])
  const single = await rejection(once.client.send(submitItem, input, { maxAttempts: 1 }))
  expect(single).toMatchObject({ possibleDuplicates: 1 })
  expect(once.transport.requests).toHaveLength(1)
})

it('R-21: does not count attempts of a submission that were not sent or were denied', async () => {
  const { client } = scene(['refused', status(503), status(429)])
  expect(await rejection(client.send(submitItem, input))).toMatchObject({
    code: 'submission-uncertain',
    possibleDuplicates: 1,
    cause: { status: 429 },
  })
  const denied = scene([status(429), status(400)])
  expect(await rejection(denied.client.send(submitItem, input))).toMatchObject({ name: 'BadRequestError' })
})

it('R-21: a success after uncertain attempts says how many submissions may exist', async () => {
  const repeated = scene([status(504), status(502), json(item)])
  expect(await repeated.client.exchange(submitItem, input)).toMatchObject({
    attempts: 3,
    possibleDuplicates: 3,
  })
  const plain = await scene([status(429), json(item)]).client.exchange(submitItem, input)
  expect(plain).toMatchObject({ attempts: 2 })
  expect(plain.possibleDuplicates).toBeUndefined()
})

it('R-21: does not retry a deletion after a lost response, and the error says how to check', async () => {
  const { client, transport } = scene(['lost', new Response(null, { status: 204 })])
  const error = await rejection(client.send(deleteItem, one))
  expect(error).toMatchObject({ code: 'submission-uncertain' })
  expect(String(error)).toContain(
    'Before you repeat `deleteItem`, call `getItem`, which shows whether the request took effect (a 404 means that what you deleted is gone).',
  )
  expect(transport.requests).toHaveLength(1)
})

it('R-21: a 404 to a deletion after an ambiguous response is a success', async () => {
  const { client, transport } = scene([status(504), status(404)])
  expect(await client.send(deleteItem, one)).toBeUndefined()
  expect(transport.requests).toHaveLength(2)
  expect(await scene([status(504), status(404)]).client.exchange(deleteItem, one)).toMatchObject({
    status: 404,
  })
})

it('a 404 to the first attempt of a deletion, or after a 429, is an error', async () => {
  const first = scene([status(404)])
  expect(await rejection(first.client.send(deleteItem, one))).toMatchObject({ name: 'NotFoundError' })
  const limited = scene([status(429), status(404)])
  const operation = { ...deleteItem, retry: { class: 'unsent-only', statuses: [429] } } as const
  expect(await rejection(limited.client.send(operation, one))).toMatchObject({ name: 'NotFoundError' })
})

it('R-21: after an ambiguous response, only a 404 to a deletion is a success', async () => {
  const denied = scene([status(504), status(400)])
  expect(await rejection(denied.client.send(deleteItem, one))).toMatchObject({
    code: 'submission-uncertain',
    cause: { status: 400 },
  })
  const unknown = scene([status(504), status(404)])
  expect(await rejection(unknown.client.send(submitItem, input))).toMatchObject({
    code: 'submission-uncertain',
    cause: { status: 404 },
  })
})

const drifted = { id: 'a', status: 7 }

it('R-05: `validate: enforce` never drops accepted work: the error has the id and the response', async () => {
  const { client } = scene([status(504), json(drifted)], { validate: 'enforce' })
  const error = await rejection(client.send(submitItem, input))
  expect(error).toMatchObject({ code: 'contract-drift', id: 'a', data: drifted, possibleDuplicates: 2 })
  expect(String(error)).toContain('The request was accepted under the id "a"')
  const once = await rejection(scene([json(drifted)], { validate: 'enforce' }).client.send(submitItem, input))
  expect(Object.hasOwn(once as object, 'possibleDuplicates')).toBe(false)
  const { outcome: _, ...changed } = submitItem
  const done = await rejection(scene([json(drifted)], { validate: 'enforce' }).client.send(changed, input))
  expect(String(done)).toContain('The request succeeded. The response is in the `data` of this error')
  expect(Object.hasOwn(done as object, 'id')).toBe(false)
  const safe = await rejection(scene([json(drifted)], { validate: 'enforce' }).client.send(getItem, one))
  expect(String(safe)).not.toContain('of this error')
})

it('R-05: submit() returns the id despite drift, and reports it', async () => {
  const { client, drift } = scene([json(drifted)], { validate: 'enforce' })
  expect(await submit(client, submitItem, input)).toEqual({ id: 'a', data: drifted, possibleDuplicates: 1 })
  expect(drift).toMatchObject([{ operation: 'submitItem', status: 200, issues: [{ path: '/status' }] }])
})

it('R-21: submit() returns the id and the data of a success, and how many submissions may exist', async () => {
  expect(await submit(scene([json(item)]).client, submitItem, input)).toEqual({
    id: 'a',
    data: item,
    possibleDuplicates: 1,
  })
  const again = scene([status(504), json(item)])
  expect(await submit(again.client, submitItem, input)).toMatchObject({ possibleDuplicates: 2 })
})

it('R-05: submit() returns the id of a truncated response', async () => {
  const { client, drift } = scene([status(504), text('{"id":"a-7","status":"que')])
  expect(await submit(client, submitItem, input)).toEqual({
    id: 'a-7',
    data: undefined,
    possibleDuplicates: 2,
  })
  expect(drift).toEqual([
    { operation: 'submitItem', status: 200, issues: [{ path: '', reason: expect.stringContaining('id') }] },
  ])
})

it('R-21: submit() throws a SubmissionUncertainError for an empty id, which cannot be followed', async () => {
  const { client } = scene([status(504), json({ id: '', status: 'queued' })])
  expect(await rejection(submit(client, submitItem, input))).toMatchObject({
    code: 'submission-uncertain',
    status: 200,
    received: '{"id":"","status":"queued"}',
    possibleDuplicates: 2,
    submitted: { fields: ['name'] },
    cause: { code: 'contract-drift', operation: 'submitItem', issues: [{ path: '/id' }] },
  })
  const long = scene([json({ id: '', note: 'x'.repeat(5_000) })])
  const { received } = (await rejection(submit(long.client, submitItem, input))) as SubmissionUncertainError
  expect(received).toHaveLength(4_096)
  const strict = scene([json({ id: '', status: 7 })], { validate: 'enforce' })
  expect(await rejection(submit(strict.client, submitItem, input))).toMatchObject({
    code: 'contract-drift',
  })
})

it('R-05: submit() throws every other error unchanged', async () => {
  const { client } = scene([status(400)], { validate: 'enforce' })
  expect(await rejection(submit(client, submitItem, input))).toMatchObject({ name: 'BadRequestError' })
  const lost = scene(['lost'])
  expect(await rejection(submit(lost.client, submitItem, input))).toMatchObject({
    code: 'submission-uncertain',
  })
})

const open = { ...submitItem, outcome: {}, responses: { 200: { kind: 'any' } } } as const

it.each([
  ['empty', new Response(null), undefined],
  ['another text', text('OK', 'text/plain'), 'OK'],
  ['JSON', json({ a: 1 }), { a: 1 }],
])('R-04: a body that the documentation leaves open can be %s', async (_what, response, expected) => {
  expect(await scene([response]).client.send(open, input)).toEqual(expected)
})
