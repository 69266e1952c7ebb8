import { expect, it } from 'vitest'

import { ConnectionError } from '../core/errors.ts'
import { Attempt } from '../http/attempt.ts'
import type { TransportRequest } from '../http/transport.ts'
import { type Fault, scriptedTransport } from './transports.ts'

function request(control = new Attempt()): TransportRequest {
  return {
    method: 'POST',
    origin: 'http://service.test',
    path: '/x',
    headers: ['accept', '*/*'],
    body: 'hello',
    responseBody: 'buffer',
    maxResponseBytes: 1000,
    control,
  }
}

it('follows its script, repeats the last step, and remembers the requests', async () => {
  const transport = scriptedTransport('lost', new Response('one'), new Response('two', { status: 201 }))
  await expect(transport.send(request())).rejects.toBeInstanceOf(ConnectionError)
  expect((await transport.send(request())).text()).toBe('one')
  expect((await transport.send(request())).status).toBe(201)
  expect((await transport.send(request())).text()).toBe('two')
  expect(transport.requests.map(({ body }) => body)).toEqual(['hello', 'hello', 'hello', 'hello'])
})

it.each([
  ['refused', 'no'],
  ['lost', 'maybe'],
  ['truncated', 'yes'],
] as const)('reports correctly for %s how much was sent', async (fault, sent) => {
  const control = new Attempt()
  await expect(scriptedTransport(fault).send(request(control))).rejects.toMatchObject({ sent })
  expect(control.sent).toBe(sent)
})

it.each(['stalled', 'stalled-body'] satisfies Fault[])(
  '%s lasts until the request is aborted',
  async (fault) => {
    const control = new Attempt()
    const sending = scriptedTransport(fault).send(request(control))
    await new Promise((resolve) => setImmediate(resolve))
    control.cancel('enough')
    await expect(sending).rejects.toBe('enough')
  },
)
