import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { parseSync } from 'oxc-parser'

/** A TypeScript file of the workspace: the parts that the structure rules check. */
export interface SourceFile {
  /** The path, relative to the workspace root, with forward slashes. */
  readonly path: string
  readonly text: string
  /** All imported modules: static imports, re-exports, and dynamic imports of a string literal. */
  readonly imports: readonly ImportedModule[]
  /** The line numbers of `export * from`. */
  readonly starExports: readonly number[]
}

interface ImportedModule {
  readonly name: string
  readonly line: number
}

export function readSource(root: string, path: string): SourceFile {
  return parseSource(path, readFileSync(join(root, path), 'utf8'))
}

export function parseSource(path: string, text: string): SourceFile {
  const { module, errors } = parseSync(path, text)
  const fatal = errors.find((error) => error.severity === 'Error')
  if (fatal) throw new Error(`${path}: ${fatal.message}`)
  const line = (offset: number) => text.slice(0, offset).split('\n').length
  const imports: ImportedModule[] = []
  for (const found of module.staticImports) {
    imports.push({ name: found.moduleRequest.value, line: line(found.start) })
  }
  const starExports: number[] = []
  for (const found of module.staticExports) {
    for (const entry of found.entries) {
      if (!entry.moduleRequest) continue
      imports.push({ name: entry.moduleRequest.value, line: line(found.start) })
      if (entry.importName.kind === 'AllButDefault') starExports.push(line(found.start))
    }
  }
  for (const found of module.dynamicImports) {
    const written = text.slice(found.moduleRequest.start, found.moduleRequest.end)
    const plain = /^(['"`])([^'"`$]+)\1$/.exec(written)
    if (plain?.[2]) imports.push({ name: plain[2], line: line(found.start) })
  }
  return { path, text, imports, starExports }
}
