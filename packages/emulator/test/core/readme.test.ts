import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import * as emulator from '../../src/index.ts'

const readme = new URL('../../CHOICES.md', import.meta.url)
const sources = new URL('../../src/', import.meta.url)
const exported: Readonly<Record<string, unknown>> = emulator

/** The services with choices: the folder, the name of the interface, and the defaults. */
const services = readdirSync(sources)
  .filter((folder) => folder !== 'core' && existsSync(new URL(`${folder}/choices.ts`, sources)))
  .map((folder): [folder: string, interfaceName: string, defaults: object] => {
    const name = folder.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
    return [folder, `${name}Choices`, exported[`default${name}Choices`] as object]
  })

/** A choice as the code declares it. */
interface Declared {
  about: string
  /** The name with parameters and type, on one line. */
  signature: string
}

/** Returns the members of an interface with their docstrings. */
function membersOf(text: string, interfaceName: string): Map<string, Declared> {
  const body = text.slice(text.indexOf(`export interface ${interfaceName}`))
  const members = body
    .slice(0, body.indexOf('\n}\n'))
    .matchAll(/ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n {2}((\w+)[:(<].*?)(?=\n{1,2} {2}\/[/*]|$)/gs)
  return new Map(
    [...members].map(([, comment = '', signature = '', name = '']) => [
      name,
      {
        about: onOneLine(comment.replaceAll(/\n\s*\*/g, ' ')),
        // The members of an object type are on separate lines, without separators.
        signature: onOneLine(signature.replaceAll(/(?<![{|(<,])\n(?=\s+\w+\??[:(])/g, '; ')),
      },
    ]),
  )
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

const everyService = readFileSync(new URL('../../src/core/service.ts', import.meta.url), 'utf8')

/** Escapes a string for a table cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

function showValue(value: unknown): string {
  if (typeof value === 'function') return 'function'
  return `\`${value === Infinity ? 'Infinity' : JSON.stringify(value)}\``
}

function showDefault(value: unknown): string {
  if (value === undefined) return 'none'
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const members = Object.entries(value).map(([name, entry]) => `\`${name}\`: ${showValue(entry)}`)
    return members.join(', ') || '`{}`'
  }
  return showValue(value)
}

it.each(services)(
  'CHOICES.md lists every choice of %s, with its docstring and default from the code',
  (folder, interfaceName, defaults) => {
    const source = readFileSync(new URL(`../../src/${folder}/choices.ts`, import.meta.url), 'utf8')
    const inherited = source.includes(`${interfaceName} extends ResponseChoices`)
    const declared = new Map([
      ...(inherited ? membersOf(everyService, 'ResponseChoices') : []),
      ...membersOf(source, interfaceName),
    ])
    expect([...declared.keys()].sort()).toEqual(Object.keys(defaults).sort())
    for (const [name, { about }] of declared)
      expect(about, name).toMatch(/^(Undocumented|Emulator only): .{10,}\.$/)
    const values = new Map(Object.entries(defaults))
    const rows = [...declared].map(([name, { about, signature }]) =>
      [`| \`${name}\``, `\`${cell(signature)}\``, cell(about), `${showDefault(values.get(name))} |`].join(
        ' | ',
      ),
    )
    const table = [
      '| choice | signature | what the documentation leaves open, and what the emulator does | default |',
      '|---|---|---|---|',
      ...rows,
    ].join('\n')
    const text = readFileSync(readme, 'utf8')
    const marks = [`<!-- choices of ${folder} -->`, `<!-- /choices of ${folder} -->`] as const
    expect(text).toContain(marks[0])
    const [before = '', rest = ''] = text.split(marks[0])
    const written = `${before}${marks[0]}\n${table}\n${marks[1]}${rest.split(marks[1])[1]}`
    // To update the tables: WRITE_README=1 vitest run test/core/readme.test.ts
    if (process.env['WRITE_README'] === '1') writeFileSync(readme, written)
    else expect(text).toBe(written)
  },
)
