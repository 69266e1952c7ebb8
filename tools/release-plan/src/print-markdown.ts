import type { Change } from './findings.ts'
import { type ReleasePlan, verdictOf } from './plan.ts'
import {
  baseText,
  bumpText,
  countedSentence,
  lacking,
  NO_RELEASE,
  split,
  versionSentences,
} from './report.ts'
import { exceeds } from './verdict.ts'

/** Renders the plan as a comment for a pull request. */
export function markdownText(plan: ReleasePlan): string {
  const lines = ['## Release plan', '']
  if (plan.base.kind === 'none') return [...lines, NO_RELEASE, ''].join('\n')
  if (plan.changes.length === 0)
    return [...lines, `The contracts are equivalent to those of ${baseText(plan)}.`, ''].join('\n')
  lines.push(`Compared with ${baseText(plan)}.`, '')
  for (const { name } of plan.services) {
    const own = plan.changes.filter(({ service }) => service === name)
    if (own.length === 0) continue
    const { shown, counted } = split(own)
    lines.push(`### ${name}`, '')
    if (shown.length > 0)
      lines.push('| on the wire | in TypeScript | change |', '|---|---|---|', ...shown.map(row), '')
    if (counted.length > 0) lines.push(`${countedSentence(counted)}.`, '')
    for (const sentence of versionSentences(plan, name)) lines.push(sentence, '')
  }
  lines.push('### Releases', '', '| package | needs | declared |', '|---|---|---|')
  for (const one of plan.packages)
    lines.push(
      `| ${one.name} | ${bumpText(one)} | ${exceeds(one.bump, one.declared) ? `**too low: ${one.declared}**` : one.declared} |`,
    )
  if (lacking(plan).length > 0)
    lines.push('', 'Run `npm run plan -- --write` to draft the missing changesets.')
  return [...lines, ''].join('\n')
}

function row(change: Change): string {
  const { wire, typescript, message, why, place } = change
  const bold = (verdict: string): string => (verdict === 'major' ? '**major**' : verdict)
  const text = `${message}${verdictOf(change) === 'major' ? ` ${why}` : ''}`
  return `| ${bold(wire)} | ${bold(typescript)} | ${text.replaceAll('|', '\\|')}<br>\`${place.file}:${place.line}\` |`
}
