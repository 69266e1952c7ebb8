import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** A page that tells a person what happened, in plain text. It never contains data of the request. @public */
export interface LoopbackPage {
  readonly title: string
  readonly text: string
}

const STYLE =
  ':root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1.5rem}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  connection: 'close',
} as const

/** Responds with a page. Resolves when the connection has ended: the page was sent, or the browser has gone. */
export function sendPage(response: ServerResponse, status: number, page: LoopbackPage): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = response
    if (socket === null || socket.destroyed) return resolve()
    socket.on('close', () => resolve())
    const body = render(page)
    response.writeHead(status, { ...HEADERS, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
}

function render({ title, text }: LoopbackPage): string {
  return (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n' +
    `<title>${escape(title)}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n<main>\n` +
    `<h1>${escape(title)}</h1>\n<p>${escape(text)}</p>\n</main>\n</body>\n</html>\n`
  )
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
