import { html, htmlPage } from './core/html.ts'
import type { Dispatcher } from './core/node-server.ts'

/**
 * The path of the health check. It can't collide with a service's paths, because no documented path starts with an
 * underscore.
 */
export const HEALTH_PATH = '/_health'

/** Responds to health checks before the service sees them, so that they aren't recorded and no faults apply to them. */
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

export interface IndexEntry {
  /** The service's name on the command line. */
  readonly name: string
  readonly baseUrls: Readonly<Record<string, string>>
  /** The URLs of the pages for people, keyed by the purpose of the page, for instance `Approve a device`. */
  pages: Readonly<Record<string, string>>
}

/** Serves a page at `/` that lists all running services, unless `app` itself responds to that path. */
export function withIndexPage(app: Dispatcher, entries: () => readonly IndexEntry[]): Dispatcher {
  return {
    ...app,
    async dispatch(request, remoteAddress) {
      const response = await app.dispatch(request, remoteAddress)
      const isRoot = request.method === 'GET' && new URL(request.url).pathname === '/'
      if (!isRoot || response.status !== 404) return response
      return new Response(indexPage(entries()), { headers: { 'content-type': 'text/html; charset=utf-8' } })
    },
  }
}

function indexPage(entries: readonly IndexEntry[]): string {
  const services = entries.map(({ name, baseUrls, pages }) => {
    const rows = Object.entries(baseUrls).map(
      ([key, address]) =>
        html`<tr>
          <td>${key}</td>
          <td><code>${address}</code></td>
        </tr>`,
    )
    const links = Object.entries(pages).map(([label, page]) => html`<li><a href="${page}">${label}</a></li>`)
    const list = links.length > 0 ? `<ul>${links.join('')}</ul>` : ''
    return `${html`<h2>${name}</h2>`}<table>${rows.join('')}</table>${list}`
  })
  return htmlPage(
    'Concord emulator',
    `<p>These local emulators are running. The command that started them printed their keys and passwords.</p>\n${services.join('\n')}`,
  )
}
