import { sameJson, type SocketChannel, type SocketMessage } from '@concord/spec-model'
import { type Finding, finding } from '../../http/exchange.ts'
import { parse } from '../judge/judge-frame.ts'
import { messageExamples, replyFrame } from '../serve/example-frame.ts'
import { turns } from './manual-clock.ts'
import { within, type Opened, type SocketContext } from './socket-context.ts'
import type { Peer } from './socket-front.ts'

/** Tests one rule of a channel on an open connection. */
export type RuleCheck = (
  context: SocketContext,
  channel: SocketChannel,
  opened: Opened,
) => Promise<readonly Finding[]>

export const broken = (at: string, message: string): Finding => finding('rule', at, message)

/**
 * Lets the client send the messages that the `replay` rule lists, and closes the connection. Tests that the client
 * sends these messages again on its next connection.
 */
export const sendsAgain: RuleCheck = async (context, channel, opened) => {
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
    const reply = replyTo(channel, message.key)
    if (reply) {
      peer.send(replyFrame(context.oracle, { message, value }, reply))
      if (message.key === channel.rules.gate?.message) await within(session.receive())
    }
    await within(saying)
  }
  peer.close(1011)
  const next = await afterLoss(opened)
  if (!next) return [broken('handshake', "the client didn't replace a lost connection")]
  const texts = (): unknown[] =>
    next.frames
      .filter((frame) => !frame.binary)
      .map((frame) => parse(frame.data)?.value)
      .filter((value) => !sameJson(value, channel.rules.keepAlive?.payload))
  // A client may wait for the reply to a message before it sends the next message.
  for (const [at, { key, value }] of sent.entries()) {
    await next.settle()
    if (!sameJson(texts()[at], value))
      return [
        broken(`sent.${key}`, "wasn't sent again on the next connection, or was sent in a different order"),
      ]
    const reply = replyTo(channel, key)
    const message = configuring[at]
    if (reply && message) next.send(replyFrame(context.oracle, { message, value }, reply))
  }
  await next.settle()
  if (peers.length > 2) return [broken('handshake', 'a lost connection was replaced more than once')]
  return texts().length === sent.length
    ? []
    : [broken('sent', 'on the next connection, the client sent further messages after those in `replay`')]
}

/** If the gate's message has no documented reply, any text message confirms it. */
function replyTo(channel: SocketChannel, key: string): SocketMessage | undefined {
  const [reply] = channel.replies[key] ?? []
  if (reply !== undefined) return channel.receives.find((one) => one.key === reply)
  return key === channel.rules.gate?.message
    ? channel.receives.find((one) => one.frame === 'text')
    : undefined
}

/**
 * Advances the clock in steps of one second until the client replaces its lost connection. Waits for the network
 * before each step.
 */
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
