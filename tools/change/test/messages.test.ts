import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { addedMessages, messagesOf, messageStub, messageToDo } from '../src/messages.ts'
import { writeEdits } from '../src/stubs.ts'
import { temporaryTree } from './support.ts'

const channel = (key: string) => ({ $ref: `#/channels/${key}` })
const message = (channelKey: string, key: string) => ({ $ref: `#/channels/${channelKey}/messages/${key}` })
interface Operation {
  readonly action: string
  readonly channel: { readonly $ref: string }
  messages?: { readonly $ref: string }[]
  readonly reply: { readonly messages: { readonly $ref: string }[] }
}
const contract = (edit: (hearDim: Operation) => void = () => {}): string => {
  const hearDim: Operation = {
    action: 'receive',
    channel: channel('lamp'),
    messages: [message('lamp', 'dim')],
    reply: { messages: [message('lamp', 'dimmed')] },
  }
  edit(hearDim)
  return JSON.stringify({
    asyncapi: '3.0.0',
    channels: {
      lamp: { address: '/lamp', messages: { dim: {}, dimmed: {}, flicker: {} } },
      event: { messages: { broken: {} } },
    },
    operations: { hearDim, tellEvents: { action: 'send', channel: channel('event') } },
  })
}
const changesAfter = (edit: (hearDim: Operation) => void) =>
  addedMessages(messagesOf(contract()), messagesOf(contract(edit)))
const files = {
  'packages/lamps/contract/walk.ts': `import { step } from '@concord/contract-kit'

export function lampsSocketWalk() {
  return {
    walk: {
      steps: socketSteps(emulator),
    },
  }
}
const said = ['dim', 'dimmed']
`,
  'packages/emulator/src/lamps/channels/lamp.ts': `export const lamp = { dim: 'dimmed' }\n`,
}

it("reads messages and replies with their direction from the client's point of view, but no webhooks", () => {
  expect(messagesOf(contract())).toEqual([
    { channel: 'lamp', key: 'dim', direction: 'sends' },
    { channel: 'lamp', key: 'dimmed', direction: 'receives' },
  ])
  expect(changesAfter(() => {})).toEqual([])
})

it.each<[string, (hearDim: Operation) => void, string]>([
  ['an operation that names it', ({ messages }) => messages?.push(message('lamp', 'flicker')), 'sends'],
  ['a reply', ({ reply }) => reply.messages.push(message('lamp', 'flicker')), 'receives'],
  ['an operation without a list', (hearDim) => delete hearDim.messages, 'sends'],
])('finds a new message in %s', (_what, edit, direction) => {
  expect(changesAfter(edit)).toContainEqual({ channel: 'lamp', key: 'flicker', direction })
})

const flicker = { channel: 'lamp', key: 'flicker', direction: 'sends' } as const

it("lists the emulator's channel for a new message, and adds a step that fails until it is written", () => {
  using tree = temporaryTree(files)
  expect(messageToDo(tree.root, 'lamps', [flicker]).map(({ file, what }) => `${file} ${what}`)).toEqual([
    'packages/emulator/src/lamps/channels/lamp.ts make the emulator read the client message `flicker` on `lamp`',
    'packages/lamps/contract/walk.ts add a step that sends `flicker` over `lamp`',
  ])
  const edits = messageStub(tree.root, 'lamps', flicker)
  writeEdits(tree.root, edits)
  const read = (file: string) => readFileSync(join(tree.root, file), 'utf8')
  const stub = read('packages/lamps/contract/flicker-message.ts')
  expect(stub).toContain(
    'The walk has no step that sends "flicker" over "lamp" yet. Write this step in packages/lamps/contract/flicker-message.ts.',
  )
  expect(stub).toContain('Stub of `npm run change`')
  expect(read('packages/lamps/contract/walk.ts')).toContain(
    "import { flickerMessageSteps } from './flicker-message.ts'\n",
  )
  expect(read('packages/lamps/contract/walk.ts')).toContain(
    '      steps: [...socketSteps(emulator), ...flickerMessageSteps],\n',
  )
  // Apart from the emulator, only the stub is left to write.
  expect(messageToDo(tree.root, 'lamps', [flicker])).toHaveLength(1)
  // A second one is added to the list, and an existing one isn't changed.
  writeEdits(tree.root, messageStub(tree.root, 'lamps', { ...flicker, key: 'glow' }))
  expect(read('packages/lamps/contract/walk.ts')).toContain(
    'steps: [...socketSteps(emulator), ...flickerMessageSteps, ...glowMessageSteps],',
  )
  expect(messageStub(tree.root, 'lamps', flicker)).toEqual([])
})

it('adds the stub of a new message of speech to its WebSocket walk', () => {
  const repository = join(import.meta.dirname, '../../..')
  const added = { channel: 'conversation', key: 'flicker', direction: 'receives' } as const
  const [stub, walk] = messageStub(repository, 'speech', added)
  expect(stub?.file).toBe('packages/speech/contract/flicker-message.ts')
  expect(walk?.text).toContain('steps: [...socketSteps(emulator), ...flickerMessageSteps],')
  expect(messageToDo(repository, 'speech', [added])[0]?.file).toBe(
    'packages/emulator/src/speech/channels/conversation.ts',
  )
})
