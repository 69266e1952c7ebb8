import { sameJson, type SocketChannel, type SocketMessage } from '@concord/spec-model'
import type { Finding } from '../../http/exchange.ts'
import { few, type CheckResult } from '../../suite/context.ts'
import { parse, type Frame } from '../judge/judge-frame.ts'
import { correlated, messageExamples, messageFrame } from '../serve/example-frame.ts'
import { noExample, passGate } from './message-checks.ts'
import { broken, type RuleCheck, sendsAgain } from './replay-check.ts'
import {
  onConnection,
  openCase,
  within,
  type Opened,
  type SocketCheck,
  type SocketContext,
} from './socket-context.ts'
import { ruleNames, ruleRow, type RuleName } from './socket-rows.ts'

export function ruleChecks({ spec }: SocketContext): SocketCheck[] {
  return spec.channels.flatMap((channel) =>
    ruleNames(channel).flatMap((rule): SocketCheck[] => {
      const row = ruleRow(channel, rule)
      if (rule === 'denied') return [{ row, column: 'request', run: (at) => reportsDenial(at, channel) }]
      const check = checks[rule]
      if (!check) return []
      const run = async (context: SocketContext): Promise<CheckResult> => {
        const runOn = (opened: Opened) => check(context, channel, opened)
        const findings = await onConnection(context, channel, runOn, { reconnect: rule === 'replay' })
        return { by: 'recorder', findings: few(findings) }
      }
      return [{ row, column: 'request', run }]
    }),
  )
}

const stepMs = 250

const keepsAlive: RuleCheck = async (_, channel, opened) => {
  const rule = channel.rules.keepAlive
  if (!rule) return []
  const { session, peer, clock } = opened
  const at = `sent.${rule.message}`
  const findings: Finding[] = []
  let lastMs = clock.monotonic()
  let seen = peer.frames.length
  const untilMs = lastMs + rule.maxIntervalMs * 4
  while (clock.monotonic() < untilMs) {
    await clock.advance(stepMs)
    await peer.settle()
    const fresh = peer.frames.slice(seen)
    seen = peer.frames.length
    const silenceMs = clock.monotonic() - lastMs
    if (fresh.length === 0 && silenceMs > rule.maxIntervalMs + stepMs) {
      return [...findings, broken(at, `no keep-alive was sent within ${rule.maxIntervalMs} ms of silence`)]
    }
    for (const frame of fresh) {
      if (frame.binary) findings.push(broken(at, 'a keep-alive must be a text frame'))
      else if (!sameJson(parse(frame.data)?.value, rule.payload))
        findings.push(broken(at, "isn't the documented message"))
      if (silenceMs < rule.minIntervalMs)
        findings.push(broken(at, `was sent less than ${rule.minIntervalMs} ms after the previous message`))
      lastMs = clock.monotonic()
    }
  }
  // Binary messages end the silence, so no keep-alive is due while they are being sent.
  const audio = channel.sends.find((one) => one.frame === 'binary')
  if (!audio) return findings
  for (let step = 0; step < 8; step += 1) {
    await within(session.send(audio.key, bytesOf(audio)))
    await clock.advance(1000)
    await peer.settle()
  }
  if (peer.frames.slice(seen).some((frame) => !frame.binary))
    findings.push(broken(at, 'was sent while binary messages were being sent'))
  return findings
}

const swallowsEmptyFrames: RuleCheck = async (context, channel, opened) => {
  const audio = channel.sends.find((one) => one.frame === 'binary')
  if (!audio) return []
  const before = await passGate(context, channel, opened)
  const { session, peer } = opened
  await within(session.send(audio.key, new Uint8Array()))
  await within(session.send(audio.key, bytesOf(audio)))
  await peer.settle()
  const sent = peer.frames.slice(before)
  if (sent.some((frame) => frame.binary && frame.data.length === 0))
    return [broken(`sent.${audio.key}`, 'an empty binary frame was sent, which ends the connection')]
  return sent.length === 1
    ? []
    : [broken(`sent.${audio.key}`, "the message after an empty binary message didn't arrive")]
}

const holdsBack: RuleCheck = async ({ oracle }, channel, { session, peer }) => {
  const gate = channel.sends.find((one) => one.key === channel.rules.gate?.message)
  const audio = channel.sends.find((one) => one.frame === 'binary')
  const fromService = channel.receives.find((one) => one.frame === 'text')
  if (!gate || !audio || !fromService) return []
  const binary = (): readonly Frame[] => peer.frames.filter((frame) => frame.binary)
  const other = channel.sends.find((one) => one.frame === 'text' && one !== gate && isFree(channel, one))
  const at = `sent.${audio.key}`
  // The client must send the `gate` message first. Until the service has acknowledged it, the client may delay or
  // reject the messages below, but must not send them.
  const early = session.send(audio.key, bytesOf(audio))
  const earlyText = other && session.send(other.key, messageExamples(oracle, other)[0]?.value)
  await peer.settle()
  if (binary().length > 0) return [broken(at, `was sent before \`${gate.key}\``)]
  if (other && peer.frames.length > 0) return [broken(`sent.${other.key}`, `was sent before \`${gate.key}\``)]
  await within(session.send(gate.key, messageExamples(oracle, gate)[0]?.value))
  await peer.settle()
  if (binary().length > 0) return [broken(at, `was sent before \`${gate.key}\` was acknowledged`)]
  if (other && peer.frames.length > 1)
    return [broken(`sent.${other.key}`, `was sent before \`${gate.key}\` was acknowledged`)]
  peer.send(messageFrame(fromService, messageExamples(oracle, fromService)[0]?.value))
  await within(session.receive())
  if (earlyText) await within(earlyText)
  const outcome = await within(early)
  if (outcome.kind === 'error') await within(session.send(audio.key, bytesOf(audio)))
  await peer.settle()
  return binary().length === 1 ? [] : [broken(at, "didn't arrive after the acknowledgement")]
}

