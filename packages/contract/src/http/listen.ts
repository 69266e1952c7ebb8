import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { invalidOptions, reasonOf } from '@concord/spec-model'

/** A running mock or proxy. @public */
export interface ListeningServer extends AsyncDisposable {
  /** `http://host:port`. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Starts a server.
 *
 * @param end Called first when the server closes, and if it can't listen.
 * @throws ContractError if the port is taken.
 */
export async function listenOn(
  server: Server,
  { host = '127.0.0.1', port = 0 }: { readonly host?: string; readonly port?: number } = {},
  end: () => void = () => undefined,
): Promise<ListeningServer> {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    end()
    throw invalidOptions(
      `Can't listen on ${host}:${port}: ${reasonOf(cause)}.`,
      'Choose another port, or 0 for a free one.',
      { cause },
    )
  }
  const close = async (): Promise<void> => {
    end()
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  const shownHost = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shownHost}:${(server.address() as AddressInfo).port}`,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The URLs of the servers of a contract during one case, all with a path prefix. */
export class CaseUrls {
  /** The base URL of each server, by its template. */
  readonly addresses: { readonly [server: string]: string }
  readonly #prefixes: ReadonlyMap<string, string>

  constructor(origin: string, count: number, servers: readonly string[]) {
    this.#prefixes = new Map(
      servers.map((server, index) => [`/case-${count}/server-${index}/base%20path`, server]),
    )
    this.addresses = Object.fromEntries(
      [...this.#prefixes].map(([prefix, server]) => [server, origin + prefix]),
    )
  }

  /** Finds the server of a requested URL, and the target below its base URL. */
  find(url: string): { readonly server: string; readonly target: string } | undefined {
    for (const [prefix, server] of this.#prefixes)
      if (url.startsWith(`${prefix}/`)) return { server, target: url.slice(prefix.length) }
    return undefined
  }
}
