// Checks the documentation: code blocks compile, links work, the glossary is short, and every promise has tests.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { repositoryAddress } from '../../../release/src/repository.ts'
import { root, workspaceFiles } from '../workspace.ts'
import { codeBlocks, exampleBlocks } from './code-blocks.ts'
import { checkGlossary } from './glossary.ts'
import { brokenLinks } from './links.ts'
import { comparePromises, linkPromises, promisedIds, testedIds } from './promises.ts'

const problems: string[] = []
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = workspaceFiles('*.md', '**/*.md').filter(
  (path) => !/^(\.changeset|docs\/api)\/|CHANGELOG\.md$/.test(path),
)

// Blocks are compiled in examples/, where every published package can be imported.
const folder = join(root, 'examples', '.docs')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const sources = workspaceFiles('packages/*/src/*.ts').filter((path) => !/\.(gen|test)\.ts$/.test(path))
const blocks = [
  ...pages.flatMap((page) => codeBlocks(page, read(page))),
  ...sources.flatMap((path) => exampleBlocks(path, read(path))),
]
const names = new Map(blocks.map((block, index) => [`block-${index}.ts`, block]))
for (const [name, block] of names) writeFileSync(join(folder, name), block.code)
writeFileSync(
  join(folder, 'tsconfig.json'),
  JSON.stringify({ extends: '../../tsconfig.base.json', include: ['*.ts'] }),
)
if (blocks.length > 0) {
  const compiled = spawnSync('tsc', ['--noEmit', '-p', folder, '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (compiled.error) throw compiled.error
  for (const line of compiled.stdout.split('\n')) {
    const [, name = '', at = ''] = /([\w-]+\.ts)\((\d+),/.exec(line) ?? []
    const block = names.get(name)
    if (block)
      problems.push(
        `${block.page}, line ${at} of the block at line ${block.line}: ${line.slice(line.indexOf('error'))}`,
      )
    else if (line.includes('error')) problems.push(line)
  }
}
if (problems.length === 0) rmSync(folder, { recursive: true, force: true })

const address = repositoryAddress(root)
for (const path of pages) problems.push(...brokenLinks(root, { path, markdown: read(path) }, address))

const glossary = 'docs/glossary.md'
const otherPages = pages.filter((path) => path !== glossary).map(read)
problems.push(...checkGlossary(read(glossary), otherPages.join('\n')))

const tested = new Map<string, string[]>()
for (const path of workspaceFiles('packages/**/*.test.ts')) {
  for (const id of testedIds(read(path))) tested.set(id, [...(tested.get(id) ?? []), path])
}
const promisesPage = 'docs/promises.md'
problems.push(...comparePromises(promisedIds(read(promisesPage)), tested))
const linked = linkPromises(read(promisesPage), tested)
if (process.argv.includes('--update')) writeFileSync(join(root, promisesPage), linked)
else if (linked !== read(promisesPage))
  problems.push(
    `${promisesPage}: the links to the tests are outdated; run: npx pnpm --filter @concord/check run docs --update`,
  )

for (const problem of problems) console.error(problem)
console.log(
  `docs: ${pages.length} pages, ${blocks.length} code blocks compiled, ${tested.size} promises with tests, ${problems.length} problems`,
)
process.exit(problems.length === 0 ? 0 : 1)
