import { createHash } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { type ChangesetFile, readChangesets } from './changeset-files.ts'
import type { Change } from './findings.ts'
import { blobsAt } from './git.ts'
import { bumpsFor, type ReleasePlan, verdictOf } from './plan.ts'
import { split } from './report.ts'
import { exceeds, highest, type Verdict } from './verdict.ts'

/** A changeset, and whether {@link writeDrafts} writes or removes it. */
export interface Draft {
  /** The path, relative to the root of the repository. */
  readonly file: string
  readonly status: 'new' | 'refreshed' | 'unchanged' | 'removed'
  /** Empty if the file is removed. */
  readonly text: string
}

type Bumps = ReadonlyMap<string, Verdict>

/**
 * Drafts the changesets of a plan, one for each changed service. Writes nothing.
 *
 * A changeset that no person has edited is rewritten, or removed if its list would be empty. If a person has edited
 * it, bumps are only raised, and only the list between the comments MARK and END is updated. A line that a person
 * reworded or removed doesn't reappear.
 *
 * Changesets that are unchanged since the base aren't touched. If a service has several new or edited changesets,
 * only the one with the highest number is updated. It doesn't repeat the lines of the others.
 */
export function draftChangesets(plan: ReleasePlan, tree: string): Draft[] {
  const old = plan.base.commit === undefined ? [] : [...blobsAt(tree, plan.base.commit, '.changeset/').keys()]
  const files = readChangesets(tree, plan.base)
  return plan.services.flatMap(({ name }) => {
    const changes = plan.changes.filter(({ service }) => service === name)
    const bumps = bumpsFor(tree, changes)
    const [own, ...others] = files
      .filter(({ file }) => isOf(file, name))
      .sort((one, other) => other.file.length - one.file.length || other.file.localeCompare(one.file))
    const elsewhere = new Set(others.flatMap(({ body }) => idsOf(body)))
    const lines = linesOf(changes).filter((line) => !elsewhere.has(digest(line)))
    if (own) return [refreshed(own, name, lines, bumps)]
    if (bumps.size === 0) return []
    const numbers = Array.from({ length: old.length + 1 }, (_, at) => at + 1)
    const file = numbers.map((number) => fileOf(name, number)).find((one) => !old.includes(one))
    return [
      {
        file: `.changeset/${file}`,
        status: 'new' as const,
        text: sealed(bumps, draftBody(name, lines)),
      },
    ]
  })
}

export function writeDrafts(drafts: readonly Draft[], tree: string): void {
  for (const { file, status, text } of drafts) {
    const path = join(tree, file)
    if (status === 'removed') rmSync(path)
    if (status !== 'new' && status !== 'refreshed') continue
    writeFileSync(`${path}.tmp`, text)
    renameSync(`${path}.tmp`, path)
  }
}

function fileOf(service: string, number: number): string {
  return `contract-${service}${number === 1 ? '' : `-${number}`}.md`
}

function isOf(file: string, service: string): boolean {
  return (
    file.startsWith(`contract-${service}`) && /^(?:-\d+)?\.md$/.test(file.slice(`contract-${service}`.length))
  )
}

function refreshed(known: ChangesetFile, service: string, lines: readonly string[], bumps: Bumps): Draft {
  const file = `.changeset/${known.file}`
  const isUntouched = seal(known.bumps, known.body) === MARK.exec(known.body)?.groups?.['seal']
  if (isUntouched && lines.length === 0) return { file, status: 'removed', text: '' }
  const text = isUntouched
    ? sealed(bumps, draftBody(service, lines))
    : printed(raised(known.bumps, bumps), withList(known.body, service, lines))
  return { file, status: text === printed(known.bumps, known.body) ? 'unchanged' : 'refreshed', text }
}

function linesOf(changes: readonly Change[]): string[] {
  const { shown, counted } = split(changes)
  const summaries = [
    ...(counted.some(({ kind }) => kind === 'text-changed') ? ['Descriptions changed.'] : []),
    ...(counted.some(({ kind }) => kind === 'example-changed') ? ['Examples changed.'] : []),
  ]
  return [...new Set([...shown.map((change) => `${change.message}${breakage(change)}`), ...summaries])]
}

function breakage(change: Change): string {
  if (verdictOf(change) !== 'major') return ''
  if (change.wire !== 'major') return ' Breaking in TypeScript.'
  return change.typescript === 'major' ? ' Breaking.' : ' Breaking on the wire.'
}

/**
 * The comment before the list. It contains a digest of each line that the tool wrote, and a digest of the whole file
 * (`seal`), which shows whether a person has edited the file.
 */
const MARK = /<!-- npm run plan: (?<service>[\w-]+)(?<ids>(?: [0-9a-f]{8})*) seal (?<seal>[0-9a-f]{8}) -->/
const END = '<!-- end of the list -->'

function draftBody(service: string, lines: readonly string[]): string {
  return `\nThis release changes the contract of ${service}.\n\n${listText(service, lines, lines.map(digest))}\n`
}

function listText(service: string, lines: readonly string[], ids: readonly string[]): string {
  const mark = `<!-- npm run plan: ${[service, ...ids].join(' ')} seal 00000000 -->`
  return [mark, '', ...lines.map((line) => `- ${line}`), '', END].join('\n')
}

/** Updates the list in an edited changeset. */
function withList(body: string, service: string, lines: readonly string[]): string {
  const mark = MARK.exec(body)
  const end = mark ? body.indexOf(END, mark.index) : -1
  if (!mark || end < 0) return body
  const ids = idsOf(body)
  const inside = body.slice(mark.index + mark[0].length, end).split('\n')
  const kept = inside.filter((line) => !ids.includes(digest(line.slice(2))) || lines.includes(line.slice(2)))
  const added = lines.filter((line) => !ids.includes(digest(line)))
  const all = [...new Set([...ids, ...lines.map(digest)])]
  if (kept.length === inside.length && added.length === 0) return body
  const text = [...kept.join('\n').trim().split('\n').filter(Boolean), ...added.map((line) => `- ${line}`)]
  const head = `<!-- npm run plan: ${[service, ...all].join(' ')} seal ${mark.groups?.['seal'] ?? ''} -->`
  return `${body.slice(0, mark.index)}${[head, '', ...text, '', END].join('\n')}${body.slice(end + END.length)}`
}

function idsOf(body: string): string[] {
  return (MARK.exec(body)?.groups?.['ids'] ?? '').split(' ').filter(Boolean)
}

function raised(known: Bumps, bumps: Bumps): Bumps {
  const all = new Map(known)
  for (const [name, bump] of bumps) {
    const declared = known.get(name) ?? 'none'
    if (exceeds(bump, declared)) all.set(name, highest([bump, declared]))
  }
  return all
}

function sealed(bumps: Bumps, body: string): string {
  return printed(bumps, body.replace('seal 00000000', `seal ${seal(bumps, body)}`))
}

/** Returns the digest of a changeset. The digest doesn't depend on the seal that the changeset already contains. */
function seal(bumps: Bumps, body: string): string {
  return digest(printed(bumps, body.replace(/seal [0-9a-f]{8} -->/, 'seal 00000000 -->')))
}

function printed(bumps: Bumps, body: string): string {
  return `---\n${[...bumps].map(([name, bump]) => `'${name}': ${bump}\n`).join('')}---\n${body}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
