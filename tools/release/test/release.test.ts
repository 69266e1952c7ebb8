import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { createEmulator } from '@concord/emulator'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { pendingChangesets, versionPackages, type ReleaseContext } from '../src/publish.ts'
import { startRegistry, type Registry } from '../src/registry.ts'
import { release } from '../src/release.ts'
import { moveRepository, repositoryAddress } from '../src/repository.ts'
import { copyWorkspace, publishedFolders, root, type WorkspaceCopy } from '../src/workspace-copy.ts'

let registry: Registry
let copy: WorkspaceCopy
let context: ReleaseContext
const before = new Map(publishedFolders().map(({ name, version }) => [name, version]))

beforeAll(async () => {
  registry = await startRegistry()
  copy = copyWorkspace()
  context = { folder: copy.folder, environment: registry.environment }
  // Right after a release, there are no changesets to test with.
  const names = [...before.keys()]
  if (pendingChangesets(copy.folder).length === 0)
    writeFileSync(
      join(copy.folder, '.changeset/next.md'),
      `---\n${names.map((name) => `'${name}': patch\n`).join('')}---\n\nFixed.\n`,
    )
  versionPackages(context)
})

afterAll(async () => {
  copy?.close()
  await registry?.close()
})

const run = (command: string, ...words: string[]): string =>
  execFileSync(command, words, { cwd: copy.folder, env: registry.environment, encoding: 'utf8' })

it('raises the versions that the changesets name, and leaves no changeset behind', () => {
  const raised = publishedFolders(copy.folder).filter(({ name, version }) => before.get(name) !== version)
  expect(raised.length).toBeGreaterThan(0)
  expect(pendingChangesets(copy.folder)).toEqual([])
  const changed = run('git', 'status', '--porcelain', '--untracked-files=no').split('\n').filter(Boolean)
  expect(
    changed.filter(
      (line) =>
        !/^ M (?:specs|packages\/[\w-]+)\/(?:package\.json|CHANGELOG\.md)$|^ D \.changeset\//.test(line),
    ),
  ).toEqual([])
})

it('writes a changelog of plain sentences into every package that is released', () => {
  for (const { folder, version } of publishedFolders(copy.folder)) {
    const changelog = readFileSync(join(copy.folder, folder, 'CHANGELOG.md'), 'utf8')
    expect(changelog).toContain(`\n## ${version}\n`)
    expect(changelog, folder).not.toMatch(/\b[0-9a-f]{7}\b:|Updated dependencies \[/)
  }
})

it('publishes every package with a correct tarball, tags the commit, and then has nothing left to do', () => {
  run('git', 'add', '--all')
  run('git', 'commit', '--quiet', '--message=Raise versions')
  const releases = release(context, join(copy.folder, 'packed'))
  expect(releases.map(({ name }) => name).toSorted()).toEqual([...before.keys()].toSorted())
  const tags = run('git', 'tag').trim().split('\n')
  expect(tags.toSorted()).toEqual(releases.map(({ name, version }) => `${name}@${version}`).toSorted())
  expect(release(context, join(copy.folder, 'packed/again'))).toEqual([])
})

it('lets an empty project install one client with only the runtime, and process a document', async () => {
  const project = join(copy.folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  cpSync(join(root, 'tools/release/consumer/flow.mjs'), join(project, 'flow.mjs'))
  run('npm', 'install', '--prefix', project, '--loglevel=error', '@concord/extraction')

  const installed = readdirSync(join(project, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:^|node_modules\/)(?:@[\w-]+\/)?[\w-]+\/package\.json$/.test(path))
    .map(dirname)
  expect(installed.toSorted()).toEqual(['@concord/extraction', '@concord/runtime'])

  await using emulator = await createEmulator({
    extraction: { choices: { courseOf: () => ({ queuedMs: 1, processingMs: 1 }) } },
  })
  const { baseUrl, apiKey } = (await emulator.serve({ services: ['extraction'] })).extraction
  const document = join(root, 'tools/consumers/projects/node/receipt.png')
  const words = ['flow.mjs', baseUrl, apiKey, document]
  const { stdout } = await promisify(execFile)('node', words, { cwd: project, env: registry.environment })
  expect(stdout).toContain('all good')
})

it('moves to another repository without a trace of the old URL', () => {
  const old = new URL(repositoryAddress(copy.folder)).pathname.slice(1)
  const mentions = () =>
    run('git', 'ls-files')
      .split('\n')
      .filter((path) => path !== '' && !path.endsWith('.test.ts'))
      .filter((path) => readFileSync(join(copy.folder, path), 'utf8').includes(old))
  expect(mentions().length).toBeGreaterThan(12)
  moveRepository(copy.folder, 'https://code.example/acme/clients')
  expect(mentions()).toEqual([])
})
