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
const key = { id: 'a', secret: new Uint8Array(32) }

/** Mistakes that only callers without types can make. */
const untyped = (value: unknown): never => value as never

const date = untyped(new Date())

it.each<[() => unknown, message: string]>([
  [() => createFleet({ pool, connectionString: 'x', services: {} }), "can't be combined"],
  [() => createFleet({ services: {} }), 'Either `pool` or `connectionString` is required'],
  [() => createFleet(untyped({ pool })), '`services` is missing'],
  [() => createFleet(untyped({ pool, services: 'x' })), '`services` must be an object'],
  [() => createFleet(untyped({ pool, services: { docs: {} } })), '`services.docs` is not a service'],
  [() => createFleet(untyped({ pool: 'x', services: {} })), '`pool` is not a pool'],
  [() => postgresTokenStore(untyped('postgres://x')), '`pool` is not a pool'],
  [() => postgresSemaphore(untyped('x'), { name: 'a', capacity: 1 }), '`pool` is not a pool'],
  [() => postgresRateLimit(pool, untyped({ name: 'a' })), '`limit` is missing'],
  [() => postgresRateLimit(pool, { name: 'a', limit: 0 }), 'at least 1. Pass the maximum number'],
  [() => postgresRateLimit(pool, { name: 'a', limit: 1.5 }), '`limit` must be a whole number'],
  [() => postgresRateLimit(pool, { name: '', limit: 1 }), '`name` must be a non-empty string'],
  [
    () => postgresRateLimit(pool, { name: 'a', limit: 1, whenDown: untyped('ajar') }),
    '`whenDown` must be one of',
  ],
  [
    () => postgresRateLimit(pool, { name: 'a', limit: 1, schema: 'A' }),
    '`schema` is not a valid schema name',
  ],
  [
    () => createFleet({ pool, services: { jobs }, clock: date }),
    '`clock` must be an object with now(), monotonic()',
  ],
  [() => postgresTokenStore(pool, { clock: date }), '`clock` must be an object'],
  [() => postgresTokenStore(pool, { keys: [] }), 'list of keys'],
  [() => postgresTokenStore(pool, { keys: [{ id: 'short', secret: 'c2hvcnQ=' }] }), '32 bytes'],
  [() => postgresTokenStore(pool, { keys: [key, key] }), 'id of another key'],
  [() => postgresRateLimit(pool, { name: 'a', limit: 1, clock: date }), '`clock` must be an object'],
  [
    () => service({ ...whole, minDelay: '2m', maxDelay: '1m' }),
    '`maxDelay` (60000 ms) is shorter than `minDelay` (120000 ms)',
  ],
  [() => service({ ...whole, limits: untyped({ submit: 5 }) }), 'limits.submit'],
  [() => service({ ...whole, limits: untyped({ poll: {} }) }), 'limits.poll'],
  [
    () => service({ ...whole, limits: { unfinished: 0 } }),
    '`limits.unfinished` must be a whole number of at least 1. Pass such a number. To set no limit, omit the option.',
  ],
  [() => service({ ...whole, submit: untyped('jobs') }), '`submit` must be a function. Pass a function.'],
  [() => service({ ...whole, limits: untyped({ open: 3 }) }), 'open'],
  [() => service({ ...whole, cost: untyped(5) }), '`cost` must be a function'],
  [() => service({ ...whole, encode: untyped('json') }), '`encode` must be a function'],
  [() => service({ ...whole, repeatable: untyped(1) }), '`repeatable` must be'],
  [() => folderSink(untyped(undefined)), '`folder` is missing'],
  [() => extractionService(untyped({}), untyped(undefined)), '`sink` is missing'],
])('%s is rejected with what to do: %s', (create, message) => {
  expect(create).toThrow(OptionsError)
  expect(create).toThrow(message)
})

it('a migration without a pool is rejected', async () => {
  await expect(migrate(untyped(undefined))).rejects.toThrow('`pool` is missing. Pass a `Pool`')
})

it('the options of a worker and of enqueuing are read before the database is opened', async () => {
  const fleet = createFleet({ pool, services: { jobs } })
  await expect(fleet.work({ term: untyped('soon') })).rejects.toThrow('`term` is not a duration')
  const enqueuing = fleet.jobs.enqueue([], { deadline: untyped('soon') })
  await expect(enqueuing).rejects.toThrow('`deadline` is not a duration')
})

it('a generation that the client does not have is rejected', async () => {
  const encodeRequest = async (request: unknown): Promise<unknown> => request
  const client = { encodeRequest } as unknown as GenerationClient<unknown>
  const fleet = createFleet({ pool, services: { media: mediaService(client, { sink: () => undefined }) } })
  await expect(fleet.media.estimate([{ operation: 'textToFilm', request: {} }])).rejects.toThrow(
    'The client has no operation "textToFilm". Pass each request as `{ operation, request }`',
  )
})
