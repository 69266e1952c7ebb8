import { OptionsError } from '@concord/runtime'
import { expect, it } from 'vitest'

import {
  createFleet,
  extractionService,
  folderSink,
  type GenerationClient,
  mediaService,
  migrate,
  postgresRateLimit,
  postgresSemaphore,
  postgresTokenStore,
  service,
} from '../src/index.ts'

const pool = { connect: () => Promise.reject(new Error('not opened')) }
const whole = { submit: async () => ({ id: '1' }), resume: () => undefined as never, sink: () => undefined }
const jobs = service(whole)

/** Mistakes that only callers without types can make. */
const untyped = <T = never>(value: unknown): T => value as T

it.each<[string, () => unknown, string]>([
  [
    'both ways to the database',
    () => createFleet({ pool, connectionString: 'x', services: {} }),
    "can't be combined",
  ],
  [
    'no way to the database',
    () => createFleet({ services: {} }),
    'Either `pool` or `connectionString` is needed',
  ],
  ['no services', () => createFleet(untyped({ pool })), '`services` is missing'],
  [
    'a service that is a client',
    () => createFleet(untyped({ pool, services: { docs: {} } })),
    '`services.docs` is not a service',
  ],
  [
    'a URL as the pool of a fleet',
    () => createFleet(untyped({ pool: 'x', services: {} })),
    '`pool` is not a pool',
  ],
  ['a URL as the pool of a store', () => postgresTokenStore(untyped('postgres://x')), '`pool` is not a pool'],
  [
    'a URL as the pool of a limit',
    () => postgresSemaphore(untyped('x'), { name: 'a', capacity: 1 }),
    '`pool` is not a pool',
  ],
  ['a rate without its limit', () => postgresRateLimit(pool, untyped({ name: 'a' })), '`limit` is missing'],
  [
    'a rate of zero',
    () => postgresRateLimit(pool, { name: 'a', limit: 0 }),
    'at least 1. Pass the maximum number',
  ],
  [
    'delays in the wrong order',
    () => service({ ...whole, minDelay: '2m', maxDelay: '1m' }),
    '`maxDelay` (60000 ms) is shorter than `minDelay` (120000 ms)',
  ],
  [
    'services that are a string',
    () => createFleet(untyped({ pool, services: 'x' })),
    '`services` must be an object',
  ],
  [
    'a date as the clock of a fleet',
    () => createFleet({ pool, services: { jobs }, clock: untyped(new Date()) }),
    '`clock` must be an object with now(), monotonic(), setTimer()',
  ],
  [
    'a date as the clock of a store',
    () => postgresTokenStore(pool, { clock: untyped(new Date()) }),
    '`clock` must be an object',
  ],
  [
    'a date as the clock of a limit',
    () => postgresRateLimit(pool, { name: 'a', limit: 1, clock: untyped(new Date()) }),
    '`clock` must be an object',
  ],
  [
    'a price that is a number',
    () => service({ ...whole, cost: untyped<() => never>(5) }),
    '`cost` must be a function',
  ],
  [
    'an encoder that is a name',
    () => service({ ...whole, encode: untyped<() => never>('json') }),
    '`encode` must be a function',
  ],
  [
    'a repetition that is a number',
    () => service({ ...whole, repeatable: untyped(1) }),
    '`repeatable` must be',
  ],
  ['a sink without a folder', () => folderSink(untyped(undefined)), '`folder` is missing'],
  [
    'documents without options',
    () => extractionService(untyped({}), untyped(undefined)),
    '`sink` is missing',
  ],
])('%s: an option is rejected with what to do', (_, create, message) => {
  expect(create).toThrow(OptionsError)
  expect(create).toThrow(message)
})

it('a migration without a pool is rejected', async () => {
  await expect(migrate(untyped(undefined))).rejects.toThrow('`pool` is missing. Pass a `Pool`')
})

it("a worker's options are read before the database is opened", async () => {
  const fleet = createFleet({ pool, services: { jobs } })
  await expect(fleet.work({ term: untyped('soon') })).rejects.toThrow('`term` is not a duration')
})

it('a generation that the client does not have is rejected', async () => {
  const encodeRequest = async (request: unknown): Promise<unknown> => request
  const client = untyped<GenerationClient<unknown>>({ encodeRequest })
  const fleet = createFleet({ pool, services: { media: mediaService(client, { sink: () => undefined }) } })
  await expect(fleet.media.estimate([{ operation: 'textToFilm', request: {} }])).rejects.toThrow(
    'The client has no operation "textToFilm". Pass requests as in a batch',
  )
})
