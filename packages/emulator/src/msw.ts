import { EmulatorOptionsError } from './core/errors.ts'
import type { Emulator } from './emulator.ts'
import { inProcessOrigin, SERVICE_NAMES, type ServiceName } from './services.ts'

/** The part of `http` of msw that is used; msw 2 and 3 have it. @public */
export interface MswHttp<Handler> {
  all(path: string, resolver: (info: { readonly request: Request }) => Promise<Response>): Handler
}

/**
 * The addresses that your code has for the services: by service, then by the name of the address, such as
 * `{ extraction: { baseUrl: 'https://extraction.example' } }`.
 *
 * @public
 */
export type MswAddresses = { readonly [N in ServiceName]?: Readonly<Record<string, string>> }

/**
 * Makes handlers for [msw](https://mswjs.io) with which an emulator answers: at the addresses that your code has, and at the
 * emulator's own, such as `emulator.extraction.baseUrl` and the links in its responses.
 *
 * msw intercepts `fetch`, so a client in Node needs `transport: fetchTransport()`. It doesn't intercept sockets of Node: pass
 * `socketFactory: emulator.speech.socketFactory` to the client.
 *
 * @example
 * const server = setupServer(...handlersFor(http, emulator, { extraction: { baseUrl: 'https://extraction.example' } }))
 *
 * @throws EmulatorOptionsError if a service doesn't have an address of this name.
 * @public
 */
export function handlersFor<Handler>(
  http: MswHttp<Handler>,
  emulator: Emulator,
  addresses: MswAddresses = {},
): Handler[] {
  return SERVICE_NAMES.flatMap((name) => [
    ...Object.entries(addresses[name] ?? {}).map(([key, address]) => {
      const own = ownAddress(emulator, name, key)
      const base = address.replace(/\/+$/, '')
      return http.all(`${base}/*`, ({ request }) =>
        answer(emulator, name, request, own + request.url.slice(base.length)),
      )
    }),
    http.all(`${inProcessOrigin(name)}/*`, ({ request }) => answer(emulator, name, request, request.url)),
  ])
}

function ownAddress(emulator: Emulator, name: ServiceName, key: string): string {
  const members = emulator[name] as unknown as Readonly<Record<string, unknown>>
  const own = members[key]
  if (typeof own === 'string' && /^https?:/.test(own)) return own
  const names = Object.keys(members).filter((each) => /^https?:/.test(String(members[each])))
  throw new EmulatorOptionsError(
    `${name} has no address ${JSON.stringify(key)}. It has: ${names.join(', ')}.`,
  )
}

async function answer(
  emulator: Emulator,
  name: ServiceName,
  request: Request,
  url: string,
): Promise<Response> {
  const { method, headers, signal } = request
  const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer()
  // A fault that breaks the connection rejects; this is how a handler of msw says so.
  return emulator[name].fetch(url, { method, headers, signal, body }).catch(() => Response.error())
}
