import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { planRelease } from '../src/index.ts'
import { Repository } from './repository.ts'
import type { Step } from './support.ts'

const addField: Step = ['http', '/components/schemas/Parcel/properties/color', 'set', { type: 'string' }]
const renameOperation: Step = ['http', '/paths/~1parcels/get/operationId', 'set', 'readParcels']
const tightenRetry: Step = ['http', '/paths/~1parcels~1{id}/get/x-retry/class', 'set', 'never']
const addExample: Step = ['http', '/components/schemas/Parcel/examples', 'set', [{ id: '1', status: 'lost' }]]

describe('the base of a plan', () => {
  it('compares with nothing before the first release, so that no package needs a bump', async () => {
    const { root } = new Repository()

    const plan = await planRelease({ tree: root })

    expect(plan).toEqual({
      base: { kind: 'none', label: '' },
      services: [{ name: 'parcels', status: 'new' }],
      changes: [],
      packages: [],
      verdict: 'none',
    })
  })

  it('compares with the last release in the history of the tree', async () => {
    const repository = new Repository()
    repository.release('1.0.0')
    repository.edit(renameOperation)
    repository.commit('Rename')
    repository.release('2.0.0')
    repository.edit(renameOperation, addField)

    const plan = await planRelease({ tree: repository.root })

    expect(plan.base).toMatchObject({ kind: 'release', label: '@concord/specs@2.0.0' })
    expect(plan.changes.map(({ message }) => message)).toEqual([
      'Adds the optional response field `color` to `Parcel`.',
    ])
  })

  it('compares with a branch, a folder of contracts, a checkout or a packed package', async () => {
    const repository = new Repository()
    const { root } = repository
    const other = new Repository()
    other.edit(renameOperation)
    cpSync(join(other.root, 'specs'), join(other.root, 'package'), { recursive: true })
    execFileSync('tar', ['-czf', 'specs.tgz', 'package'], { cwd: other.root })
    repository.edit(addField)
    const bases = ['main', join(other.root, 'specs'), other.root, join(other.root, 'specs.tgz')]

    const plans = await Promise.all(bases.map((base) => planRelease({ tree: root, base })))

    expect(plans.map(({ base }) => base.kind)).toEqual(['commit', 'folder', 'folder', 'tarball'])
    const messages = plans.map(({ changes }) => changes.map(({ message }) => message))
    const added = 'Adds the optional response field `color` to `Parcel`.'
    const renamed = 'Renames the operation `readParcels` to `listParcels`.'
    expect(messages).toEqual([[added], [renamed, added], [renamed, added], [renamed, added]])
  })

  it.each([
    ['nowhere', 'No commit, folder or file is named `nowhere`'],
    ['packages', 'packages has no contracts'],
    ['specs/package.json', "specs/package.json can't be read as a packed package"],
  ])('rejects a base without contracts: %s', async (base, reason) => {
    const { root } = new Repository()

    await expect(planRelease({ tree: root, base })).rejects.toThrow(reason)
  })

  it('rejects a shallow clone, which hides the last release', async () => {
    const { root } = new Repository()
    const clone = new Repository().root
    rmSync(clone, { recursive: true })
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${root}`, clone])

    await expect(planRelease({ tree: clone })).rejects.toThrow('git fetch --unshallow --tags')
  })

  it("fails if git can't list the releases, unless a base is named", async () => {
    const { root } = new Repository()
    rmSync(join(root, '.git'), { recursive: true })

    await expect(planRelease({ tree: root })).rejects.toThrow("the last release can't be found")
    await expect(planRelease({ tree: root, base: 'specs' })).resolves.toMatchObject({ verdict: 'none' })
  })

  it("doesn't parse a contract that is the same as at the base", async () => {
    const repository = new Repository()
    repository.write('specs/parcels/openapi.yaml', 'openapi: [this never ends')
    repository.commit('Break the contract')

    const plan = await planRelease({ tree: repository.root, base: 'HEAD' })

    expect(plan).toMatchObject({ services: [{ name: 'parcels', status: 'unchanged' }], changes: [] })
  })
})

describe('the packages of a plan', () => {
  const bumpsAfter = async (repository: Repository, ...steps: readonly Step[]): Promise<object> => {
    repository.edit(...steps)
    const { packages } = await planRelease({ tree: repository.root, base: 'HEAD' })
    return Object.fromEntries(packages.map(({ name, bump }) => [name.replace('@concord/', ''), bump]))
  }

  it('plans specs, client, validators and emulator if types and the wire change', async () => {
    expect(await bumpsAfter(new Repository(), addField)).toEqual({
      specs: 'minor',
      parcels: 'minor',
      'parcels-validators': 'minor',
      emulator: 'minor',
    })
  })

  it('plans the emulator for a renamed operation, which its faults and handlers name', async () => {
    expect(await bumpsAfter(new Repository(), renameOperation)).toMatchObject({ emulator: 'major' })
  })

  it("doesn't plan the validators if only the rules for retries change", async () => {
    expect(await bumpsAfter(new Repository(), tightenRetry)).toEqual({
      specs: 'major',
      parcels: 'major',
      emulator: 'major',
    })
  })

  it('plans only the specs if only examples change', async () => {
    expect(await bumpsAfter(new Repository(), addExample)).toEqual({ specs: 'patch' })
  })

  it('plans at most a minor bump for versions 0.x, and keeps the verdict', async () => {
    const repository = new Repository('0.4.1')
    repository.edit(renameOperation)

    const { packages, verdict } = await planRelease({ tree: repository.root, base: 'HEAD' })

    expect(verdict).toBe('major')
    expect(new Set(packages.map((one) => `${one.verdict} ${one.bump}`))).toEqual(new Set(['major minor']))
  })

  it("doesn't count changesets that already exist at the base", async () => {
    const repository = new Repository()
    repository.write('.changeset/old.md', "---\n'@concord/specs': major\n---\n\nOld.\n")
    repository.commit('An earlier change')
    repository.write('.changeset/new.md', '---\n"@concord/emulator": minor\n---\n\nNew.\n')
    repository.edit(addField)

    const { packages } = await planRelease({ tree: repository.root, base: 'HEAD' })

    expect(packages.map(({ name, declared }) => [name, declared])).toEqual([
      ['@concord/specs', 'none'],
      ['@concord/parcels', 'none'],
      ['@concord/parcels-validators', 'none'],
      ['@concord/emulator', 'minor'],
    ])
  })
})

describe('whole services', () => {
  it('rates a new service as minor, and a removed one as major', async () => {
    const repository = new Repository()
    repository.write('specs/boxes/openapi.yaml', 'openapi: 3.1.0\n')
    rmSync(join(repository.root, 'specs/parcels'), { recursive: true })

    const plan = await planRelease({ tree: repository.root, base: 'HEAD' })

    expect(plan.services).toEqual([
      { name: 'boxes', status: 'new' },
      { name: 'parcels', status: 'removed' },
    ])
    expect(plan.changes.map(({ message, wire }) => [message, wire])).toEqual([
      ['Adds the service `boxes`.', 'minor'],
      ['Removes the service `parcels`.', 'major'],
    ])
  })
})

describe('formats', () => {
  it('rates a changed format as breaking for the services that use it', async () => {
    const repository = new Repository()
    repository.write('specs/formats.json', '{"date-time": {"pattern": "a"}, "other": {"pattern": "a"}}')
    repository.commit('Define formats')
    repository.write('specs/formats.json', '{"date-time": {"pattern": "b"}, "other": {"pattern": "b"}}')

    const { changes } = await planRelease({ tree: repository.root, base: 'HEAD' })

    expect(changes.map(({ message, wire, place }) => [message, wire, place.file])).toEqual([
      ['Changes the string format `date-time`.', 'major', 'specs/formats.json'],
    ])
  })
})
