import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { packPackages, publishPacked, versionPackages } from '../src/publish.ts'
import { startRegistry, type Registry } from '../src/registry.ts'
import { ReleaseError } from '../src/release-error.ts'
import { release } from '../src/release.ts'
import { smallWorkspace } from '../test-support/small-workspace.ts'

let folder: string
let denying: Registry
let accepting: Registry

beforeAll(async () => {
  ;[denying, accepting] = await Promise.all([startRegistry({ denied: ['second'] }), startRegistry()])
  folder = smallWorkspace(['first', 'second', 'third'], '1.0.0', accepting.environment)
})

afterAll(async () => {
  await Promise.all([denying?.close(), accepting?.close()])
  rmSync(folder, { recursive: true, force: true })
})

function writeChangeset(name: string, packages: string, news: string): void {
  writeFileSync(join(folder, '.changeset', name), `---\n${packages}\n---\n\n${news}\n`)
}

it('says which packages were published, and which were not, if the registry denies one', () => {
  const context = { folder, environment: denying.environment }
  const packed = join(folder, 'packed-1')
  packPackages(context, packed)
  let message = ''
  try {
    publishPacked(context, packed)
  } catch (error) {
    expect(error).toBeInstanceOf(ReleaseError)
    message = (error as Error).message
  }
  expect(message).toContain('Published: first.')
  expect(message).toContain('Not published: second@1.0.0, third@1.0.0.')
  expect(message).toContain('run the same command again')
})

it('continues an unfinished release with the packages that are missing', () => {
  const context = { folder, environment: accepting.environment }
  const words = ['publish', './packages/first', '--loglevel=error']
  execFileSync('npm', words, { cwd: folder, env: context.environment })
  const packed = join(folder, 'packed-2')
  expect(packPackages(context, packed).map(({ name }) => name)).toEqual(['second', 'third'])
  publishPacked(context, packed)
  expect(packPackages(context, join(folder, 'packed-3'))).toEqual([])
})

it('publishes nothing if files are uncommitted', () => {
  expect(() => release({ folder, environment: accepting.environment }, join(folder, 'packed-4'))).toThrow(
    'The working tree has uncommitted files',
  )
})

it('publishes nothing if changesets are unreleased', () => {
  writeChangeset('faster.md', "'first': minor", 'Faster.')
  expect(() => release({ folder, environment: accepting.environment }, join(folder, 'packed-5'))).toThrow(
    'A changeset is unreleased (faster.md), and this release would leave it out.',
  )
})

it("changes no file if a changeset names a package that doesn't exist", () => {
  writeChangeset('first-release-first.md', "'first': minor", 'News.')
  writeChangeset('broken.md', "'frist': minor", 'News.')
  const context = { folder, environment: accepting.environment }
  const status = () => execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' })
  const untouched = status()
  expect(() => versionPackages(context)).toThrow('frist')
  expect(status()).toBe(untouched)
  rmSync(join(folder, '.changeset/broken.md'))
})

it('describes a first release with its own changesets, and drops others of the same packages', () => {
  writeChangeset('first-release-first.md', "'first': minor", 'First release.')
  writeChangeset('new-second.md', "'second': minor\n'first': minor", 'Second is new.')
  versionPackages({ folder, environment: accepting.environment })
  const changelog = readFileSync(join(folder, 'packages/first/CHANGELOG.md'), 'utf8')
  expect(changelog).toContain('First release.')
  expect(changelog).toContain('Second is new.')
  expect(changelog).not.toContain('Faster.')
})
