import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { ConnectionError } from '../core/errors.ts'
import type { RetryEvent } from '../core/events.ts'
import { scriptedTransport, type ScriptStep } from '../testing/transports.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import type { ClientOptions } from './client-options.ts'
import { createClient } from './client.ts'
import { downloadInto, readText } from './download.ts'
import { rejection } from './test-support/fixtures.ts'

const URL_OF_FILE = 'https://files.example/a'

function scene(steps: readonly [ScriptStep, ...ScriptStep[]], options: Partial<ClientOptions> = {}) {
  const transport = scriptedTransport(...steps)
  const clock = virtualClock()
  const retries: RetryEvent[] = []
  const client = createClient({
    servers: { api: 'http://service.test' },
    transport,
    clock,
    random: () => 0.5,
    observe: (event) => event.type === 'retry' && retries.push(event),
    ...options,
  })
  return { client, transport, clock, retries }
}

const status = (code: number, headers: Record<string, string> = {}): Response =>
  new Response('', { status: code, headers })

describe('downloads in the shared retry loop', () => {
  it('R-27, R-60: are retried after transient failures, with events for the observer', async () => {
    const { client, retries } = scene([status(503), 'lost', new Response('text')])
    expect(await readText(client, URL_OF_FILE)).toBe('text')
    expect(retries).toEqual([
      { type: 'retry', operation: 'download', attempt: 1, delayMs: 250, cause: 503 },
      { type: 'retry', operation: 'download', attempt: 2, delayMs: 500, cause: 'connection' },
    ])
  })

  it.each(['onProgress', 'accepts', 'nameBy'])(
    'R-27: end with an error of %s as it is, even one that looks like a lost connection',
    async (name) => {
      const { client, transport, retries } = scene([new Response('text')])
      const error = new ConnectionError('of the caller', { phase: 'connect', sent: 'no' })
      const fail = (): never => {
        throw error
      }
      const download =
        name === 'nameBy'
          ? downloadInto(client, URL_OF_FILE, tmpdir(), { nameBy: fail })
          : readText(client, URL_OF_FILE, { [name]: fail })
      expect(await rejection(download)).toBe(error)
      expect([transport.requests.length, retries]).toEqual([1, []])
    },
  )

  it('R-24: spend the budget of the client', async () => {
    const retry = { budgetCapacity: 1, budgetPerCall: 0 }
    const { client, transport } = scene([status(503)], { retry })
    expect(await rejection(readText(client, URL_OF_FILE))).toMatchObject({ status: 503 })
    expect(transport.requests).toHaveLength(2)
    await rejection(readText(client, URL_OF_FILE))
    expect(transport.requests).toHaveLength(3)
  })

  it('R-24: add to the budget of the client', async () => {
    const retry = { budgetCapacity: 1, budgetPerCall: 1 }
    const { client } = scene([status(503), new Response('a'), status(503), new Response('b')], { retry })
    expect(await readText(client, URL_OF_FILE)).toBe('a')
    expect(await readText(client, URL_OF_FILE)).toBe('b')
  })

  it('R-23: wait for Retry-After, in any form, and never longer than the limit', async () => {
    const asked = scene([status(503, { 'retry-after': '7' }), new Response('text')])
    await readText(asked.client, URL_OF_FILE)
    expect(asked.clock.elapsedMs).toBe(7_000)
    const tooLong = scene([status(503, { 'retry-after': '9999999999999' }), new Response('text')])
    expect(await rejection(readText(tooLong.client, URL_OF_FILE))).toMatchObject({ status: 503 })
    expect(tooLong.clock.elapsedMs).toBe(0)
  })

  it.each([400, 409, 501])('are not retried after %i', async (code) => {
    const { client, transport } = scene([status(code), new Response('text')])
    await rejection(readText(client, URL_OF_FILE))
    expect(transport.requests).toHaveLength(1)
  })
})
