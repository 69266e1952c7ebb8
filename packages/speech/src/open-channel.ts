import type { ChannelDescriptor, Connection, ConnectOptions, Received } from '@concord/runtime'

type AnyChannel = ChannelDescriptor<unknown, Record<string, unknown>, Record<string, unknown>>

export type AnyReceived = Received<AnyChannel>

/** A connection whose message types are unknown. The classes that wrap the connection define the types of events. */
export type OpenChannel = Connection<AnyChannel>

export interface ChannelOpener {
  open(
    channel: ChannelDescriptor<unknown, unknown, unknown>,
    query: object | undefined,
    options: ConnectOptions<ChannelDescriptor>,
  ): Promise<OpenChannel>
}
