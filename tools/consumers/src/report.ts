import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

import type { Outcome } from './consumer.ts'

/** Formats an outcome as one line for a terminal, with the reason below it. */
export function describe({ name, what, result, seconds, reason }: Outcome): string {
  const line = `${result.toUpperCase().padEnd(11)} ${name.padEnd(20)} ${what} (${seconds.toFixed(1)} s)`
  return reason === undefined ? line : `${line}\n${reason.replaceAll(/^/gm, '    ')}`
}

/** Formats all outcomes as a table, with the failures last. */
export function table(outcomes: readonly Outcome[]): string {
  const order = ['passed', 'unavailable', 'failed']
  const rows = outcomes
    .toSorted((one, other) => order.indexOf(one.result) - order.indexOf(other.result))
    .map(({ name, group, result, seconds }) => [name, group, result, `${seconds.toFixed(1)} s`])
  const all = [['consumer', 'group', 'result', 'time'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n')
}

export function summarize(outcomes: readonly Outcome[]): string {
  const count = (result: Outcome['result']): number =>
    outcomes.filter((outcome) => outcome.result === result).length
  return `consumers: ${count('passed')} passed, ${count('failed')} failed, ${count('unavailable')} unavailable`
}

export function toJunit(outcomes: readonly Outcome[]): string {
  const cases = outcomes.map(({ name, what, result, seconds, reason = '' }) => {
    const attributes = `classname="consumers" name="${escape(`${name}: ${what}`)}" time="${seconds.toFixed(3)}"`
    if (result === 'passed') return `  <testcase ${attributes}/>`
    const element = result === 'failed' ? 'failure' : 'skipped'
    return `  <testcase ${attributes}><${element} message="${escape(reason)}"/></testcase>`
  })
  const count = (result: Outcome['result']): number =>
    outcomes.filter((each) => each.result === result).length
  const head = `tests="${outcomes.length}" failures="${count('failed')}" skipped="${count('unavailable')}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="consumers" ${head}>\n${cases.join('\n')}\n</testsuite>\n`
}

export function writeReport(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}

/** Escapes text for XML. Removes control characters, such as those for terminal colors: XML doesn't allow them. */
const escape = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\n]/gu, '').replaceAll(/[&<>"\n]/g, (letter) => ENTITIES[letter] ?? '')
