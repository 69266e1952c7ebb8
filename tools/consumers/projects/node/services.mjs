// The other services against the packed packages: each with its client, its validators and the emulator.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createEmulator } from '@concord/emulator'
import { Media, TaskFailedError } from '@concord/media'
import { task, textToVideoRequest } from '@concord/media-validators'
import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import { presets, Speech } from '@concord/speech'
import { configureSuccess } from '@concord/speech-validators'
import { SignInRequiredError, StorageAuth, WrongCredentialsError } from '@concord/storage-auth'
import { fileStore } from '@concord/storage-auth/node'
import { apiKey, user } from '@concord/storage-auth-validators'
import { z } from 'zod'

const folder = await mkdtemp(join(tmpdir(), 'concord-services-'))

/** In process, on a virtual clock. */
async function runMedia() {
  const clock = virtualClock()
  const emulator = await createEmulator({ clock })
  const { baseUrl, apiSecret, fetch, control } = emulator.media
  const media = new Media({ baseUrl, apiSecret, transport: memoryTransport(fetch), clock })
  const handle = await media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat', duration: 5 })
  const done = await handle.wait()
  assert.equal(z.array(task).safeParse([JSON.parse(JSON.stringify(done))]).success, true)
  assert.equal(
    z.object({ next: textToVideoRequest }).safeParse({ next: { model: 'gen4.5', duration: 11 } }).success,
    false,
  )
  const [file] = await handle.download({ folder })
  assert.equal((await readFile(file.path)).subarray(4, 8).toString(), 'ftyp')
  control.scriptTasks({ outcome: 'fail', failure: 'INTERNAL' })
  const failed = await media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat', duration: 5 })
  await assert.rejects(failed.wait(), (error) => TaskFailedError.is(error) && error.advice === 'retry')
  assert.equal(media.estimateCredits({ model: 'gen4_turbo', duration: 5 }).max, 25)
  await media.close()
  await emulator.close()
}

/** In process, with the session in a file. */
async function runStorageAuth() {
  const emulator = await createEmulator()
  const { authUrl, dataUrl, email, password, fetch, control } = emulator.storageAuth
  const store = fileStore(join(folder, 'session.json'))
  const storage = new StorageAuth({ authUrl, dataUrl, store, transport: memoryTransport(fetch) })
  await assert.rejects(storage.signIn({ email, password: 'wrong' }), (error) =>
    WrongCredentialsError.is(error),
  )
  const session = await storage.signIn({ email, password })
  assert.equal(user.safeParse(session.user).success, true)
  if (process.platform !== 'win32')
    assert.equal((await stat(join(folder, 'session.json'))).mode & 0o777, 0o600)
  control.expireAccessTokens()
  let kept = ''
  const record = await session.apiKeys.create({ name: 'consumer' }, { save: (key) => void (kept = key) })
  assert.match(kept, /.{32}/)
  assert.equal(z.array(apiKey).safeParse(await session.apiKeys.list()).success, true)
  const keyOnly = new StorageAuth({ authUrl, dataUrl, apiKey: kept, transport: memoryTransport(fetch) })
  await assert.rejects(keyOnly.withApiKey().apiKeys.list(), (error) => SignInRequiredError.is(error))
  await session.apiKeys.revoke(record)
  assert.deepEqual(await session.apiKeys.list(), [])
  await keyOnly.close()
  await storage.forget()
  await storage.close()
  await emulator.close()
}

/** Over real sockets, so that the code that opens them is loaded, too. */
async function runSpeech() {
  const emulator = await createEmulator()
  const { apiUrl, agentUrl, apiKey } = (await emulator.serve({ services: ['speech'] })).speech
  const speech = new Speech({ apiUrl, agentUrl, apiKey })
  const spoken = await (
    await speech.speak(presets.emulator.speakRequest('The ferry leaves at nine.'))
  ).bytes()
  assert.equal(String.fromCharCode(...spoken.subarray(0, 4)), 'RIFF')
  const Transcript = z.object({ text: z.string() })
  assert.notEqual((await speech.transcribe(spoken, { model: 'nova-3' }, { schema: Transcript })).text, '')
  const live = await speech.listen({ model: 'nova-3' }, { schema: Transcript, containerized: true })
  await live.sendAudio(new Uint8Array(64_000))
  for await (const event of live) {
    assert.equal(event.type, 'event')
    break
  }
  assert.equal((await live.close()).error, undefined)
  const conversation = await speech.converse()
  const applied = await conversation.configure({ thresholds: { eot_threshold: 0.8 } })
  assert.equal(configureSuccess.safeParse(applied).success, true)
  await conversation.close()
  let bytes = 0
  for await (const audio of speech.speakStream('At nine.', presets.emulator.synthesis)) bytes += audio.length
  assert.ok(bytes > 0)
  await speech.close()
  await emulator.close()
}

/** Runs all three. */
export async function runServices() {
  try {
    await runMedia()
    await runStorageAuth()
    await runSpeech()
  } finally {
    await rm(folder, { recursive: true })
  }
}
