import { sameJson, type SocketChannel, type SocketMessage } from '@concord/spec-model'
import type { Finding } from '../../http/exchange.ts'
import { parse } from '../judge/judge-frame.ts'
import { messageExamples, messageFrame } from '../serve/example-frame.ts'
import { turns } from './manual-clock.ts'
import { within, type Opened, type SocketContext } from './socket-context.ts'
import type { Peer } from './socket-front.ts'

const broken = (at: string, message: string): Finding => ({ code: 'rule', at, message })

/** Configures a connection, loses it, and looks at what is sent on the next. */
export async function sendsAgain(
  context: SocketContext,
  channel: SocketChannel,
  opened: Opened,
): Promise<readonly Finding[]> {
  const { session, peer, peers } = opened
  const configuring = (channel.rules.replay ?? []).flatMap((key) =>
    channel.sends.filter((one) => one.key === key),
  )
  const sent: { readonly key: string; readonly value: unknown }[] = []
  for (const message of configuring) {
    const value = messageExamples(context.oracle, message)[0]?.value
    sent.push({ key: message.key, value })
    const saying = session.send(message.key, value)
    await peer.settle()
    const answer = answerTo(channel, message.key)
    if (answer) {
      peer.send(messageFrame(answer, messageExamples(context.oracle, answer)[0]?.value))
      if (message.key === channel.rules.gate?.message) await within(session.receive())
    }
    await within(saying)
  }
  peer.close(1011)
  const next = await afterLoss(opened)
  if (!next) return [broken('handshake', 'a lost connection was not replaced')]
  const texts = (): unknown[] =>
    next.frames
      .filter((frame) => !frame.binary)
      .map((frame) => parse(frame.data)?.value)
      .filter((value) => !sameJson(value, channel.rules.keepAlive?.payload))
  // A client may send the next one when the one before was answered.
  for (const [at, { key, value }] of sent.entries()) {
    await next.settle()
    if (!sameJson(texts()[at], value))
      return [broken(`sent.${key}`, 'was not sent again on the next connection, or not in its order')]
    const answer = answerTo(channel, key)
    if (answer) next.send(messageFrame(answer, messageExamples(context.oracle, answer)[0]?.value))
  }
  await next.settle()
  if (peers.length > 2) return [broken('handshake', 'a lost connection was replaced more than once')]
  return texts().length === sent.length ? [] : [broken('sent', 'more was sent again than configures')]
}

/** The proof that a message was accepted: its first reply, or, for the one that gates, any message. */
function answerTo(channel: SocketChannel, key: string): SocketMessage | undefined {
  const [reply] = channel.replies[key] ?? []
  if (reply !== undefined) return channel.receives.find((one) => one.key === reply)
  return key === channel.rules.gate?.message
    ? channel.receives.find((one) => one.frame === 'text')
    : undefined
}

/** The connection after the first; time is moved on only while nothing is on its way. */
async function afterLoss({ peers, clock }: Opened): Promise<Peer | undefined> {
  for (let seconds = 0; seconds < 60; seconds += 1) {
    for (let wait = 0; wait < 40; wait += 1) {
      if (peers[1]) return peers[1]
      await turns()
    }
    await clock.advance(1000)
  }
  return peers[1]
}
