import type { Answerer } from './core/node-server.ts'

/**
 * The path that says, on every port, that the emulator listens: for containers, and for scripts that wait for it. No
 * documented path of a service starts with an underscore.
 */
export const HEALTH_PATH = '/_health'

/** Answers the health path before the service sees it, so that it is in no journal and no fault happens to it. */
export function withHealth(app: Answerer): Answerer {
  return {
    ...app,
    async dispatch(request, remoteAddress) {
      if (new URL(request.url).pathname !== HEALTH_PATH) return app.dispatch(request, remoteAddress)
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return Response.json(
          { detail: `${HEALTH_PATH} takes GET or HEAD.` },
          { status: 405, headers: { allow: 'GET, HEAD' } },
        )
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
      return new Response(request.method === 'HEAD' ? null : '{"status":"ok"}', { headers })
    },
  }
}
