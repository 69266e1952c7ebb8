import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

import { loadChoices } from '../../src/cli-options.ts'
import { createEmulator, frozenClock, type Emulator, type EmulatorOptions } from '../../src/index.ts'
import { inProcess } from '../support/sockets.ts'

const FOLDER = fileURLToPath(new URL('../../examples', import.meta.url))

async function start(file: string): Promise<Emulator> {
  const choices = await loadChoices(`${FOLDER}/${file}`)
  const options = Object.fromEntries(Object.entries(choices).map(([name, own]) => [name, { choices: own }]))
  return createEmulator({ clock: frozenClock(), seed: 1, ...(options as EmulatorOptions) })
}

/** The test of each example: a call that one of its choices changes, and the expected response. */
const TRIALS: Record<string, (emulator: Emulator) => Promise<void>> = {
  'extraction.choices.mjs': async ({ extraction }) => {
    const headers = { 'x-api-key': extraction.apiKey }
    const body = new FormData()
    body.set('name', 'Invoices')
    body.append('documents', 'one')
    body.append('documents', 'two')
    const url = `${extraction.baseUrl}/v1/optimize`
    expect((await extraction.fetch(url, { method: 'POST', headers, body })).status).toBe(202)
    const pipelines = await extraction.fetch(`${extraction.baseUrl}/v1/pipelines`)
    expect(await pipelines.json()).toEqual([
      { id: 'standard', label: 'STANDARD' },
      { id: 'searchable', label: 'SEARCHABLE' },
    ])
  },
  'media.choices.mjs': async ({ media }) => {
    const headers = {
      authorization: `Bearer ${media.apiSecret}`,
      'x-service-version': '2024-11-06',
      'content-type': 'application/json',
    }
    const created = await media.fetch(`${media.baseUrl}/v1/uploads`, { method: 'POST', headers, body: '{}' })
    const { putFileAt } = (await created.json()) as { putFileAt: string }
    const form = new FormData()
    form.set('file', new File(['a recording'], 'a.mp3', { type: 'audio/mpeg' }))
    expect((await media.fetch(putFileAt, { method: 'POST', body: form })).status).toBe(201)
  },
  'speech.choices.mjs': async ({ speech }) => {
    expect((await speech.fetch(`${speech.apiUrl}/v1/models`)).status).toBe(200)
    const headers = { authorization: `Token ${speech.apiKey}` }
    const socket = inProcess(speech.socketFactory)(`${speech.apiUrl.replace('http', 'ws')}/v1/speak`, headers)
    await socket.settled
    socket.send({ type: 'Flush' })
    socket.send({ type: 'CloseStream' })
    await socket.over
    expect(socket.json()).toEqual([
      { type: 'Welcome', channel: 'speechStream' },
      { type: 'Flushed' },
      { type: 'Metadata' },
    ])
    expect(socket.closed).toEqual({ code: 1000, reason: 'done' })
  },
  'storage-auth.choices.mjs': async ({ storageAuth }) => {
    const { accessToken } = await storageAuth.control.issueTokens(storageAuth.email)
    const { id } = storageAuth.control.addApiKey(storageAuth.email, { name: 'ci' })
    const url = `${storageAuth.dataUrl}/v1/api-keys/${id}`
    const headers = { authorization: `Bearer ${accessToken}` }
    const deleted = await storageAuth.fetch(url, { method: 'DELETE', headers })
    expect([deleted.status, await deleted.json()]).toEqual([200, { id, status: 'revoked' }])
  },
}

it.each(readdirSync(FOLDER))('the example %s is a choices file that works', async (file) => {
  await using emulator = await start(file)
  expect.hasAssertions()
  await TRIALS[file]?.(emulator)
})
