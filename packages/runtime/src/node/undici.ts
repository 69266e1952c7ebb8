import type { Socket } from 'node:net'

import type { buildConnector, Pool } from 'undici'

/** A pool of connections to one server. */
export interface ConnectionPool {
  readonly dispatcher: Pool
  /** Ends all connections, also those that are still being made. */
  destroy(): Promise<void>
}

type Connector = ReturnType<typeof buildConnector>

/**
 * Loads what makes pools. undici as a whole brings fetch, WebSocket, caches and mocks along and takes twice as
 * long to load, so only its pool and connector modules are imported; a test pins that they are where they are.
 */
export async function loadPools(): Promise<(origin: string, connections: number) => ConnectionPool> {
  const [pool, connector] = (await Promise.all([
    // @ts-expect-error undici declares its types for the whole of it only.
    import('undici/lib/dispatcher/pool.js'),
    // @ts-expect-error As above.
    import('undici/lib/core/connect.js'),
  ])) as [{ default: typeof Pool }, { default: typeof buildConnector }]
  const { default: PoolClass } = pool
  const { default: buildConnect } = connector
  return (origin, connections) => {
    // The attempt's own time limit covers connecting too.
    const build = buildConnect({ timeout: 0, allowH2: false })
    const { connect, destroyPending } = trackPending(build)
    const dispatcher = new PoolClass(origin, {
      connections,
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect,
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

/** A pool that is destroyed forgets sockets that are still connecting; they would keep the process alive. */
function trackPending(build: Connector): { connect: Connector; destroyPending: () => void } {
  const pending = new Set<Socket>()
  const connect: Connector = (options, callback) => {
    const done: typeof callback = (...results) => {
      pending.delete(socket)
      callback(...results)
    }
    const socket = build(options, done) as unknown as Socket
    pending.add(socket)
  }
  return {
    connect,
    destroyPending() {
      for (const socket of pending) socket.destroy()
    },
  }
}
