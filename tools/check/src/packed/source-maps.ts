import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface SourceMap {
  readonly sources: readonly string[]
  readonly sourcesContent?: readonly (string | null)[]
}

/**
 * Lists the problems that keep a debugger or an editor from finding the source of an installed package. For modules
 * that bundlers read (the `.js` files directly in `dist`), the source map itself must contain the source. For other
 * files, a source file in the package is enough. Bundled dependencies need no source.
 */
export function missingSources(packageFolder: string): readonly string[] {
  const problems: string[] = []
  for (const path of globSync('dist/**/*.{js,cjs,d.ts,d.cts}', { cwd: packageFolder })) {
    const text = readFileSync(join(packageFolder, path), 'utf8')
    const mapName = /^\/\/# sourceMappingURL=(.+)$/m.exec(text)?.[1]
    if (mapName === undefined) {
      // Files that only re-export, and rolldown's own helpers, need no source map.
      const esModule = join(packageFolder, path.replace(/\.cjs$/, '.js'))
      const isEntry = existsSync(esModule) && isOnlyExports(readFileSync(esModule, 'utf8'))
      if (!isEntry && !isOnlyExports(text) && !/rolldown-runtime\.c?js$/.test(path))
        problems.push(`${path} has no source map`)
      continue
    }
    const mapPath = join(dirname(path), mapName)
    if (!existsSync(join(packageFolder, mapPath))) {
      problems.push(`${path} refers to the source map ${mapName}, which isn't in the package`)
      continue
    }
    const { sources, sourcesContent = [] } = JSON.parse(
      readFileSync(join(packageFolder, mapPath), 'utf8'),
    ) as SourceMap
    for (const [index, source] of sources.entries()) {
      const isDependency = source.includes('node_modules/')
      const isBundledType = /\.d\.c?ts$/.test(path) && /-validators\/|\/spec-model\//.test(source)
      const isText = typeof sourcesContent[index] === 'string'
      const isFile = existsSync(join(packageFolder, dirname(path), source))
      const isThere =
        /^dist\/[^/]+\.js$/.test(path) && !isDependency
          ? isText
          : isText || isFile || isDependency || isBundledType
      if (!isThere) problems.push(`the source map of ${path} doesn't contain the text of ${source}`)
    }
  }
  return problems
}

const isOnlyExports = (text: string): boolean =>
  text
    .replaceAll(/\/\/.*$/gm, '')
    .split(/;|\n(?=import|export)/)
    .every((statement) => statement.trim() === '' || /^\s*(?:import|export)\b[^=]*$/.test(statement))
