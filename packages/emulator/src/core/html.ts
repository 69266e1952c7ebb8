import { bodyReply, type Reply } from './reply.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** A template tag that escapes the interpolated values. */
export function html(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts.reduce((text, part, index) => text + escapeHtml(values[index - 1] ?? '') + part)
}

/** `title` is escaped. `body` must be HTML. */
export function htmlReply(status: number, title: string, body: string): Reply {
  return bodyReply(status, 'text/html; charset=utf-8', htmlPage(escapeHtml(title), body))
}

/** Both arguments must be HTML. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>body{font:16px system-ui;max-width:44rem;margin:3rem auto;padding:0 1rem}td{padding:.2rem 1rem .2rem 0}</style>
</head><body><main><h1>${title}</h1>
${body}
</main>
<p><small>This page belongs to the Concord emulator, not to the service.</small></p></body></html>
`
}
