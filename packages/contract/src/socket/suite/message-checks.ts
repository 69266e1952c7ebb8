import { differences, type SchemaOracle, type SocketChannel, type SocketMessage } from '@concord/spec-model'

import { type Finding, finding } from '../../http/exchange.ts'
import { generateEverything, generateValid, objection } from '../../oracle/generate.ts'
import { mutantsOf, someMutants } from '../../oracle/mutate.ts'
import { seededRandom } from '../../oracle/random.ts'
import { few, type CheckResult } from '../../suite/context.ts'
import { disagreements, judgedMutants, sendingMistake } from '../../suite/verdicts.ts'
import type { Column } from '../../coverage/matrix.ts'
import { type FrameDirection, hasTags, isTagged, judgeFrame } from '../judge/judge-frame.ts'
import { messageExamples, messageFrame, replyFrame } from '../serve/example-frame.ts'
import { onConnection, within, type Opened, type SocketCheck, type SocketContext } from './socket-context.ts'
import { messageRow } from './socket-rows.ts'
import type { SocketSubject } from './socket-subject.ts'

/** A message of a channel, and one of the message's examples. */
interface MessageCase {
  readonly channel: SocketChannel
  readonly message: SocketMessage
  readonly value: unknown
}

type MessageCheck = (context: SocketContext, tested: MessageCase) => Promise<CheckResult>

/** A message without a schema gets only the first check of its direction. */
const CHECKS: Readonly<Record<FrameDirection, readonly (readonly [Column, MessageCheck])[]>> = {
  sent: [
    ['request', recordedMessage],
    ['validators', checkedBeforeSending],
  ],
  received: [
    ['mock', mockedMessage],
    ['dynamic', randomMessages],
    ['validators', agreement],
  ],
}

export function messageChecks({ spec, oracle }: SocketContext): SocketCheck[] {
  const checksOf = (direction: FrameDirection, channel: SocketChannel, message: SocketMessage) =>
    messageExamples(oracle, message).flatMap(({ name, value }) => {
      const row = messageRow(direction, channel, message, name)
      const checks = message.schema ? CHECKS[direction] : CHECKS[direction].slice(0, 1)
      return checks.map(([column, check]): SocketCheck => ({
        row,
        column,
        run: (context) => check(context, { channel, message, value }),
      }))
    })
  return spec.channels.flatMap((channel) => [
    ...channel.sends.flatMap((message) => checksOf('sent', channel, message)),
    ...channel.receives.flatMap((message) => checksOf('received', channel, message)),
  ])
}

/**
 * If the channel has a gate, makes the client send the gate's message, and acknowledges it as the service would.
 * Returns the number of frames that the client has sent.
 */
export async function passGate(
  { oracle }: SocketContext,
  channel: SocketChannel,
  { session, peer }: Opened,
): Promise<number> {
  const gate = channel.sends.find((one) => one.key === channel.rules.gate?.message)
  const fromService = channel.receives.find((one) => one.frame === 'text')
  if (!gate || !fromService) return 0
  const said = session.send(gate.key, messageExamples(oracle, gate)[0]?.value)
  await peer.settle()
  peer.send(messageFrame(fromService, messageExamples(oracle, fromService)[0]?.value))
  await said
  await session.receive()
  await peer.settle()
  return peer.frames.length
}

/** Returns a finding if a message's example violates the contract, or if no valid value could be generated. */
export function noExample(oracle: SchemaOracle, message: SocketMessage, value: unknown): Finding | undefined {
  const { key, schema } = message
  if (!schema || oracle.accepts(schema, value)) return undefined
  const [issue] = oracle.judge(schema, value)
  const reason =
    message.examples.length > 0
      ? `the example violates the contract: ${issue?.path || 'the value'} ${issue?.reason}`
      : `no valid value could be generated (${objection(oracle, schema, seededRandom(key))})`
  return finding('no-example', key, reason)
}

/** Returns this message and all messages that a client can't distinguish from it. */
function alike(
  { unions }: SocketSubject,
  { id, sends, receives }: SocketChannel,
  message: SocketMessage,
): readonly SocketMessage[] {
  // A message that the client sends has its own validator, which accepts no other message.
  if (sends.some(({ key }) => key === message.key)) return [message]
  const keys = Object.values(unions?.[id] ?? {}).find((all) => all.includes(message.key)) ?? []
  return [message, ...receives.filter((one) => one !== message && keys.includes(one.key))]
}

