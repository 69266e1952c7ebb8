import type { IncomingMessage } from 'node:http'

import { serving } from './loopback.ts'

export const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 253))

/** Serves the content to a client, by default with ranges; disconnects after `cut` bytes for each entry of `cuts`. */
export async function serveContent(
  cuts: number[] = [],
  headers: Record<string, string> = { etag: '"v1"' },
  { ranges = true } = {},
) {
  const requests: IncomingMessage['headers'][] = []
  const { origin, client } = await serving((request, response) => {
    requests.push(request.headers)
    const start = ranges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0
    const rest = content.subarray(start)
    const range =
      start > 0 ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {}
    response.writeHead(start > 0 ? 206 : 200, { ...headers, ...range, 'content-length': rest.length })
    const cut = cuts.shift()
    if (cut === undefined) response.end(rest)
    else response.write(rest.subarray(0, cut), () => response.destroy())
  })
  return { origin, client, requests }
}
