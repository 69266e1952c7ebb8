import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Page {
  /** The path, relative to the workspace root. */
  readonly path: string
  readonly markdown: string
}

/**
 * Lists a page's links to files that don't exist. A link can be a relative path or the URL of a file in the
 * repository. The READMEs of packages use URLs, because npmjs.com doesn't show other files of the repository.
 *
 * @param address - The URL of the repository's web page.
 */
export function brokenLinks(root: string, { path: page, markdown }: Page, address: string): string[] {
  const problems: string[] = []
  const withoutCode = markdown.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')
  for (const [, target = ''] of withoutCode.matchAll(/\]\(([^)\s]+)\)/g)) {
    const [file = ''] = target.split('#')
    const inRepository = /^\/(?:blob|tree)\/main\/(.*)$/.exec(
      file.startsWith(address) ? file.slice(address.length) : '',
    )
    if (!inRepository && (/^[a-z]+:/.test(target) || target.startsWith('#'))) continue
    const path = join(root, inRepository?.[1] ?? join(dirname(page), file))
    if (!existsSync(path)) problems.push(`${page}: the link ${target} is broken`)
  }
  return problems
}
