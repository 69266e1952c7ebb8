import { callWithout } from '@concord/contract-kit/missing-file'
import { expect, it } from 'vitest'

const client = {
  folder: import.meta.dirname,
  setUp: `const media = new exported.Media({ baseUrl: 'https://media.example', apiSecret: 'secret', transport })`,
}
const generation = `media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat', duration: 5 })`

it.each([
  ['textToVideo', '/preparation.ts', generation],
  ['textToVideo', '/poll-engine.ts', generation],
  ['createAvatar', '/request-body.ts', `media.avatars.create({ name: 'Ada' })`],
])('sends no %s without the code in %s, which the call or its wait needs', (operation, file, call) => {
  const found = callWithout(file, { ...client, call })

  expect(found).toEqual({ attempts: 0, code: 'connection', sent: 'no', operation })
})

it('reports a lost generation as uncertain if every part loads', () => {
  const found = callWithout('/no-such-file.ts', { ...client, call: generation })

  expect(found).toMatchObject({ attempts: 1, code: 'submission-uncertain' })
})
