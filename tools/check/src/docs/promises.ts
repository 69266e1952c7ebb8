/** The heading of the section that `linkPromises` writes. */
const TESTS = '\n## Tests\n'

/** Returns the ids of the promises in docs/promises.md, in order. */
export function promisedIds(markdown: string): string[] {
  const [promises = ''] = markdown.split(TESTS)
  return [...promises.matchAll(/^\| (R-\d\d) \|/gm)].map((match) => match[1] ?? '')
}

/** Returns the promise ids in the test names of a file, such as `R-23` in `it('R-23: a Retry-After ...')`. */
export function testedIds(source: string): string[] {
  const names = [
    ...source.matchAll(/\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])((?:(?!\1).)*)\1/gs),
  ].map((match) => match[2] ?? '')
  return [...new Set(names.flatMap((name) => name.match(/\bR-\d\d\b/g) ?? []))]
}

export function comparePromises(
  promised: readonly string[],
  tested: ReadonlyMap<string, readonly string[]>,
): string[] {
  const problems: string[] = []
  for (const id of promised) {
    if (!tested.has(id))
      problems.push(`${id} is promised in docs/promises.md, but no test name contains this id`)
  }
  for (const [id, files] of tested) {
    if (!promised.includes(id))
      problems.push(`${id} is tested in ${files.join(', ')}, but is not in docs/promises.md`)
  }
  return problems
}

/** Returns the text of docs/promises.md with a new table that links each promise to its tests. */
export function linkPromises(markdown: string, tested: ReadonlyMap<string, readonly string[]>): string {
  const [promises = '', tests = ''] = markdown.split(TESTS)
  const introduction = tests.replaceAll(/^\|.*\n/gm, '').trim()
  const rows = promisedIds(promises).map((id) => {
    const links = (tested.get(id) ?? []).toSorted().map((path) => `[${linkText(path)}](../${path})`)
    return `| ${id} | ${links.join(', ')} |\n`
  })
  return `${promises}${TESTS}\n${introduction}\n\n| id | tests |\n|---|---|\n${rows.join('')}`
}

function linkText(path: string): string {
  return (
    path
      .split('/')
      .at(-1)
      ?.replace(/\.test\.ts$/, '') ?? path
  )
}
