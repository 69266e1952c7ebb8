import { html, htmlPage } from './core/html.ts'
import type { Answerer } from './core/node-server.ts'

/** A service on the page: its addresses and pages, without credentials. */
export interface IndexEntry {
  /** The name on the command line. */
  readonly name: string
  /** By their names. */
  readonly addresses: Readonly<Record<string, string>>
  /** Pages for people: what each is for, and its address. */
  pages: Readonly<Record<string, string>>
}

/** Serves a page with links to all services at `/`, if the service itself has no such path. */
export function withIndexPage(app: Answerer, entries: () => readonly IndexEntry[]): Answerer {
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
  const services = entries.map(({ name, addresses, pages }) => {
    const rows = Object.entries(addresses).map(
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
    `<p>Local emulators that listen. The output of the command that started them shows keys and passwords.</p>\n${services.join('\n')}`,
  )
}
