import { join } from 'node:path'

import { createEmulator } from '@concord/emulator'
import { Extraction } from '@concord/extraction'
import { Media } from '@concord/media'
import { DeadlineError } from '@concord/runtime'
import { memoryTransport } from '@concord/runtime/testing'
import { Speech } from '@concord/speech'
import { expect, it, onTestFinished } from 'vitest'

import { postgresRateLimit, postgresSemaphore } from '../src/index.ts'
import { testDatabase } from './support/database.ts'

const database = testDatabase()
const receipt = join(import.meta.dirname, '..', '..', '..', 'examples', 'documents', 'receipt.png')

/** Creates a client twice, each with a pool of its own, as two processes would. */
function inTwoProcesses<Client extends { close(): Promise<void> }>(
  create: (pool: ReturnType<typeof database.newPool>) => Client,
): readonly [Client, Client] {
  const clients = [create(database.newPool()), create(database.newPool())] as const
  onTestFinished(async () => void (await Promise.all(clients.map((client) => client.close()))))
  return clients
}

async function emulate() {
  const emulator = await createEmulator({
    media: { choices: { courseOf: () => ({ pendingMs: 10, runningMs: 20 }) } },
  })
  onTestFinished(() => emulator.close())
  return emulator
}

it('R-47: the calls of two clients together stay within a rate in the database', async () => {
  const { extraction: service } = await emulate()
  let arrived = 0
  const [one, other] = inTwoProcesses(
    (pool) =>
      new Extraction({
        baseUrl: service.baseUrl,
        apiKey: service.apiKey,
        // On a busy machine, a request that is later than half the margin takes another slot.
        rateLimit: postgresRateLimit(pool, { name: 'extraction', limit: 4, marginMs: 60_000 }),
        transport: memoryTransport((request) => {
          arrived += 1
          return service.fetch(request)
        }),
      }),
  )
  const submit = (client: Extraction, options = {}) => client.submit({ file: receipt }, options)
  await Promise.all([submit(one), submit(one), submit(other), submit(other)])
  // The next slot is free only after a minute.
  await expect(submit(other, { deadline: 300 })).rejects.toThrow(DeadlineError)
  expect(arrived).toBe(4)
})

it('R-48: the batches of two clients together never have more unfinished tasks than a semaphore in the database', async () => {
  const { media: service } = await emulate()
  const unfinished = new Set<string>()
  let most = 0
  const [one, other] = inTwoProcesses(
    () =>
      new Media({
        baseUrl: service.baseUrl,
        apiSecret: service.apiSecret,
        polling: { task: { firstDelayMs: 10, minDelayMs: 10, maxDelayMs: 20 } },
        transport: memoryTransport(async (request) => {
          const response = await service.fetch(request)
          const { id = '', status } = (await response.clone().json()) as { id?: string; status?: string }
          if (request.method === 'POST') unfinished.add(id)
          if (status === 'SUCCEEDED') unfinished.delete(id)
          most = Math.max(most, unfinished.size)
          return response
        }),
      }),
  )
  const requests = Array.from({ length: 4 }, () => ({
    operation: 'imageToVideo' as const,
    request: { model: 'gen4_turbo', promptImage: new URL('https://assets.example/a.png') } as const,
  }))
  const limits = [database.newPool(), database.newPool()].map((pool) =>
    postgresSemaphore(pool, { name: 'media', capacity: 3 }),
  )
  const reports = await Promise.all(
    [one, other].map((client, index) =>
      client.batch(requests, { concurrency: 3, sharedConcurrency: limits[index]! }),
    ),
  )
  expect(reports.flatMap(({ outcomes }) => outcomes.map(({ outcome }) => outcome))).toEqual(
    Array.from({ length: 8 }, () => 'succeeded'),
  )
  expect(most).toBeLessThanOrEqual(3)
  expect(most).toBeGreaterThan(1)
})

it('R-48: the WebSockets of two clients together never exceed a semaphore in the database', async () => {
  const { speech: service } = await emulate()
  const [one, other] = inTwoProcesses(
    (pool) =>
      new Speech({
        apiUrl: service.apiUrl,
        apiKey: service.apiKey,
        socketFactory: service.socketFactory,
        connectionLimit: postgresSemaphore(pool, { name: 'speech', capacity: 1 }),
      }),
  )
  const live = await one.listen({ model: 'nova-3' })
  let isOpen = false
  const waiting = other.listen({ model: 'nova-3' }).then((connection) => {
    isOpen = true
    return connection
  })
  await expect.poll(() => database.count("concord.leases where name = 'speech'")).toBe(2)
  expect(isOpen).toBe(false)
  await live.close()
  await (await waiting).close()
})
