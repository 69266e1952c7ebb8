import { EmulatorOptionsError } from './core/errors.ts'
import type { Emulator } from './emulator.ts'
import { inProcessOrigin, SERVICE_NAMES, type ServiceName } from './services.ts'

/** The part of msw's `http` that `handlersFor` uses (msw 2 and 3). @public */
export interface MswHttp<Handler> {
  all(path: string, resolver: (info: { readonly request: Request }) => Promise<Response>): Handler
}

/**
 * The base URLs that your code uses, for example `{ extraction: { baseUrl: 'https://extraction.example' } }`. The
 * inner keys, such as `baseUrl`, name the service's base URLs.
 *
 * @public
 */
export type MswBaseAddresses = { readonly [N in ServiceName]?: Readonly<Record<string, string>> }

/**
 * Creates [msw](https://mswjs.io) handlers that pass requests to an emulator and return the emulator's responses. The
 * handlers match the base URLs in `addresses` and the emulator's own URLs, such as `emulator.extraction.baseUrl` and
 * the links in responses.
 *
 * msw intercepts `fetch`. A Concord client on Node doesn't use `fetch` by default, so create the client
 * with `transport: fetchTransport()`. msw doesn't intercept Node's sockets, so pass
 * `socketFactory: emulator.speech.socketFactory` to the speech client.
 *
 * @example
 * const server = setupServer(...handlersFor(http, emulator, { extraction: { baseUrl: 'https://extraction.example' } }))
 *
 * @throws EmulatorOptionsError if a key in `addresses`, such as `baseUrl`, isn't the name of one of the service's base
 *   URLs.
 * @public
 */
export function handlersFor<Handler>(
  http: MswHttp<Handler>,
  emulator: Emulator,
  addresses: MswBaseAddresses = {},
): Handler[] {
  return SERVICE_NAMES.flatMap((name) => [
    ...Object.entries(addresses[name] ?? {}).map(([key, address]) => {
      const own = ownBaseUrl(emulator, name, key)
      const base = address.replace(/\/+$/, '')
      return http.all(`${base}/*`, ({ request }) =>
        respond(emulator, name, request, own + request.url.slice(base.length)),
      )
    }),
    http.all(`${inProcessOrigin(name)}/*`, ({ request }) => respond(emulator, name, request, request.url)),
  ])
}

function ownBaseUrl(emulator: Emulator, name: ServiceName, key: string): string {
  const members = emulator[name] as unknown as Readonly<Record<string, unknown>>
  const own = members[key]
  if (typeof own === 'string' && /^https?:/.test(own)) return own
  const names = Object.keys(members).filter((each) => /^https?:/.test(String(members[each])))
  const listed = names.map((each) => `\`${each}\``).join(', ')
  throw new EmulatorOptionsError(
    `The service \`${name}\` has no base URL named \`${key}\`. Its base URLs: ${listed}.`,
  )
}

async function respond(
  emulator: Emulator,
  name: ServiceName,
  request: Request,
  url: string,
): Promise<Response> {
  const { method, headers, signal } = request
  const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer()
  // `Response.error()` is how an msw handler reports a broken connection.
  return emulator[name].fetch(url, { method, headers, signal, body }).catch(() => Response.error())
}
