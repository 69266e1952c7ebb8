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

/**
 * Loads the modules of undici that make pools. The whole package includes fetch, WebSocket, caches and mocks, and takes
 * twice as long to load. A test verifies the paths of these modules.
 *
 * @throws OptionsError if undici fails to load.
 */
export async function loadPools(): Promise<(origin: string, connections: number) => ConnectionPool> {
  const [pool, client, connector] = (await Promise.all([
    // @ts-expect-error undici declares its types for the whole of it only.
    import('undici/lib/dispatcher/pool.js'),
    // @ts-expect-error As above.
    import('undici/lib/dispatcher/client.js'),
    // @ts-expect-error As above.
    import('undici/lib/core/connect.js'),
  ]).catch((error: unknown) => {
    throw notLoaded(error)
  })) as [{ default: typeof Pool }, { default: typeof Client }, { default: typeof buildConnector }]
  return (origin, connections) => {
    const build = connector.default({ timeout: CONNECT_LIMIT_MS, allowH2: false })
    const { connect, destroyPending } = trackPending(build)
    const dispatcher = new pool.default(origin, {
      connections,
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect,
      factory: (url, options) => makeClient(client.default, url, { ...options, connect }),
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
    'In a bundle, mark undici as external, or define `require` with createRequire in a banner. In Deno, allow access to ' +
      'the environment (--allow-env). Or pass transport: fetchTransport().',
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
