import { createEmulator } from '@concord/emulator'
import { expect, it } from 'vitest'

import { presets, Speech } from '../src/index.ts'
import { samples, wav } from './offline.ts'
import { rejection, take } from './support.ts'

it('calls and WebSockets work over real connections, with the defaults for Node', async () => {
  await using emulator = await createEmulator({ seed: 1, speech: { connectionAllowance: 2 } })
  await using served = await emulator.serve({ services: ['speech'] })
  const { apiUrl, agentUrl, apiKey } = served.speech
  await using speech = new Speech({ apiUrl, agentUrl, apiKey })

  expect(await speech.transcribe(wav(1000), { model: 'base' })).toMatchObject({ duration: 1 })

  await using live = await speech.listen({ encoding: 'linear16' })
  await live.sendFrom([samples(1000), samples(0), samples(1000)])
  expect(await take(live, 1)).toMatchObject([{ type: 'event', data: { start: 0, end: 2 } }])

  const agent = await speech.agent({}, presets.emulator.agent)
  await agent.ready
  expect(await rejection(speech.converse())).toMatchObject({
    code: 'socket-denied',
    status: 429,
    body: expect.stringContaining('Too many connections') as unknown,
  })
  await agent.close()

  let size = 0
  for await (const audio of speech.speakStream(['one ', 'two'], presets.emulator.synthesis))
    size += audio.length
  expect(size).toBe('one two'.length * 60 * 48)
})
