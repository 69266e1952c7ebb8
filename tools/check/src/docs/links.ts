import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The relative links of a page whose files don't exist. */
export function brokenLinks(root: string, page: string, markdown: string): string[] {
  const problems: string[] = []
  const withoutCode = markdown.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')
  for (const [, target = ''] of withoutCode.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target) || target.startsWith('#')) continue
    const path = join(root, dirname(page), target.split('#')[0] ?? '')
    if (!existsSync(path)) problems.push(`${page}: the link ${target} is broken`)
  }
  return problems
}