async function recordedMessage(
  context: SocketContext,
  { channel, message, value }: MessageCase,
): Promise<CheckResult> {
  const { oracle } = context
  const unusable = noExample(oracle, message, value)
  if (unusable) return { by: 'recorder', findings: [unusable] }
  const wanted = messageFrame(message, value)
  const payload = message.frame === 'binary' ? wanted.data : value
  const findings = await onConnection(context, channel, async (opened) => {
    const { session, peer } = opened
    const before = message.frame === 'binary' ? await passGate(context, channel, opened) : 0
    const sending = session.send(message.key, payload)
    await peer.settle()
    const frames = peer.frames.slice(before)
    const [frame] = frames
    const found: Finding[] = []
    const at = `sent.${message.key}`
    if (!frame) found.push(finding('attempts', at, 'the client sent no message'))
    else {
      const verdict = judgeFrame(oracle, channel, 'sent', frame)
      found.push(...verdict.findings)
      if (frame.binary !== wanted.binary) {
        const message = `was sent as a ${frame.binary ? 'binary' : 'text'} frame instead of a ${wanted.binary ? 'binary' : 'text'} frame`
        found.push(finding('frame', at, message))
      } else if (wanted.binary) {
        if (!Buffer.from(frame.data).equals(Buffer.from(wanted.data)))
          found.push(finding('decoded', at, 'differs from the bytes that were passed to the client'))
      } else {
        for (const place of differences(value, verdict.value))
          found.push(finding('decoded', at + place, 'differs from the value that was passed to the client'))
      }
    }
    if (frames.length > 1) found.push(finding('attempts', at, `expected one message, got ${frames.length}`))
    const reply = channel.receives.find((one) => channel.replies[message.key]?.includes(one.key))
    if (reply) peer.send(replyFrame(oracle, { message, value }, reply))
    const outcome = await within(sending)
    if (outcome.kind === 'error' && frame)
      found.push(finding('outcome', at, `was sent, but the client reported ${outcome.errorNames[0]}`))
    return found
  })
  return { by: 'recorder', findings: few(findings, 10) }
}

/** Tests that the validator agrees with Ajv, and that the client doesn't send a value that Ajv rejects. */
async function checkedBeforeSending(
  context: SocketContext,
  { channel, message, value }: MessageCase,
): Promise<CheckResult> {
  const direct = await agreement(context, { channel, message, value })
  const { oracle, sizes } = context
  const schema = message.schema
  if (!schema || direct.findings.some(({ code }) => code === 'no-example')) return direct
  const everything = generateEverything(oracle, schema, seededRandom(message.key))
  const tried = someMutants(value, sizes.mutantsOverWire, everything)
  const rejected = judgedMutants(context, schema, tried).filter(({ accepted }) => !accepted)
  const findings = await onConnection(context, channel, async ({ session, peer }) => {
    const found: Finding[] = []
    for (const mutant of rejected) {
      const before = peer.frames.length
      const sending = session.send(message.key, mutant.value)
      await peer.settle()
      if (peer.frames.length === before) {
        await within(sending)
        continue
      }
      found.push(...sendingMistake(mutant, true, `sent.${message.key}`))
      break
    }
    return found
  })
  return { ...direct, findings: few([...direct.findings, ...findings]) }
}

