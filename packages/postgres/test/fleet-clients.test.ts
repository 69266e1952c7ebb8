import { once } from 'node:events'
import { mkdtemp, readFile, readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Extraction, webhookReceiver } from '@concord/extraction'
import { nodeWebhookListener } from '@concord/extraction/node'
import { file, image, type MediaInput } from '@concord/media'
import { OptionsError } from '@concord/runtime'
import { memoryTransport } from '@concord/runtime/testing'
import { expect, it, onTestFinished } from 'vitest'

import { createFleet, extractionService, folderSink, mediaService } from '../src/index.ts'
import { emulatedClients } from './support/clients.ts'
import { testDatabase } from './support/database.ts'
import { startWorker, workUntil } from './support/fleet.ts'

const database = testDatabase()
const documents = join(import.meta.dirname, '..', '..', '..', 'examples', 'documents')
const receipt = join(documents, 'receipt.png')
const quick = { firstDelay: 50, minDelay: 50 } as const
const newFolder = () => mkdtemp(join(tmpdir(), 'fleet-clients-'))

const jobs = (schema: string) =>
  database.rows<{ phase: string; reason: string | null; text: string }>(
    `select phase, reason, polls, request::text as text from ${schema}.fleet_jobs order by batch, position`,
  )

const ended = (schema: string, count: number) =>
  expect
    .poll(async () => (await jobs(schema)).filter(({ phase }) => /done|denied|failed/.test(phase)).length, {
      timeout: 60_000,
    })
    .toBe(count)

it('a webhook of the extraction service that reaches another process makes a worker poll immediately, instead of hours later', async () => {
  const server = createServer()
  const { emulator, extraction } = await emulatedClients({
    extraction: {
      choices: { courseOf: () => ({ queuedMs: 100, processingMs: 100 }) },
      webhookFetch: (call) =>
        fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
          method: call.method,
          headers: call.headers,
          body: call.body,
          duplex: 'half',
        } as RequestInit),
    },
  })
  const folder = await newFolder()
  const delays = { firstDelay: '5h', minDelay: '5h', maxDelay: '5h' } as const
  const documentsService = extractionService(extraction, { sink: folderSink(folder), ...delays })
  // The web server and the worker share nothing but the database.
  const open = () => database.fleet('hooked', documentsService, { pool: database.newPool() })
  const web = open()
  const receive = webhookReceiver(extraction, {
    onJob: async ({ id }) => {
      // The response to the submission may not be stored yet.
      await expect.poll(() => web.webhook({ service: 'stub', id })).toBe(true)
    },
  })
  server.on('request', nodeWebhookListener(receive)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())

  const webhook_url = 'https://hooks.example/extraction'
  await web.stub.enqueue([{ file: receipt, webhook_url }])
  await workUntil(open(), () => ended('hooked', 1))
  expect(await jobs('hooked')).toMatchObject([{ phase: 'done', polls: 1 }])
  expect(await readdir(folder)).toHaveLength(1)
  const fetched = emulator.extraction.control.requests().filter(({ operationId }) => operationId === 'getJob')
  // Once by the receiver, which doesn't trust the call, and once by the worker.
  expect(fetched).toHaveLength(2)
  server.closeAllConnections()
})

