import type { ChannelDescriptor } from '../core/channel.ts'
import { OptionsError } from '../core/errors.ts'
import type { ClientCore } from '../http/core.ts'
import type { Credential } from '../http/credential.ts'
import { pickCredential } from '../http/prepare.ts'
import { type MessagePlan, planMessages, Recognizer } from './messages.ts'

/** A channel made ready for one client: all that is the same for every connection. */
export interface ChannelPlan {
  readonly channel: ChannelDescriptor
  /** Scheme, host, port and path: all but the query. */
  readonly address: string
  readonly credential: Credential | undefined
  readonly sends: ReadonlyMap<string, MessagePlan>
  readonly receives: Recognizer
}

/** @throws OptionsError when the client lacks a server or a credential for it. */
export function planChannel(core: ClientCore, channel: ChannelDescriptor): ChannelPlan {
  const server = core.servers.get(channel.server)
  if (server === undefined) {
    throw new OptionsError(
      `servers.${channel.server}`,
      `is missing, and ${channel.id} is opened there.`,
      'Give the base address of this server.',
    )
  }
  return {
    channel,
    // http becomes ws, and https wss (RFC 6455, section 3).
    address: server.origin.replace(/^http/, 'ws') + server.prefix + channel.address,
    credential: pickCredential(core, channel),
    sends: planMessages(channel.sends),
    receives: new Recognizer(channel),
  }
}