/** Plays the service: sends messages to the client, and compares them with what the client returns to its caller. */
async function receivedMessages(
  context: SocketContext,
  channel: SocketChannel,
  message: SocketMessage,
  values: readonly unknown[],
): Promise<readonly Finding[]> {
  const { oracle, looseOracle, subject } = context
  const unions = subject.unions?.[channel.id]
  const findings = await onConnection(context, channel, async ({ session, peer }) => {
    const found: Finding[] = []
    for (const value of values) {
      const frame = messageFrame(message, value)
      const expected = judgeFrame(oracle, channel, 'received', frame)
      const at = `received.${expected.message?.key ?? message.key}`
      peer.send(frame)
      const outcome = await within(session.receive())
      if (outcome.kind === 'closed') {
        found.push(
          finding(
            'outcome',
            at,
            `the connection ended before the client returned the message (${outcome.errorNames[0] ?? 'no error'})`,
          ),
        )
        break
      }
      // A client doesn't have to identify an invalid message. If the value lacks the message's tags (`const` values),
      // the client may return it as `unknown`. If the contract defines no tags for the message, the client may return
      // the value under the name of any other message.
      const isUnidentified =
        expected.message !== undefined &&
        expected.findings.length > 0 &&
        (isTagged(oracle, expected.message)
          ? outcome.message === 'unknown' && !hasTags(oracle, expected.message, value)
          : channel.receives.length > 1)
      const keys = unions?.[outcome.message] ?? [outcome.message]
      const expectedKey = expected.message?.key ?? 'unknown'
      if (!keys.includes(expectedKey) && !isUnidentified) {
        const text = `was returned as ${outcome.message} instead of ${expectedKey}`
        found.push(finding('decoded', at, text))
      }
      const same = frame.binary
        ? outcome.data instanceof Uint8Array && Buffer.from(outcome.data).equals(Buffer.from(frame.data))
        : differences(value, outcome.data).length === 0
      if (!same) found.push(finding('decoded', at, 'the returned value differs from the value that was sent'))
      const { schema } = expected.message ?? {}
      // If the value violates only formats that clients don't have to check, reporting drift is optional.
      const isUnclear = expected.findings.length > 0 && schema && looseOracle.accepts(schema, value)
      if (outcome.drift.length > 0 !== expected.findings.length > 0 && !isUnclear) {
        const text =
          expected.findings.length > 0
            ? "a message that violates the contract wasn't reported as drift"
            : 'a message that conforms to the contract was reported as drift'
        found.push(finding('drift', at, text))
      }
    }
    return found
  })
  return few(findings)
}

async function mockedMessage(
  context: SocketContext,
  { channel, message, value }: MessageCase,
): Promise<CheckResult> {
  const unusable = noExample(context.oracle, message, value)
  const findings = unusable ? [unusable] : await receivedMessages(context, channel, message, [value])
  return { by: 'mock', findings }
}

async function randomMessages(
  context: SocketContext,
  { channel, message }: MessageCase,
): Promise<CheckResult> {
  const { oracle, sizes, seed } = context
  const { schema } = message
  const random = seededRandom(`${seed} ${channel.id} ${message.key}`)
  const values = Array.from({ length: sizes.randomResponses * 4 }, () =>
    schema ? generateValid(oracle, schema, random, 'random') : undefined,
  ).flatMap((drawn) => (drawn ? [drawn.value] : []))
  const changed = values.flatMap((value) => someMutants(value, 6).map((one) => one.value))
  const tried = [...values, ...changed].slice(0, sizes.mutantsOverWire)
  const unusable = values.length === 0 && noExample(oracle, message, undefined)
  if (unusable) return { by: 'responder', findings: [unusable] }
  return { by: 'responder', findings: await receivedMessages(context, channel, message, tried) }
}

/** Compares the validator's verdicts with Ajv's. */
async function agreement(
  { oracle, looseOracle, subject }: SocketContext,
  { channel, message, value }: MessageCase,
): Promise<CheckResult> {
  const { schema } = message
  const verdict = subject.messages[channel.id]?.[message.key]
  if (!schema || !verdict) {
    const text = 'the suite got no validator for this message; add one to `messages`'
    return { by: 'ajv', findings: [finding('validator', message.key, text)] }
  }
  const unusable = noExample(oracle, message, value)
  if (unusable) return { by: 'ajv', findings: [unusable] }
  const everything = generateEverything(oracle, schema, seededRandom(message.key))
  const schemas = alike(subject, channel, message).flatMap((one) => one.schema ?? [])
  const anyOf = (by: SchemaOracle): Pick<SchemaOracle, 'accepts'> => ({
    accepts: (_, one) => schemas.some((each) => by.accepts(each, one)),
  })
  const tried = [value, everything].flatMap((one) => [
    { value: one, change: 'none' },
    ...mutantsOf(one, everything),
  ])
  const oracles = { oracle: anyOf(oracle), looseOracle: anyOf(looseOracle) }
  const findings = disagreements(judgedMutants(oracles, schema, tried), verdict, message.key)
  return { by: 'ajv', note: `${tried.length} values compared.`, findings: few(findings) }
}
