import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

import { rolldown } from 'rolldown'

import { root } from '../workspace.ts'

/** The size of some code in a web page: minified, tree-shaken, with all its dependencies. */
export interface BundleSize {
  readonly minifiedBytes: number
  readonly gzipBytes: number
  readonly brotliBytes: number
  /** The size of the code that only dynamic imports load, compressed with brotli. */
  readonly laterBytes: number
}

/**
 * Bundles `code` for browsers, and returns the bundle's size. `code` can import the same packages as `examples/`.
 *
 * @throws Error if an import can't be resolved, for example because a package isn't built. Without this error, the
 *   bundle would lack the imported code.
 */
export async function bundleSize(code: string): Promise<BundleSize> {
  const entry = join(root, 'examples', '.size-entry.js')
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    onLog: (_level, log) => {
      if (log.code === 'UNRESOLVED_IMPORT')
        throw new Error(`${log.message}\nBuild the packages first: npm run build`)
    },
    resolve: { conditionNames: ['browser', 'import', 'default'] },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? code : null),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const chunks = new Map(
    output.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk] as const] : [])),
  )
  // A page loads the entry and its static imports immediately. It loads all other chunks later.
  const loaded = new Set<string>()
  const load = (name: string): void => {
    if (loaded.has(name)) return
    loaded.add(name)
    for (const next of chunks.get(name)?.imports ?? []) load(next)
  }
  for (const chunk of chunks.values()) if (chunk.isEntry) load(chunk.fileName)
  const codeOf = (names: Iterable<string>): string =>
    [...names].map((name) => chunks.get(name)?.code ?? '').join('\n')
  const text = codeOf(loaded)
  const later = codeOf([...chunks.keys()].filter((name) => !loaded.has(name)))
  return {
    minifiedBytes: text.length,
    gzipBytes: gzipSync(text, { level: 9 }).length,
    brotliBytes: brotliCompressSync(text).length,
    laterBytes: later === '' ? 0 : brotliCompressSync(later).length,
  }
}
