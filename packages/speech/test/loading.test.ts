import { callWithout } from '@concord/contract-kit/missing-file'
import { expect, it } from 'vitest'

const client = {
  folder: import.meta.dirname,
  setUp: `const speech = new exported.Speech({ apiUrl: 'https://speech.example', apiKey: 'secret', socketFactory })`,
}
const listen = `speech.listen({ model: 'nova-3' })`

it.each([
  [listen, 'liveTranscription'],
  [`speech.speakStream('Hello', { spoken: 'close' }).next()`, 'speechStream'],
])('opens no connection if the code of WebSockets is missing: %s', (call, operation) => {
  const found = callWithout('/socket-flows.ts', { ...client, call })

  expect(found).toEqual({ attempts: 0, code: 'connection', sent: 'no', operation })
})

it('opens a connection if every part loads', () => {
  expect(callWithout('/no-such-file.ts', { ...client, call: listen })).toMatchObject({ attempts: 1 })
})