it('local files are stored as paths and sent by the worker; content that would be lost with the process is rejected', async () => {
  const { media, extraction } = await emulatedClients()
  const sink = folderSink(await newFolder())
  const fleet = createFleet({
    pool: database.pool,
    schema: 'files',
    services: {
      images: mediaService(media, { sink: () => undefined, ...quick }),
      documents: extractionService(extraction, { sink, ...quick }),
      objects: extractionService(extraction, {
        sink,
        ...quick,
        async open(key) {
          if (key === 'gone') throw new Error('the object was deleted')
          return new Blob([await readFile(join(documents, key.slice('bucket/'.length)))])
        },
      }),
    },
  })
  const video = (promptImage: MediaInput<'image'>) =>
    ({ operation: 'imageToVideo', request: { model: 'gen4_turbo', promptImage, duration: 5 } }) as const
  const url = new URL('https://assets.example/a.png')
  await fleet.images.enqueue([file(receipt), image(file(receipt)), url].map(video))
  await fleet.documents.enqueue([{ file: receipt }])
  await fleet.objects.enqueue([{ file: 'bucket/receipt.png' }, { file: 'gone' }])
  const kept = await jobs('files')
  expect(kept.map(({ text }) => text.length < 300)).toEqual(kept.map(() => true))
  expect(kept[0]!.text).toContain(receipt)

  const bytes = await readFile(receipt)
  for (const content of [
    bytes,
    new Blob([bytes]),
    new Blob([bytes]).stream(),
    { content: bytes, filename: 'a.png' },
  ]) {
    const enqueuing = fleet.images.enqueue([video(content)])
    await expect(enqueuing).rejects.toThrow(OptionsError)
    await expect(enqueuing).rejects.toThrow(
      /bytes, a Blob or a stream, which a journal or a queue can.t store.*Write the content to a file/,
    )
    await expect(fleet.documents.enqueue([{ file: content as never }])).rejects.toThrow(
      /`file` of a document must be a non-empty string/,
    )
    await expect(fleet.documents.enqueue([{ file: receipt, schema: { content } as never }])).rejects.toThrow(
      /`requests\[0\].schema.content.*is not plain data/,
    )
  }
  await workUntil(fleet, () => ended('files', 6))
  const ends = await jobs('files')
  expect(ends.map(({ phase }) => phase)).toEqual([...Array.from({ length: 5 }, () => 'done'), 'denied'])
  expect(ends.at(-1)!.reason).toContain('"gone" could not be opened (the object was deleted).')
})

it('a paid request is sent in a single attempt, even after a response that the client would normally retry', async () => {
  const sent: string[] = []
  const { media } = await emulatedClients({}, async ({ method }) => {
    sent.push(method)
    return Response.json({}, { status: 503 })
  })
  const fleet = database.fleet('overloaded', mediaService(media, { sink: () => undefined, ...quick }))
  await fleet.stub.enqueue([
    { operation: 'textToImage', request: { model: 'gen4_image_turbo', promptText: 'a' } },
  ])
  await workUntil(fleet, () => database.becomes('overloaded', { uncertain: 1 }))
  expect(sent).toEqual(['POST'])
})

it("no row of a fleet and no error of its workers contains a service's key or the database password", async () => {
  const { emulator, media, extraction } = await emulatedClients()
  const wrong = new Extraction({
    baseUrl: emulator.extraction.baseUrl,
    apiKey: 'wrong-secret-key',
    transport: memoryTransport((request) => emulator.extraction.fetch(request)),
  })
  const sink = folderSink(await newFolder())
  const fleet = createFleet({
    connectionString: database.url,
    schema: 'secretive',
    services: {
      documents: extractionService(extraction, { sink, ...quick }),
      strangers: extractionService(wrong, { sink, ...quick }),
      images: mediaService(media, { sink, ...quick }),
    },
  })
  await fleet.documents.enqueue([{ file: receipt }, { file: join(documents, 'missing.pdf') }])
  await fleet.strangers.enqueue([{ file: receipt }])
  await fleet.images.enqueue([
    { operation: 'textToImage', request: { model: 'gen4_image_turbo', promptText: 'a' } },
  ])
  const worker = startWorker(fleet)
  await ended('secretive', 3)
  const paused = () => database.count('secretive.fleet_services where pauses > 0')
  await expect.poll(paused, { timeout: 60_000 }).toBe(1)
  const rows = await database.contents('secretive', 'secretive_queue')
  const shown = `${rows}${JSON.stringify(await fleet.status())}${worker.errors.map(String).join('\n')}`
  await worker.stop()
  await Promise.all([fleet.close(), wrong.close()])
  expect(shown).toContain('missing.pdf')
  const password = new URL(database.url).password
  const secrets = [emulator.extraction.apiKey, emulator.media.apiSecret, 'wrong-secret-key', `:${password}@`]
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([])
})
