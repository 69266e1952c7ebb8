import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Base } from './base.ts'
import { blobHash, blobsAt } from './git.ts'
import { PlanError } from './plan-error.ts'
import { highest, type Verdict } from './verdict.ts'

export interface ChangesetFile {
  /** The name without the folder. */
  readonly file: string
  readonly bumps: ReadonlyMap<string, Verdict>
  /** The text after the front matter. */
  readonly body: string
}

/**
 * Reads the changesets that were added or edited since the base. All other changesets describe earlier changes.
 *
 * @throws {@link PlanError} if a changeset can't be read.
 */
export function readChangesets(tree: string, { commit }: Base): ChangesetFile[] {
  const folder = join(tree, '.changeset')
  if (!existsSync(folder)) return []
  const earlier = commit === undefined ? new Map<string, string>() : blobsAt(tree, commit, '.changeset/')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .sort()
    .map((file) => ({ file, content: readFileSync(join(folder, file)) }))
    .filter(({ file, content }) => earlier.get(file) !== blobHash(content))
    .map(({ file, content }) => parseChangeset(file, content.toString('utf8')))
}

/** Returns the highest bump that changesets declare for each package. */
export function declaredBumps(changesets: readonly ChangesetFile[]): Map<string, Verdict> {
  const declared = new Map<string, Verdict>()
  for (const { bumps } of changesets)
    for (const [name, bump] of bumps) declared.set(name, highest([bump, declared.get(name) ?? 'none']))
  return declared
}

/** Parses the front matter (`'package': bump`, one per line) and the body. */
function parseChangeset(file: string, text: string): ChangesetFile {
  const [, front, body] = /^---\r?\n(.*?)(?:\r?\n)?---\r?\n?(.*)$/s.exec(text) ?? []
  if (front === undefined || body === undefined)
    throw new PlanError(
      `.changeset/${file} has no front matter.`,
      'Begin the file with one `---` line, one line for each package, and another `---` line.',
    )
  const bumps = new Map<string, Verdict>()
  front.split(/\r?\n/).forEach((line, at) => {
    if (line.trim() === '' || line.trim().startsWith('#')) return
    const [, , name, , bump] =
      /^\s*(['"]?)([^'"\s]+)\1\s*:\s*(['"]?)(major|minor|patch|none)\3\s*$/.exec(line) ?? []
    if (name === undefined || bump === undefined)
      throw new PlanError(
        `.changeset/${file}:${at + 2} can't be read: ${line.trim()}.`,
        "Write the line as 'package': bump, where bump is major, minor, patch or none.",
      )
    bumps.set(name, bump as Verdict)
  })
  return { file, bumps, body }
}
