import type { Socket } from 'node:net'

import type { buildConnector, Client, Dispatcher, Pool } from 'undici'

import { OptionsError } from '../core/errors.ts'

/** A pool of connections to one server. */
export interface ConnectionPool {
  readonly dispatcher: Pool
  /** Closes all connections, including those that are still being opened. */
  destroy(): Promise<void>
}

/** A request that may have to wait for a new connection. */
export interface Waiting extends Dispatcher.DispatchHandler {
  /** Ends the connection attempt for this request; set only during the attempt. */
  stopConnecting: (() => void) | undefined
}

type Connector = ReturnType<typeof buildConnector>

/** The time limit for connecting: a backstop for attempts whose request isn't known. */
const CONNECT_LIMIT_MS = 60_000

/** @throws OptionsError if undici fails to load. */
export async function loadPools(): Promise<(origin: string, connections: number) => ConnectionPool> {
  const undici = (await import('./undici-modules.ts').catch((error: unknown) => {
    throw notLoaded(error)
  })) as { Pool: typeof Pool; Client: typeof Client; buildConnector: typeof buildConnector }
  return (origin, connections) => {
    const build = undici.buildConnector({ timeout: CONNECT_LIMIT_MS, allowH2: false })
    const { connect, destroyPending } = trackPending(build)
    const dispatcher = new undici.Pool(origin, {
      connections,
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect,
      factory: (url, options) => makeClient(undici.Client, url, { ...options, connect }),
    })
    return {
      dispatcher,
      async destroy() {
        destroyPending()
        await dispatcher.destroy()
      },
    }
  }
}

function notLoaded(cause: unknown): OptionsError {
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  return new OptionsError(
    'transport',
    `was not passed, and undici, the transport for Node, could not be loaded (${reason}). Nothing was sent.`,
    'Pass transport: fetchTransport().',
    { cause },
  )
}

/**
 * Makes the client for one connection of a pool. It knows for which request a connection is being opened: undici itself
 * keeps connecting for a request that was aborted, and servers that stall then would fill the pool for good.
 */
function makeClient(
  ClientClass: typeof Client,
  origin: URL,
  options: Client.Options & { readonly connect: Connector },
): Client {
  const { connect } = options
  let latest: Waiting | undefined
  let connected = false
  const client = new ClientClass(origin, {
    ...options,
    connect(target, callback) {
      const waiting = latest
      const done = ((...results: Parameters<typeof callback>) => {
        if (waiting !== undefined) waiting.stopConnecting = undefined
        connected = results[0] === null
        latest = undefined
        callback(...results)
      }) as typeof callback
      const socket = connect(target, done) as unknown as Socket
      // undici notices only errors.
      if (waiting !== undefined)
        waiting.stopConnecting = () => void socket.destroy(new Error('The request was aborted.'))
    },
  })
  client.on('disconnect', () => (connected = false))
  const { dispatch } = client
  client.dispatch = (target, handler) => {
    if (!connected) latest = handler as Waiting
    return dispatch.call(client, target, handler)
  }
  return client
}

/** A pool that is destroyed forgets sockets that are still connecting, and they would keep the process alive. */
function trackPending(build: Connector): { connect: Connector; destroyPending: () => void } {
  const pending = new Set<Socket>()
  const connect: Connector = (options, callback) => {
    const done: typeof callback = (...results) => {
      pending.delete(socket)
      callback(...results)
    }
    const socket = build(options, done) as unknown as Socket
    pending.add(socket)
    return socket as never
  }
  return {
    connect,
    destroyPending() {
      for (const socket of pending) socket.destroy()
    },
  }
}