function isFree({ replies, rules }: SocketChannel, { key }: SocketMessage): boolean {
  return !(key in replies) && key !== rules.keepAlive?.message
}

const asksOneByOne: RuleCheck = async ({ oracle, subject }, channel, { session, peer }) => {
  const findings: Finding[] = []
  // Messages that a client can't distinguish are returned under one name.
  const keysOf = (returned: string): readonly string[] =>
    subject.unions?.[channel.id]?.[returned] ?? [returned]
  for (const [key, replies] of Object.entries(channel.replies)) {
    const message = channel.sends.find((one) => one.key === key)
    if (!message) continue
    const payload = messageExamples(oracle, message)[0]?.value
    for (const reply of channel.receives.filter((one) => replies.includes(one.key))) {
      const at = `sent.${key}`
      const value = correlated(message, payload, reply, messageExamples(oracle, reply)[0]?.value)
      const unusable = noExample(oracle, message, payload) ?? noExample(oracle, reply, value)
      if (unusable) {
        findings.push(unusable)
        continue
      }
      const before = peer.frames.length
      const first = session.send(key, payload)
      const second = session.send(key, payload)
      await peer.settle()
      if (peer.frames.length - before > 1)
        findings.push(broken(at, 'a second request was sent before the reply to the first'))
      peer.send(messageFrame(reply, value))
      const outcome = await within(first)
      if (outcome.kind !== 'replied')
        findings.push(broken(at, `\`send\` didn't return the reply \`${reply.key}\``))
      else if (!keysOf(outcome.message).includes(reply.key) || !sameJson(outcome.data, value))
        findings.push(
          broken(at, `the client changed the reply \`${reply.key}\`, or returned another message`),
        )
      await peer.settle()
      if (peer.frames.length - before > 1) peer.send(messageFrame(reply, value))
      await within(second)
    }
  }
  return findings
}

const malformed: readonly Frame[] = [
  '',
  'not json',
  '{"unfinished":',
  'null',
  '[]',
  '"text"',
  '7',
  '{}',
  '{"type":null}',
  '{"type":{"type":"type"}}',
  `{"type":${'['.repeat(2000)}${']'.repeat(2000)}}`,
].map((text) => ({ binary: false, data: Buffer.from(text) }))

const survives: RuleCheck = async ({ oracle }, channel, { session, peer }) => {
  const message = channel.receives.find((one) => one.frame === 'text')
  if (!message) return []
  const example = messageExamples(oracle, message)[0]?.value
  const unusable = noExample(oracle, message, example)
  if (unusable) return [unusable]
  const marker = messageFrame(message, example)
  for (const frame of malformed) peer.send(frame)
  peer.send(marker)
  const wanted = parse(marker.data)?.value
  let drifts = 0
  for (let received = 0; received <= malformed.length; received += 1) {
    const outcome = await within(session.receive())
    if (outcome.kind === 'closed') return [broken('received', 'a malformed message ended the connection')]
    drifts += outcome.drift.length > 0 ? 1 : 0
    if (sameJson(outcome.data, wanted)) {
      return drifts > 0 ? [] : [broken('received', 'no malformed message was reported as drift')]
    }
  }
  return [broken('received', "the message after the malformed messages didn't arrive")]
}

/** Tests that the client's error for a denied upgrade has the status and the body of the response. */
async function reportsDenial(context: SocketContext, channel: SocketChannel): Promise<CheckResult> {
  const findings: Finding[] = []
  for (const status of [400, 401, 429, 503]) {
    const body = JSON.stringify({ rejected: `because of ${status}` })
    const denial = { status, body, headers: { 'content-type': 'application/json' } }
    const { opening } = await openCase(context, channel, { denial }, async () => [])
    const at = `handshake.${status}`
    if (opening?.kind === 'open')
      findings.push(broken(at, 'the client returned a connection for a denied upgrade'))
    else if (opening?.status !== status)
      findings.push(broken(at, "the error doesn't have the status of the denial"))
    else if (opening.body !== body) findings.push(broken(at, "the error doesn't have the body of the denial"))
  }
  return { by: 'recorder', findings: few(findings) }
}

const checks: Readonly<Partial<Record<RuleName, RuleCheck>>> = {
  keepAlive: keepsAlive,
  emptyBinaryCloses: swallowsEmptyFrames,
  gate: holdsBack,
  replay: sendsAgain,
  reply: asksOneByOne,
  malformed: survives,
}

function bytesOf(message: SocketMessage): Uint8Array {
  return messageFrame(message, message.examples[0]?.value ?? '(bytes)').data
}
