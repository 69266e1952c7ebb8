// Usage: npm run surface [-- PACKAGE ...]
// Updates the reports in docs/api, which list what the built packages export.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { root } from '../workspace.ts'
import { compareSurface, entryPoints, reportOf } from './surface.ts'

const all = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
)
const asked = process.argv.slice(2)
const unknown = asked.find((name) => !all.includes(name))
if (unknown !== undefined) {
  console.error(`surface: unknown package \`${unknown}\`. Valid names: ${all.join(', ')}.`)
  process.exit(2)
}

const problems: string[] = []
let reports = 0
for (const point of (asked.length > 0 ? asked : all).flatMap((name) => entryPoints(`packages/${name}`))) {
  const report = join(root, reportOf(point))
  const before = existsSync(report) ? readFileSync(report, 'utf8') : ''
  const problem = compareSurface(point, true)
  reports += 1
  if (problem !== undefined) {
    problems.push(problem)
    continue
  }
  const after = readFileSync(report, 'utf8')
  if (after !== before)
    console.log(
      `changed  ${reportOf(point)} (+${linesOnlyIn(after, before)} -${linesOnlyIn(before, after)} lines)`,
    )
}
for (const problem of problems) console.error(problem)
console.log(`surface: ${reports} reports compared with what the packages export`)
process.exitCode = problems.length === 0 ? 0 : 1

function linesOnlyIn(one: string, other: string): number {
  const known = new Set(other.split('\n'))
  return one.split('\n').filter((line) => !known.has(line)).length
}
