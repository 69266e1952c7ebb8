import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'

import { defaultExtractionChoices } from '../src/index.ts'

const readme = new URL('../README.md', import.meta.url)
const source = readFileSync(new URL('../src/extraction/choices.ts', import.meta.url), 'utf8')

/** What the comment on each member of `ExtractionChoices` says. */
function commentsOf(text: string): Map<string, string> {
  const body = text.slice(text.indexOf('export interface ExtractionChoices'))
  const members = body.slice(0, body.indexOf('\n}\n')).matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s+(\w+)[:(]/gs)
  return new Map(
    [...members].map(([, comment = '', name = '']) => [
      name,
      comment
        .replaceAll(/\n\s*\*/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ]),
  )
}

function showDefault(value: unknown): string {
  if (typeof value === 'function') return 'function'
  if (value === undefined) return 'none'
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const entries = Object.entries(value)
    if (entries.some(([, entry]) => typeof entry === 'function'))
      return `functions: ${entries.map(([name]) => `\`${name}\``).join(', ')}`
    return entries.map(([name, entry]) => `\`${name}\`: \`${JSON.stringify(entry)}\``).join(', ')
  }
  return `\`${JSON.stringify(value)}\``
}

test('the README lists every choice, with the words and the default of the code', () => {
  const comments = commentsOf(source)
  const names = Object.keys(defaultExtractionChoices)
  expect([...comments.keys()].sort()).toEqual([...names].sort())
  for (const [name, comment] of comments)
    expect(comment, name).toMatch(/^(Not shown|Not the service's): .{10,}\.$/)
  const rows = [...comments].map(
    ([name, comment]) =>
      `| \`${name}\` | ${comment} | ${showDefault(defaultExtractionChoices[name as keyof typeof defaultExtractionChoices])} |`,
  )
  const table = [
    '| choice | what is not shown, and what holds instead | default |',
    '|---|---|---|',
    ...rows,
  ].join('\n')
  const text = readFileSync(readme, 'utf8')
  const written = text.replace(
    /<!-- choices -->.*<!-- \/choices -->/s,
    () => `<!-- choices -->\n${table}\n<!-- /choices -->`,
  )
  // To renew the table: WRITE_README=1 vitest run test/readme.test.ts
  if (process.env['WRITE_README'] === '1') writeFileSync(readme, written)
  else expect(text).toBe(written)
})
