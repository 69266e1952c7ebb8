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

/** The test of an example: a call that one of its choices changes, and the expected response. */
const TRIALS: Record<string, (emulator: Emulator) => Promise<unknown>> = {
  'extraction.choices.mjs': async ({ extraction }) => {
    const headers = { 'x-api-key': extraction.apiKey }
    const form = new FormData()
    form.set('name', 'Invoices')
    form.append('documents', 'one')
    form.append('documents', 'two')
    const started = await extraction.fetch(`${extraction.baseUrl}/v1/optimize`, {
      method: 'POST',
      headers,
      body: form,
    })
    const pipelines = await extraction.fetch(`${extraction.baseUrl}/v1/pipelines`)
    return [started.status, await pipelines.json()]
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
    return (await media.fetch(putFileAt, { method: 'POST', body: form })).status
  },
  'speech.choices.mjs': async ({ speech }) => {
    const models = await speech.fetch(`${speech.apiUrl}/v1/models`)
    const headers = { authorization: `Token ${speech.apiKey}` }
    const socket = inProcess(speech.socketFactory)(`${speech.apiUrl.replace('http', 'ws')}/v1/speak`, headers)
    await socket.settled
    socket.send({ type: 'Flush' })
    socket.send({ type: 'CloseStream' })
    await socket.over
    return [models.status, socket.json(), socket.closed]
  },
  'storage-auth.choices.mjs': async ({ storageAuth }) => {
    const { accessToken } = await storageAuth.control.issueTokens(storageAuth.email)
    const { id } = storageAuth.control.addApiKey(storageAuth.email, { name: 'ci' })
    const headers = { authorization: `Bearer ${accessToken}` }
    const deleted = await storageAuth.fetch(`${storageAuth.dataUrl}/v1/api-keys/${id}`, {
      method: 'DELETE',
      headers,
    })
    return [deleted.status, await deleted.json()]
  },
}

const RESULTS: Record<string, unknown> = {
  'extraction.choices.mjs': [
    202,
    [
      { id: 'standard', label: 'STANDARD' },
      { id: 'searchable', label: 'SEARCHABLE' },
    ],
  ],
  'media.choices.mjs': 201,
  'speech.choices.mjs': [
    200,
    [{ type: 'Welcome', channel: 'speechStream' }, { type: 'Flushed' }, { type: 'Metadata' }],
    { code: 1000, reason: 'done' },
  ],
  'storage-auth.choices.mjs': [200, { id: expect.any(String), status: 'revoked' }],
}

it.each(readdirSync(FOLDER))('the example %s is a choices file that works', async (file) => {
  await using emulator = await start(file)
  expect(await TRIALS[file]?.(emulator)).toEqual(RESULTS[file])
})
