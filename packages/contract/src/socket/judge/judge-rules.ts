import { type ChannelRules, sameJson, type SocketChannel } from '@concord/spec-model'
import { type Finding, finding } from '../../http/exchange.ts'
import { parse, type Frame, type FrameDirection, type FrameVerdict } from './judge-frame.ts'

/** Timers and networks aren't exact, so a keep-alive may be this much too early or too late. */
const toleranceMs = 250

/** Returns whether a frame has the payload of a keep-alive. */
export function isKeepAlive({ keepAlive }: ChannelRules, { data }: Frame): boolean {
  const read = keepAlive && data.length < 1000 ? parse(data) : undefined
  return read !== undefined && sameJson(read.value, keepAlive?.payload)
}

/** Checks the frames of one connection against the rules of its channel (`x-socket-rules`). */
export class RulesJudge {
  readonly #channel: SocketChannel
  #lastSentMs: number
  #gateSent = false
  #mayBeAcknowledged = false

  constructor(channel: SocketChannel, openedMs: number) {
    this.#channel = channel
    this.#lastSentMs = openedMs
  }

  /** Returns a finding for each rule that the frame violates. `nowMs` is when the frame was sent or received. */
  frame(direction: FrameDirection, frame: Frame, verdict: FrameVerdict, nowMs: number): readonly Finding[] {
    if (direction === 'received') {
      if (this.#gateSent) this.#mayBeAcknowledged = true
      return []
    }
    const findings = [...this.#keepAlive(frame, verdict, nowMs), ...this.#gate(frame, verdict)]
    if (verdict.message?.key === this.#channel.rules.gate?.message) this.#gateSent = true
    this.#lastSentMs = nowMs
    return findings
  }

  #keepAlive(frame: Frame, verdict: FrameVerdict, nowMs: number): Finding[] {
    const rule = this.#channel.rules.keepAlive
    if (!rule) return []
    const at = `sent.${rule.message}`
    if (frame.binary) {
      return isKeepAlive(this.#channel.rules, frame)
        ? [finding('rule', at, 'a keep-alive was sent as a binary frame; it must be a text frame')]
        : this.#silence(nowMs, rule.maxIntervalMs, at)
    }
    if (verdict.message?.key !== rule.message) return []
    const early = nowMs - this.#lastSentMs < rule.minIntervalMs - toleranceMs
    const message = `a keep-alive was sent after less than ${rule.minIntervalMs} ms of silence`
    return early ? [finding('rule', at, message)] : this.#silence(nowMs, rule.maxIntervalMs, at)
  }

  #silence(nowMs: number, maxMs: number, at: string): Finding[] {
    if (nowMs - this.#lastSentMs <= maxMs + toleranceMs) return []
    return [finding('rule', at, `no keep-alive was sent during a silence of more than ${maxMs} ms`)]
  }

  #gate(frame: Frame, verdict: FrameVerdict): Finding[] {
    const rule = this.#channel.rules.gate
    if (!rule || this.#mayBeAcknowledged || verdict.message?.key === rule.message) return []
    const why = this.#gateSent ? 'was acknowledged' : 'was sent'
    const kind = frame.binary ? 'binary' : 'text'
    return [finding('rule', `sent.${kind}`, `a ${kind} frame was sent before \`${rule.message}\` ${why}`)]
  }
}
