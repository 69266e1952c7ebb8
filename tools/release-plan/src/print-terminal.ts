import { type ReleasePlan, verdictOf } from './plan.ts'
import {
  baseText,
  bumpText,
  countedSentence,
  NO_RELEASE,
  placeText,
  split,
  versionSentences,
} from './report.ts'
import { exceeds } from './verdict.ts'

export function terminalText(plan: ReleasePlan): string {
  if (plan.base.kind === 'none') return `${NO_RELEASE}\n`
  const changed = plan.services.filter(({ status }) => status !== 'unchanged')
  if (plan.changes.length === 0)
    return `The contracts are equivalent to those of ${baseText(plan)}${changed.length > 0 ? '; only comments or layout differ' : ''}.\n`
  const lines = [`Changes to the contracts since ${baseText(plan)}:`]
  for (const { name } of plan.services) {
    const own = plan.changes.filter(({ service }) => service === name)
    if (own.length === 0) continue
    const { shown, counted } = split(own)
    lines.push('', name, '', ...table(['wire', 'TypeScript', ''], shown.flatMap(rows)))
    if (counted.length > 0) lines.push(`  ${countedSentence(counted)}.`)
    lines.push(...versionSentences(plan, name).map((sentence) => `  ${sentence}`))
  }
  lines.push('', 'Releases', '')
  const packages = plan.packages.map((one) => [
    one.name,
    bumpText(one),
    exceeds(one.bump, one.declared) ? `too low: ${one.declared}` : one.declared,
  ])
  lines.push(...table(['package', 'needs', 'declared'], packages), '')
  return lines.map((line) => line.trimEnd()).join('\n')
}

function rows(change: ReleasePlan['changes'][number]): string[][] {
  const { wire, typescript, message, why, usedBy } = change
  const isBreaking = verdictOf(change) === 'major'
  const users = usedBy.length > 0 && !usedBy.every((name) => message.includes(name)) ? usersText(usedBy) : ''
  return [
    [wire, typescript, message],
    ...(isBreaking ? [['', '', why]] : []),
    ['', '', `${placeText(change)}${users}`],
  ]
}

const MAX_USERS = 4

function usersText(users: readonly string[]): string {
  const more = users.length - MAX_USERS
  return `, used by ${users.slice(0, MAX_USERS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string[] {
  const all = [head, ...body]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all.map(
    (row) =>
      `  ${row.map((cell, column) => cell.padEnd(column === row.length - 1 ? 0 : (widths[column] ?? 0) + 2)).join('')}`,
  )
}
