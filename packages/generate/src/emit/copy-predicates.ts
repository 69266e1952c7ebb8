import { predicateSources } from '../own-files.ts'

/** Matches names. Members such as `isInteger` in `Number.isInteger`, and strings such as `'isUri'`, don't match. */
const NAMES = /(?<![.\w'])\w+/g

/** A predicate (a function in src/checks that checks values), or another declaration that a predicate uses. */
interface Declaration {
  readonly isExported: boolean
  /** The names in its code. */
  readonly uses: ReadonlySet<string>
  /** Its documentation and its code. */
  readonly text: string
}

/**
 * All declarations in the source files of the predicates, by name. In these files, empty lines separate declarations.
 */
const DECLARATIONS: ReadonlyMap<string, Declaration> = new Map(
  predicateSources
    .flatMap(({ text }) => text.trimEnd().split(/\n\n(?=\S)/))
    .flatMap((text) => {
      const [, exported, name] = /^(export )?(?:function|let|const) (\w+)/m.exec(text) ?? []
      if (name === undefined) return []
      const code = text.replaceAll(/^ *(?:\/\*\*| \*|\/\/).*$/gm, '')
      const uses = new Set(code.match(NAMES))
      return [[name, { isExported: exported !== undefined, uses, text: `${text}\n` }] as const]
    }),
)

export function predicatesIn(text: string): string[] {
  const words = new Set(text.match(NAMES))
  return [...DECLARATIONS.keys()].filter((name) => words.has(name) && DECLARATIONS.get(name)?.isExported)
}

/** Returns the source text of predicates and of the declarations that they use, in the order of the source files. */
export function copyPredicates(used: readonly string[]): string[] {
  const wanted = new Set(used)
  for (const name of wanted) {
    const declaration = DECLARATIONS.get(name)
    if (!declaration) throw new Error(`src/checks has no check \`${name}\``)
    for (const each of declaration.uses) if (DECLARATIONS.has(each)) wanted.add(each)
  }
  return [...DECLARATIONS].filter(([name]) => wanted.has(name)).map(([, { text }]) => text)
}
