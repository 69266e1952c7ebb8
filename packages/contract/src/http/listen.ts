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
 * @param end Called if the server can't listen, or just before it closes.
 * @throws ContractError if the server can't listen, for example because the port is taken.
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
      'Choose another port or host. Port 0 selects any free port.',
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
