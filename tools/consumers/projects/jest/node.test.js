const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { createEmulator } = require('@concord/emulator')
const { ApiError, Extraction } = require('@concord/extraction')
const { job } = require('@concord/extraction-validators')
const { Media } = require('@concord/media')
const { memoryTransport, virtualClock } = require('@concord/runtime/testing')
const { presets, Speech } = require('@concord/speech')
const { StorageAuth } = require('@concord/storage-auth')

const receipt = join(__dirname, '../shared/receipt.png')

test('extracts a document, over the network', async () => {
  const emulator = await createEmulator({
    extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
  })
  const { baseUrl, apiKey } = (await emulator.serve({ services: ['extraction'] })).extraction
  const extraction = new Extraction({
    baseUrl,
    apiKey,
    polling: { job: { firstDelayMs: 20, minDelayMs: 20 } },
  })
  const submitted = await extraction.submit({ file: receipt })
  const done = await submitted.wait()
  expect(done.status).toBe('completed')
  expect(await done.text()).not.toBe('')
  expect(job.safeParse(JSON.parse(JSON.stringify(done))).success).toBe(true)
  const fromBytes = await extraction.submit({ file: readFileSync(receipt) })
  expect((await fromBytes.wait()).status).toBe('completed')
  const error = await extraction.api
    .getJob({ path: { job_id: '00000000-0000-4000-8000-000000000000' } })
    .catch((caught) => caught)
  expect(ApiError.is(error)).toBe(true)
  await expect(extraction.api.getJob({ path: { job_id: 7 } })).rejects.toThrow(/job_id/)
  await extraction.close()
  await emulator.close()
})

test('reads a PDF', async () => {
  const clock = virtualClock()
  const emulator = await createEmulator({ clock })
  const { baseUrl, apiKey, fetch } = emulator.extraction
  const extraction = new Extraction({ baseUrl, apiKey, transport: memoryTransport(fetch), clock })
  const submitted = await extraction.submit({ file: join(__dirname, '../shared/invoice.pdf') })
  expect((await submitted.wait()).status).toBe('completed')
  await extraction.close()
  await emulator.close()
})

test('generates a video, in memory and on a virtual clock', async () => {
  const clock = virtualClock()
  const emulator = await createEmulator({ clock })
  const { baseUrl, apiSecret, fetch } = emulator.media
  const media = new Media({ baseUrl, apiSecret, transport: memoryTransport(fetch), clock })
  const handle = await media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat', duration: 5 })
  expect((await handle.wait()).status).toBe('SUCCEEDED')
  await media.close()
  await emulator.close()
})

test('signs in, in memory', async () => {
  const emulator = await createEmulator()
  const { authUrl, dataUrl, email, password, fetch } = emulator.storageAuth
  const storage = new StorageAuth({ authUrl, dataUrl, transport: memoryTransport(fetch) })
  const session = await storage.signIn({ email, password })
  expect(await session.apiKeys.list()).toEqual([])
  await storage.close()
  await emulator.close()
})

test('transcribes live audio, over a socket', async () => {
  const emulator = await createEmulator()
  const { apiUrl, agentUrl, apiKey } = (await emulator.serve({ services: ['speech'] })).speech
  const speech = new Speech({ apiUrl, agentUrl, apiKey })
  const live = await speech.listen({ model: 'nova-3' }, { containerized: true })
  await live.sendAudio(new Uint8Array(64_000))
  for await (const event of live) {
    expect(event.type).toBe('event')
    break
  }
  await live.close()
  const spoken = await (await speech.speak(presets.emulator.speakRequest('At nine.'))).bytes()
  expect(spoken.length).toBeGreaterThan(0)
  await speech.close()
  await emulator.close()
})
