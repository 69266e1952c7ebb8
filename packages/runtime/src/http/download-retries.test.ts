import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { ConnectionError } from '../core/errors.ts'
import { downloadInto, readText } from './download.ts'
import { scene, status } from './test-support/clients.ts'
import { rejection } from './test-support/fixtures.ts'

const URL_OF_FILE = 'https://files.example/a'

it('R-27, R-60: retries a download after transient failures, with events for the observer', async () => {
  const { client, retries } = scene([status(503), 'lost', new Response('text')])
  expect(await readText(client, URL_OF_FILE)).toBe('text')
  expect(retries).toEqual([
    { type: 'retry', operation: 'download', attempt: 1, delayMs: 250, cause: 503 },
    { type: 'retry', operation: 'download', attempt: 2, delayMs: 500, cause: 'connection' },
  ])
})

it.each(['onProgress', 'accepts', 'nameBy'])(
  'R-27: ends a download with an error of `%s` as it is, even one that looks like a lost connection',
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

it('R-24: spends the budget of the client on a download', async () => {
  const retry = { budgetCapacity: 1, budgetPerCall: 0 }
  const { client, transport } = scene([status(503)], { retry })
  expect(await rejection(readText(client, URL_OF_FILE))).toMatchObject({ status: 503 })
  expect(transport.requests).toHaveLength(2)
  await rejection(readText(client, URL_OF_FILE))
  expect(transport.requests).toHaveLength(3)
})

it('R-24: adds to the budget of the client with each download', async () => {
  const retry = { budgetCapacity: 1, budgetPerCall: 1 }
  const { client } = scene([status(503), new Response('a'), status(503), new Response('b')], { retry })
  expect(await readText(client, URL_OF_FILE)).toBe('a')
  expect(await readText(client, URL_OF_FILE)).toBe('b')
})

it('R-23: waits for the Retry-After of a download, and never longer than the limit', async () => {
  const asked = scene([status(503, { 'retry-after': '7' }), new Response('text')])
  await readText(asked.client, URL_OF_FILE)
  expect(asked.clock.elapsedMs).toBe(7_000)
  const tooLong = scene([status(503, { 'retry-after': '9999999999999' }), new Response('text')])
  expect(await rejection(readText(tooLong.client, URL_OF_FILE))).toMatchObject({ status: 503 })
  expect(tooLong.clock.elapsedMs).toBe(0)
})

it.each([400, 409, 501])('does not retry a download after %i', async (code) => {
  const { client, transport } = scene([status(code), new Response('text')])
  await rejection(readText(client, URL_OF_FILE))
  expect(transport.requests).toHaveLength(1)
})
