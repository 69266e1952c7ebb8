import { type JsonObject, readSocketSpec } from '@concord/spec-model'
import { expect, it } from 'vitest'

import {
  createSocketSuite,
  htmlPage,
  junitXml,
  loadSocketSpec,
  serveSocketMock,
  type SocketWalkTarget,
  terminalTable,
} from '../../src/index.ts'
import { ManualClock } from '../../src/socket/suite/manual-clock.ts'
import { feedFile, feedSubject } from '../fixture/feed/feed-client.ts'

const spec = await loadSocketSpec(feedFile.href)

it('finds nothing wrong with a correct client, and covers everything in the document', async () => {
  const suite = await createSocketSuite({ spec, subject: feedSubject() })
  try {
    await suite.runAll()
    const report = suite.report({ skip: ['emulator'] })
    expect(report.problems).toEqual([])
    expect(report.totals.all).toMatchObject({ failed: 0, missing: 0 })
    expect(report.totals.all.covered).toBe(report.totals.all.applicable)
    expect(report.totals.all.covered).toBe(39)
    expect(terminalTable(report)).toContain('prices')
    expect(htmlPage(report)).toContain('prices')
    expect(junitXml(report)).toContain('emptyBinaryCloses')
  } finally {
    await suite.close()
  }
})

it('a walk covers the messages that the stand-in sent, and the rules that its steps test', async () => {
  const stand = await serveSocketMock({ spec })
  const suite = await createSocketSuite({ spec, subject: feedSubject() })
  const open = async (target: SocketWalkTarget, channel: string, query: object, subject = feedSubject()) => {
    const clock = new ManualClock()
    const opening = await subject.open(
      channel,
      { query: { ...query } },
      { ...target, clock, acknowledges: () => true },
    )
    if (opening.kind !== 'open') throw new Error('not opened')
    return opening.session
  }
  try {
    const steps = await suite.walk({
      upstream: stand.url,
      credentials: { token: 'a-token' },
      steps: [
        {
          channel: 'prices',
          title: 'a subscription',
          rule: 'reply',
          async run({ target }) {
            const session = await open(target, 'prices', { symbols: ['ABC'] })
            const response = await session.send('subscribe', { type: 'subscribe', symbol: 'ABC' })
            expect(response).toMatchObject({ kind: 'replied', message: 'subscribed' })
            await session.close()
          },
        },
        {
          channel: 'prices',
          title: 'an empty frame',
          rule: 'emptyBinaryCloses',
          breaks: ['rule'],
          async run({ target }) {
            const mistaken = feedSubject({ emptyFrames: true })
            const session = await open(target, 'prices', { symbols: ['ABC'] }, mistaken)
            await session.send('order', new Uint8Array())
            expect(await session.receive()).toMatchObject({ kind: 'closed' })
          },
        },
        {
          channel: 'desk',
          title: 'a step that does not show what it says',
          rule: 'gate',
          breaks: ['message'],
          async run({ target }) {
            const session = await open(target, 'desk', {})
            await session.close()
          },
        },
      ],
    })
    expect(steps.map((one) => [one.name, one.findings.map(({ code }) => code)])).toEqual([
      ['prices: a subscription', []],
      ['prices: an empty frame', []],
      ['desk: a step that does not show what it says', ['step']],
    ])
    const cells = new Map(suite.report().rows.map((one) => [one.key, one.cells.emulator.state]))
    expect(cells.get('received | prices | subscribed | text frame | taken')).toBe('covered')
    expect(cells.get('sent | prices | subscribe | text frame | one symbol')).toBe('covered')
    expect(cells.get('rule | prices | - | - | reply')).toBe('covered')
    expect(cells.get('rule | prices | - | - | emptyBinaryCloses')).toBe('covered')
    expect(cells.get('rule | desk | - | - | gate')).toBe('failed')
    expect(cells.get('received | prices | update | text frame | two levels')).toBe('missing')
  } finally {
    await suite.close()
    await stand.close()
  }
})

it.each([
  ['has only one message', ['update'], 'was returned as other instead of update'],
  ['has several messages', ['update', 'subscribed'], 'was returned as other instead of unknown'],
])(
  'accepts a client that returns a message without its type as unknown if the channel %s',
  async (_what, keys, problem) => {
    const { tell } = spec.document['operations'] as Record<string, JsonObject>
    const messages = keys.map((key) => ({ $ref: `#/channels/prices/messages/${key}` }))
    const only = readSocketSpec(
      { ...spec.document, operations: { tell: { ...tell, messages } } },
      { file: spec.file },
    )
    // The client reports such a message as drift, without a name.
    const subject = feedSubject({
      renamed: ['other', 'unknown'],
      validators: { prices: { other: () => false } },
    })
    for (const [tested, problems] of [
      [subject, []],
      [feedSubject({ validators: { prices: { other: () => false } } }), [problem]],
    ] as const) {
      const suite = await createSocketSuite({ spec: only, subject: tested })
      const checks = suite.checks.filter(({ name }) => name.includes('update') && name.includes('dynamic'))
      expect(checks).toHaveLength(1)
      const found = await checks[0]?.run()
      await suite.close()
      expect(found?.slice(0, 1).map(({ message }) => message)).toEqual(problems)
    }
  },
)
