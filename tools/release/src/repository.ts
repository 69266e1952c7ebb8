import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { ReleaseError } from './release-error.ts'

interface RepositoryFields {
  readonly repository: { readonly type: 'git'; readonly url: string; readonly directory: string }
  readonly homepage: string
  readonly bugs: string
}

/** Returns the URL of the repository's web page, as the root package.json defines it. */
export function repositoryAddress(folder: string): string {
  const { repository } = readManifest(join(folder, 'package.json')) as { repository: { url: string } }
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
}

/** @param directory - The folder of a package, relative to the root. */
export function repositoryFields(address: string, directory: string): RepositoryFields {
  return {
    repository: { type: 'git', url: `git+${address}.git`, directory },
    homepage: `${address}/tree/main/${directory}#readme`,
    bugs: `${address}/issues`,
  }
}

/**
 * Changes the repository's URL to `address` in the workspace's Markdown, JSON and YAML files and Dockerfiles. Without
 * `address`, copies the URL from the root package.json to the package.json files of the published packages.
 *
 * @returns The changed files, relative to the root.
 * @throws ReleaseError if `address` isn't the https URL of a repository's web page.
 */
export function moveRepository(folder: string, address = repositoryAddress(folder)): string[] {
  if (!/^https:\/\/[\w.-]+\/[\w./-]+$/.test(address))
    throw new ReleaseError(
      `${JSON.stringify(address)} isn't the URL of a repository's web page. Pass a URL such as https://github.com/you/concord.`,
    )
  const [from, to] = [repositoryAddress(folder), new URL(address.replace(/\.git$|\/$/, '')).href]
  const slug = (of: string) => new URL(of).pathname.slice(1)
  const literal = (text: string) => text.replaceAll(/[^\w/:-]/g, String.raw`\$&`)
  // One pattern matches both the old URL and its path alone (`owner/name`). With two patterns, the second replacement
  // could change the new URL again.
  const mention = new RegExp(`${literal(from)}(?![\\w-])|(?<![\\w/.-])${literal(slug(from))}(?![\\w-])`, 'g')
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--']
  const kinds = ['*.md', '*.json', '*.yml', '*.yaml', '*Dockerfile']
  const files = execFileSync('git', [...list, ...kinds], { cwd: folder, encoding: 'utf8' }).split('\0')
  return files.filter((file) => {
    if (file === '') return false
    const before = readFileSync(join(folder, file), 'utf8')
    const moved = before.replaceAll(mention, (found) => (found === from ? to : slug(to)))
    const after = isPublishedManifest(file, moved)
      ? withFields(moved, to, file.replace('/package.json', ''))
      : moved
    if (after !== before) writeFileSync(join(folder, file), after)
    return after !== before
  })
}

const isPublishedManifest = (file: string, text: string): boolean =>
  /^(?:specs|packages\/[\w-]+)\/package\.json$/.test(file) && !/"private": true/.test(text)

function withFields(text: string, address: string, directory: string): string {
  const { repository: _r, homepage: _h, bugs: _b, ...manifest } = JSON.parse(text) as Record<string, unknown>
  const { repository, homepage, bugs } = repositoryFields(address, directory)
  const ordered = Object.entries(manifest).flatMap(([name, value]) =>
    name === 'license'
      ? [
          ['homepage', homepage],
          ['bugs', bugs],
          [name, value],
          ['repository', repository],
        ]
      : [[name, value]],
  )
  return `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`
}

function readManifest(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
