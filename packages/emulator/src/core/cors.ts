import type { Dispatcher } from './node-server.ts'

const METHODS = 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'

/**
 * Adds CORS headers (Fetch standard) to an app's responses, and responds to preflight requests. `origins` lists the
 * allowed origins; `true` allows all.
 */
export function withCors(app: Dispatcher, origins: true | readonly string[]): Dispatcher {
  const allow = (request: Request, response: Response): Response => {
    const origin = request.headers.get('origin')
    if (origin === null || !(origins === true || origins.includes(origin))) return response
    const allowed = new Response(response.body, response)
    allowed.headers.set('access-control-allow-origin', origins === true ? '*' : origin)
    allowed.headers.append('vary', 'origin')
    // Lists each header by name before `*`, for browsers that don't support `*`.
    allowed.headers.set('access-control-expose-headers', [...response.headers.keys(), '*'].join(', '))
    return allowed
  }
  return {
    ...app,
    async dispatch(request, remoteAddress) {
      const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
      if (!isPreflight) return allow(request, await app.dispatch(request, remoteAddress))
      const headers = {
        'access-control-allow-methods': METHODS,
        // Allows each requested header by name, because `*` doesn't cover `Authorization`.
        'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '',
        'access-control-max-age': '600',
      }
      return allow(request, new Response(null, { status: 204, headers }))
    },
  }
}
