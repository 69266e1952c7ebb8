import type { Dispatcher } from './core/node-server.ts'

/**
 * The health check of every port, for containers and scripts that wait for the emulator to listen. It can't collide with a
 * service, because no documented path starts with an underscore.
 */
export const HEALTH_PATH = '/_health'

/** Responds to the health check before the service sees it, so that it is not recorded and faults don't apply to it. */
export function withHealth(app: Dispatcher): Dispatcher {
  return {
    ...app,
    async dispatch(request, remoteAddress) {
      if (new URL(request.url).pathname !== HEALTH_PATH) return app.dispatch(request, remoteAddress)
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return Response.json(
          { detail: `${HEALTH_PATH} only accepts GET and HEAD.` },
          { status: 405, headers: { allow: 'GET, HEAD' } },
        )
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
      return new Response(request.method === 'HEAD' ? null : '{"status":"ok"}', { headers })
    },
  }
}
