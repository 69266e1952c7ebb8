import { loadSocketSpec, type SocketSubject, type SocketTarget } from '@concord/contract'
import { connect, createClient, type ChannelDescriptor, type ClientOptions } from '@concord/runtime'

import { classSockets } from '../../../packages/contract/src/socket/suite/class-sockets.ts'

/** The channels of a package, and the options of its clients. */
export interface TestedSockets {
  readonly service: string
  readonly channels: { readonly [id: string]: ChannelDescriptor }
  /** Converts the URLs and credentials to the options that the package's client passes to the runtime. */
  options(
    target: Pick<SocketTarget, 'servers' | 'credentials'>,
  ): Pick<ClientOptions, 'servers' | 'credentials'>
}

/**
 * Returns the channels of a package in the form that the contract tests need: as methods of a class that is like a
 * generated client.
 */
export async function socketSubject({ service, channels, options }: TestedSockets): Promise<SocketSubject> {
  class Client {
    readonly withResponse = {}
    readonly close: () => Promise<void>

    constructor(all: ClientOptions & { readonly allServers: string }) {
      const { allServers: _dropped, ...given } = all
      const client = createClient(given)
      this.close = () => client.close()
      const methods = Object.entries(channels).map(([id, channel]) => [
        `connect${id.charAt(0).toUpperCase()}${id.slice(1)}`,
        (how: object) => connect(client, channel, how),
      ])
      Object.assign(this, Object.fromEntries(methods))
    }
  }
  const spec = await loadSocketSpec(service)
  return { ...(await classSockets(spec, { client: Client, channels, options })), service }
}
