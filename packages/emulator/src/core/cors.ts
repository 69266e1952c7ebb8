import type { Answerer } from './node-server.ts'

/** Who may call from a browser: pages of these origins, or of every one. */
export type AllowedOrigins = true | readonly string[]

const METHODS = 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'

/** Lets browsers call a service from pages of other origins (CORS, as the Fetch standard has it). */
export function withCors(app: Answerer, origins: AllowedOrigins): Answerer {
  const allow = (request: Request, response: Response): Response => {
    const origin = request.headers.get('origin')
    if (origin === null || !(origins === true || origins.includes(origin))) return response
    const allowed = new Response(response.body, response)
    allowed.headers.set('access-control-allow-origin', origins === true ? '*' : origin)
    allowed.headers.append('vary', 'origin')
    // The list by name: a browser takes `*` for requests without credentials only.
    allowed.headers.set('access-control-expose-headers', [...response.headers.keys(), '*'].join(', '))
    return allowed
  }
  return {
    ...app,
    async dispatch(request, remoteAddress) {
      const asked = request.headers.get('access-control-request-method')
      if (request.method !== 'OPTIONS' || asked === null)
        return allow(request, await app.dispatch(request, remoteAddress))
      const headers = {
        'access-control-allow-methods': METHODS,
        // As it was asked for: `*` would not stand for Authorization.
        'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '',
        'access-control-max-age': '600',
      }
      return allow(request, new Response(null, { status: 204, headers }))
    },
  }
}
