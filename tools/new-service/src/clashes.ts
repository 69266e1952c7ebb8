import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

/**
 * Describes the first name in these files that clashes. A name clashes if it already belongs to a package of the
 * workspace, to a global of the language, or to something else in the same file.
 */
export function findClash(
  root: string,
  files: readonly (readonly [file: string, text: string])[],
): string | undefined {
  const packages = packageNames(root)
  for (const [file, text] of files) {
    const name = file.endsWith('/package.json') ? packageName(text) : undefined
    const other = name === undefined ? undefined : packages.get(name)
    if (other !== undefined && other !== file) return `${other} already uses the package name ${name}`
  }
  for (const [file, text] of files) {
    if (!file.endsWith('.ts')) continue
    const names = topLevelNames(text)
    const twice = names.find((one, index) => names.indexOf(one) !== index)
    if (twice !== undefined) return `${file} would use the name ${twice} for two things`
    const hidden = names.find((one) => GLOBALS.has(one))
    if (hidden !== undefined) return `${file} would hide the global ${hidden}`
  }
  return undefined
}

/**
 * The globals of the language itself, such as `Error` and `Map`, and the global types that this repository uses.
 * Node's globals aren't included.
 */
const GLOBALS: ReadonlySet<string> = new Set([
  ...(runInNewContext('Object.getOwnPropertyNames(globalThis)') as readonly string[]),
  ...'Awaited Omit Parameters Partial Pick Readonly Record Required'.split(' '),
])

function packageNames(root: string): ReadonlyMap<string, string> {
  const files = globSync(['specs/package.json', 'examples/package.json', '{packages,tools}/*/package.json'], {
    cwd: root,
  })
  return new Map(files.map((file) => [packageName(readFileSync(join(root, file), 'utf8')), file]))
}

const packageName = (text: string): string => (JSON.parse(text) as { readonly name: string }).name

/** Returns the names that a TypeScript file imports, exports in a list, or declares at its top level. */
function topLevelNames(text: string): string[] {
  const lists = [...text.matchAll(/^(?:import|export)(?: type)? \{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((one) => one.trim().replace(/^type |^\w+ as /, ''))
      .filter((one) => /^\w+$/.test(one)),
  )
  const declared = text.matchAll(/^(?:export )?(?:async )?(?:class|const|function|interface|type) (\w+)/gm)
  return [...lists, ...[...declared].map(([, name = '']) => name)]
}
