import { check, listIssues } from '../core/check.ts'
import { ContractDriftError, type Issue } from '../core/errors.ts'
import type { ChannelDescriptor } from '../core/channel.ts'
import { isPromise } from '../core/is-promise.ts'
import type { ClientCore } from '../http/core.ts'
import { report } from '../http/drift.ts'
import { notChecked, uncheckedBy, uncheckedError } from '../http/unchecked.ts'
import type { MessagePlan } from './messages.ts'
import type { ChannelPlan } from './plan.ts'
import type { ConnectionBase, Gap, Received } from './received.ts'
import type { ConnectionSettings } from './settings.ts'

/** Something received that nobody took yet. */
export type Entry = MessageEntry | GapEntry

/** A message as it came: decoded, but not yet checked. */
export interface MessageEntry {
  /** Not there for what the contract does not know. */
  readonly plan: MessagePlan | undefined
  readonly data: unknown
  readonly sizeBytes: number
  /** Not there on the first connection. */
  readonly base: ConnectionBase | undefined
}

interface GapEntry {
  readonly gap: Gap
  readonly sizeBytes: number
}

/** The status of a handshake that opened a socket; drift on a socket is reported under it. */
const SWITCHING_PROTOCOLS = 101

/** Turns frames into messages: told apart when they come, checked when they are taken. */
export class Incoming {
  readonly #core: ClientCore
  readonly #plan: ChannelPlan
  readonly #settings: ConnectionSettings

  constructor(core: ClientCore, plan: ChannelPlan, settings: ConnectionSettings) {
    this.#core = core
    this.#plan = plan
    this.#settings = settings
  }

  decode(data: string | Uint8Array, base: ConnectionBase | undefined): MessageEntry {
    const sizeBytes = data.length
    const { receives } = this.#plan
    if (typeof data !== 'string') return { plan: receives.binary, data, sizeBytes, base }
    let value: unknown
    try {
      value = JSON.parse(data)
    } catch {
      return { plan: undefined, data, sizeBytes, base }
    }
    return { plan: receives.json(value), data: value, sizeBytes, base }
  }

  /** A message unchecked, for the caller's own predicates. */
  peek({ plan, data }: MessageEntry): Received<ChannelDescriptor> {
    return toReceived(plan, data)
  }

  /** What the reader gets for an entry. @throws ContractDriftError where checks are enforced. */
  take(entry: Entry): Received<ChannelDescriptor> | Promise<Received<ChannelDescriptor>> {
    if ('gap' in entry) return { type: 'reconnected', message: undefined, data: entry.gap }
    const { plan, base } = entry
    const { rebase, validate } = this.#settings
    const data = base === undefined || rebase === undefined ? entry.data : rebase(entry.data, base)
    if (plan === undefined) {
      if (validate !== 'off') this.#reportUnknown(data)
      return toReceived(plan, data)
    }
    const descriptor = plan.descriptor.check
    if (validate === 'off' || descriptor === undefined) return toReceived(plan, data)
    const found = check(descriptor, data, this.#plan.channel)
    if (!isPromise(found)) return this.#settle(plan, data, found)
    return found.then(
      (issues) => this.#settle(plan, data, issues),
      (error: unknown) => {
        const cause = uncheckedBy(error)
        if (validate === 'enforce')
          throw uncheckedError(this.#plan.channel.id, `the message ${plan.key}`, data, cause)
        return this.#settle(plan, data, [notChecked(cause)])
      },
    )
  }

  #settle(
    plan: MessagePlan,
    data: unknown,
    issues: readonly Issue[] | undefined,
  ): Received<ChannelDescriptor> {
    if (issues === undefined) return toReceived(plan, data)
    const { id } = this.#plan.channel
    if (this.#settings.validate === 'enforce') {
      throw new ContractDriftError(
        `${id}: the message ${plan.key} is not what the contract says. ${listIssues(issues)}. The connection is ` +
          "still open: read on for what follows, or connect with validate: 'report' to get the data as received.",
        issues,
        data,
        { operation: id },
      )
    }
    report(this.#core, `${id}.${plan.key}`, SWITCHING_PROTOCOLS, issues)
    return toReceived(plan, data)
  }

  /** The message itself is not quoted: nobody knows what of it is secret. */
  #reportUnknown(data: unknown): void {
    const kind =
      data instanceof Uint8Array ? 'binary message' : typeof data === 'string' ? 'text' : 'JSON message'
    const issues = [{ path: '', reason: `a ${kind} that the contract does not know` }]
    report(this.#core, this.#plan.channel.id, SWITCHING_PROTOCOLS, issues)
  }
}

function toReceived(plan: MessagePlan | undefined, data: unknown): Received<ChannelDescriptor> {
  if (plan === undefined) return { type: 'unknown', message: undefined, data }
  return { type: 'message', message: plan.key, data } as unknown as Received<ChannelDescriptor>
}
