/** One TypeScript block of a page, ready to be compiled. */
export interface CodeBlock {
  /** The page, from the workspace root. */
  readonly page: string
  /** The line of the page that the block starts on. */
  readonly line: number
  /** The block, preceded by the declarations that the page takes as given. */
  readonly code: string
}

/**
 * Finds the blocks fenced as `ts` in a Markdown page.
 *
 * Declarations that a reader is expected to have (an address, a key) go into a comment that the rendered page doesn't show:
 * `<!-- given` ... `-->`. It applies to every block after it, until the next such comment.
 */
export function codeBlocks(page: string, markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  const lines = markdown.split('\n')
  let given: string[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (line.startsWith('<!-- given')) {
      const end = lines.indexOf('-->', index)
      if (end === -1) throw new Error(`${page}:${index + 1}: a "given" comment that does not end`)
      given = lines.slice(index + 1, end)
      index = end
    } else if (/^```(ts|typescript)$/.test(line)) {
      const end = lines.indexOf('```', index)
      if (end === -1) throw new Error(`${page}:${index + 1}: a code block that does not end`)
      // `export {}` turns a block without imports into a module, so that blocks don't see each other.
      blocks.push({
        page,
        line: index + 2,
        code: [...given, ...lines.slice(index + 1, end), 'export {}', ''].join('\n'),
      })
      index = end
    }
  }
  return blocks
}
