import { expect, it } from 'vitest'

import { codeBlocks } from './code-blocks.ts'
import { checkGlossary } from './glossary.ts'
import { brokenLinks } from './links.ts'
import { comparePromises, linkPromises, promisedIds, testedIds } from './promises.ts'

it('finds the code blocks of a page and the declarations that they need', () => {
  const page = [
    'a',
    '<!-- given',
    'declare const x: number',
    '-->',
    '```ts',
    'x + 1',
    '```',
    '```sh',
    'ls',
    '```',
  ].join('\n')
  expect(codeBlocks('p.md', page)).toEqual([
    { page: 'p.md', line: 6, code: 'declare const x: number\nx + 1\nexport {}\n' },
  ])
})

it('rejects a code block without an end', () => {
  expect(() => codeBlocks('p.md', '```ts\nx')).toThrow('p.md:1')
})

it('finds the ids of promises and tests', () => {
  expect(promisedIds('| id | promise |\n|---|---|\n| R-01 | a |\n| R-22 | b |\n')).toEqual(['R-01', 'R-22'])
  expect(
    testedIds(`it('R-01: x', f); it.each([1, 2])('R-02, R-03: y', f); describe("R-09", f); const a = 'R-44'`),
  ).toEqual(['R-01', 'R-02', 'R-03', 'R-09'])
})

it('reports a promise without a test and a test without a promise', () => {
  expect(
    comparePromises(
      ['R-01', 'R-02'],
      new Map([
        ['R-01', ['a']],
        ['R-09', ['b']],
      ]),
    ),
  ).toEqual([expect.stringContaining('R-02 is promised'), expect.stringContaining('R-09 is tested in b')])
})

it('reports broken links, including URLs of files in the repository, and ignores other URLs and code', () => {
  const address = 'https://code.example/acme/concord'
  const markdown = `[x](c.md) [y](https://e.example) [z](#top) \`[q](r.md)\` [u](${address}/issues) [v](${address}/blob/main/d.md#e)`
  expect(brokenLinks('/missing', { path: 'a/b.md', markdown }, address)).toEqual([
    'a/b.md: the link c.md is broken',
    `a/b.md: the link ${address}/blob/main/d.md#e is broken`,
  ])
})

it('writes a table of the tests of each promise', () => {
  const page =
    '| R-01 | **A.** b. |\n| R-02 | c |\n\n## Tests\n\nHow.\n\n| id | tests |\n|---|---|\n| R-01 | old |\n'
  const linked = linkPromises(page, new Map([['R-01', ['packages/x/b.test.ts', 'packages/x/a.test.ts']]]))
  expect(linked).toBe(
    '| R-01 | **A.** b. |\n| R-02 | c |\n\n## Tests\n\nHow.\n\n| id | tests |\n|---|---|\n| R-01 | [a](../packages/x/a.test.ts), [b](../packages/x/b.test.ts) |\n| R-02 |  |\n',
  )
  expect(promisedIds(linked)).toEqual(['R-01', 'R-02'])
})

it('reports a term of the glossary that no other page uses, and more than 15 terms', () => {
  const row = (term: string) => `| **${term}** | meaning |\n`
  expect(checkGlossary(`# Glossary\n\n${row('gate')}${row('gap')}`, 'Gates are closed.')).toEqual([
    'docs/glossary.md explains `gap`, but no other page uses this term',
  ])
  expect(checkGlossary(row('gate').repeat(15), 'a gate')).toEqual([])
  expect(checkGlossary(row('gate').repeat(16), 'a gate')).toEqual([
    'docs/glossary.md explains 16 terms; 15 are allowed',
  ])
})
