import { isPromise } from '../core/async.ts'
import type { ChannelDescriptor } from '../core/channel.ts'
import { check, listIssues } from '../core/check.ts'
import { ContractDriftError, type Issue } from '../core/errors.ts'
import type { ClientCore } from '../http/core.ts'
import { report } from '../http/drift.ts'
import { notChecked, uncheckedBy, uncheckedError } from '../http/unchecked.ts'
import type { ConnectionBase, Gap, Received } from './connection.ts'
import type { ChannelPlan, MessagePlan } from './plan.ts'
import type { ConnectionSettings } from './settings.ts'

/** Something received that was not read yet. */
export type Entry = MessageEntry | GapEntry

/** A message as it arrived: decoded, but not yet checked. */
export interface MessageEntry {
  /** Undefined for messages that the contract doesn't have. */
  readonly plan: MessagePlan | undefined
  readonly data: unknown
  readonly sizeBytes: number
  /** Undefined on the first connection. */
  readonly base: ConnectionBase | undefined
}

interface GapEntry {
  readonly gap: Gap
  readonly sizeBytes: number
}

/** The status of a successful handshake; drift on a socket is reported under it. */
const SWITCHING_PROTOCOLS = 101

/** Turns frames into messages: recognized when they arrive, checked when they are read. */
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
      value = JSON.parse(withoutByteOrderMark(data))
    } catch {
      return { plan: undefined, data, sizeBytes, base }
    }
    return { plan: receives.json(value), data: value, sizeBytes, base }
  }

  /** A message unchecked, for the caller's predicates. */
  peek({ plan, data }: MessageEntry): Received<ChannelDescriptor> {
    return toReceived(plan, data)
  }

  /** What the reader gets for an entry. @throws ContractDriftError when checks are enforced. */
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
        `${id}: the message ${plan.key} doesn't match the contract. ${listIssues(issues)}. The connection is ` +
          "still open: read on for what follows, or connect with validate: 'report' to get the data as received.",
        issues,
        data,
        { operation: id },
      )
    }
    report(this.#core, `${id}.${plan.key}`, SWITCHING_PROTOCOLS, issues)
    return toReceived(plan, data)
  }

  /** The message itself isn't quoted, because it is unknown which parts of it are secret. */
  #reportUnknown(data: unknown): void {
    const kind =
      data instanceof Uint8Array
        ? 'binary message'
        : typeof data === 'string'
          ? 'text message'
          : 'JSON message'
    const issues = [{ path: '', reason: `a ${kind} that the contract doesn't have` }]
    report(this.#core, this.#plan.channel.id, SWITCHING_PROTOCOLS, issues)
  }
}

/** As in HTTP bodies, a byte order mark before JSON means nothing. */
function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

function toReceived(plan: MessagePlan | undefined, data: unknown): Received<ChannelDescriptor> {
  if (plan === undefined) return { type: 'unknown', message: undefined, data }
  return { type: 'message', message: plan.key, data } as unknown as Received<ChannelDescriptor>
}
