import { expect, it } from 'vitest'

import { loadSocketSpec, trySocketMistakes, type FindingCode, type SocketSubject } from '../../src/index.ts'
import { feedFile, feedSubject, type FeedMistakes } from '../fixture/feed/feed-client.ts'

const spec = await loadSocketSpec(feedFile.href)
const has = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && name in value
const without = (message: string): SocketSubject => {
  const subject = feedSubject()
  const { [message]: _dropped, ...prices } = { ...subject.messages['prices'] }
  return { ...subject, messages: { ...subject.messages, prices } }
}

const mistakes: [kind: string, expected: FindingCode, mistake: FeedMistakes][] = [
  ['another channel is opened', 'path', { path: '/v1/desk' }],
  ['the path is misspelt', 'path', { path: '/v1/prices/' }],
  ['the path prefix of the base URL is dropped', 'outside-base', { noBase: true }],
  ['a query parameter is dropped', 'query', { dropQuery: 'depth' }],
  ['a required query parameter is dropped', 'query', { dropQuery: 'symbols' }],
  ['a query parameter is sent that was not passed', 'query', { ownQuery: 'compress=true' }],
  ['values are not percent-encoded', 'query', { noEncoding: true }],
  ['no credential is sent', 'security', { noCredential: true }],
  ['both credentials are sent', 'security', { bothCredentials: true }],
  ['a secret is in the URL', 'secret-leak', { secretInQuery: true }],
  ['the query is not checked before opening', 'validator', { noQueryCheck: true }],
  ['two connections are opened', 'attempts', { opensTwice: true }],
  ['a connection is not closed', 'rule', { neverCloses: true }],
  ['messages are not checked before sending', 'validator', { noSendCheck: true }],
  ['JSON is sent as a binary frame', 'frame', { binaryJson: true }],
  ['bytes are sent as a text frame', 'attempts', { textBytes: true }],
  ['something is added to a message', 'decoded', { wrap: true }],
  ['a message is sent twice', 'attempts', { twice: true }],
  ['no keep-alive is sent', 'rule', { noKeepAlive: true }],
  ['a keep-alive is a binary frame', 'rule', { binaryKeepAlive: true }],
  ['a keep-alive comes too often', 'rule', { eagerKeepAliveMs: 1000 }],
  ['a keep-alive comes too late', 'rule', { eagerKeepAliveMs: 9000 }],
  ['a keep-alive is another message', 'rule', { otherKeepAlive: true }],
  ['a keep-alive is sent while audio flows', 'rule', { keepAliveAlways: true }],
  ['empty binary frames are sent', 'rule', { emptyFrames: true }],
  ['nothing waits for the gate', 'rule', { noGate: true }],
  ['the gate opens before the acknowledgement', 'rule', { gateOnSend: true }],
  ['a lost connection is not replaced', 'rule', { noReconnect: true }],
  ['what configured a connection is not sent again on the next', 'rule', { noReplay: true }],
  ['more is sent again than configured it', 'rule', { replaysAll: true }],
  ['a request is sent before the reply to the previous one', 'rule', { concurrentRequests: true }],
  ["a reply that denies a request isn't accepted", 'outcome', { ignoresDenial: true }],
  ['unknown messages are dropped', 'outcome', { dropUnknown: true }],
  ['garbage ends the connection', 'rule', { dieOnGarbage: true }],
  ['a message is given under another name', 'decoded', { renamed: ['update', 'other'] }],
  ['a received message is changed', 'decoded', { changeData: true }],
  ['drift is not reported', 'drift', { noDrift: true }],
  ['drift is reported for a valid message', 'drift', { alwaysDrift: true }],
  ['a denied upgrade looks like a connection', 'rule', { swallowsDenial: true }],
  ['the body of a denial is lost', 'rule', { noBody: true }],
  ['a validator takes everything', 'validator', { validators: { prices: { update: () => true } } }],
  [
    'a validator requires an optional property',
    'validator',
    { validators: { prices: { update: (value) => has(value, 'venue') } } },
  ],
  ['a validator rejects everything', 'validator', { validators: { desk: { other: () => false } } }],
]

it.each(mistakes)('%s: found', async (kind, expected, mistake) => {
  const [result] = await trySocketMistakes({
    spec,
    mistakes: [{ kind, expect: expected, plant: () => feedSubject(mistake) }],
  })
  expect(result).toMatchObject({ caught: true, reason: { code: expected } })
})

it('a missing validator is found', async () => {
  const mistake = { kind: 'missing', expect: 'validator', plant: () => without('update') } as const
  const [result] = await trySocketMistakes({ spec, mistakes: [mistake] })
  expect(result).toMatchObject({ caught: true })
})

it("reports that a mistake wasn't found", async () => {
  const mistake = { kind: 'nothing is wrong', expect: 'query', plant: () => feedSubject() } as const
  expect(await trySocketMistakes({ spec, mistakes: [mistake] })).toEqual([
    { kind: 'nothing is wrong', expect: 'query', caught: false },
  ])
})
