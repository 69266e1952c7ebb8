import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

import { rolldown } from 'rolldown'

/** A local website whose page uses the clients. */
export interface ServedPage extends AsyncDisposable {
  readonly url: string
  /** The names of the scripts that were requested so far, without their hashes. */
  readonly loaded: readonly string[]
}

/** Bundles `page.ts` with the packages' build output, and serves the page. */
export async function servePage(): Promise<ServedPage> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('page.ts', import.meta.url)),
    platform: 'browser',
    logLevel: 'silent',
    resolve: { conditionNames: ['browser', 'import', 'default'] },
  })
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].[hash].js',
  })
  await bundle.close()
  const scripts = new Map<string, string>(
    output.flatMap((file) => (file.type === 'chunk' ? [[`/${file.fileName}`, file.code] as const] : [])),
  )
  const loaded: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const script = scripts.get(path)
    if (script !== undefined) {
      loaded.push(path.slice(1).split('.')[0] ?? '')
      response.setHeader('content-type', 'text/javascript').end(script)
    } else if (path === '/') {
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>')
    } else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    loaded,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
