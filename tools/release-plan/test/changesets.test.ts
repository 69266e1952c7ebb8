import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { draftChangesets, planRelease, writeDrafts } from '../src/index.ts'
import { Repository } from './repository.ts'
import type { Step } from './support.ts'

const FILE = '.changeset/contract-parcels.md'
const addField: Step = ['http', '/components/schemas/Parcel/properties/color', 'set', { type: 'string' }]
const addOther: Step = ['http', '/components/schemas/Parcel/properties/shape', 'set', { type: 'string' }]
const renameOperation: Step = ['http', '/paths/~1parcels/get/operationId', 'set', 'readParcels']
const addExample: Step = ['http', '/components/schemas/Parcel/examples', 'set', [{ id: '1', status: 'lost' }]]

const COLOR = '- Adds the optional response field `color` to `Parcel`.'
const SHAPE = '- Adds the optional response field `shape` to `Parcel`.'
const RENAME = '- Renames the operation `listParcels` to `readParcels`. Breaking in TypeScript.'

/** Drafts and writes the changesets, and returns what happened to each file. */
async function write({ root }: Repository, base = 'HEAD'): Promise<string[]> {
  const drafts = draftChangesets(await planRelease({ tree: root, base }), root)
  writeDrafts(drafts, root)
  return drafts.map(({ file, status }) => `${status} ${file}`)
}

const listOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('- '))

describe('a drafted changeset', () => {
  it('drafts a changeset with the bump of each package and a list of the changes between two comments', async () => {
    const repository = new Repository()
    repository.edit(addField, renameOperation, addExample)

    expect(await write(repository)).toEqual([`new ${FILE}`])

    expect(repository.read(FILE).replace(/[0-9a-f]{8}/g, '########')).toBe(`---
'@concord/specs': major
'@concord/parcels': major
'@concord/parcels-validators': major
'@concord/emulator': major
---

This release changes the contract of parcels.

<!-- npm run plan: parcels ######## ######## ######## seal ######## -->

${RENAME}
${COLOR}
- Examples changed.

<!-- end of the list -->
`)
  })

  it('drafts no changeset if nothing changes for a package', async () => {
    const repository = new Repository()
    repository.write(
      'specs/parcels/openapi.yaml',
      `# A comment.\n${repository.read('specs/parcels/openapi.yaml')}`,
    )

    expect(await write(repository)).toEqual([])
  })

  it('drafts the same changeset again if nothing else changed', async () => {
    const repository = new Repository()
    repository.edit(addField)
    await write(repository)
    const text = repository.read(FILE)

    expect(await write(repository)).toEqual([`unchanged ${FILE}`])
    expect(repository.read(FILE)).toBe(text)
  })

  it('lowers the bumps of an unedited changeset, and removes it once the change is undone', async () => {
    const repository = new Repository()
    repository.edit(addField, renameOperation)
    await write(repository)
    repository.edit(addField)

    expect(await write(repository)).toEqual([`refreshed ${FILE}`])
    expect(repository.read(FILE)).toContain("'@concord/parcels': minor")
    expect(listOf(repository.read(FILE))).toEqual([COLOR])

    repository.edit()
    expect(await write(repository)).toEqual([`removed ${FILE}`])
    expect(existsSync(join(repository.root, FILE))).toBe(false)
  })

  it('drafts a numbered changeset beside that of an earlier change', async () => {
    const repository = new Repository()
    repository.edit(addField)
    await write(repository)
    repository.commit('Add a field')
    const text = repository.read(FILE)
    repository.edit(addField, addOther)

    expect(await write(repository)).toEqual(['new .changeset/contract-parcels-2.md'])
    expect(listOf(repository.read('.changeset/contract-parcels-2.md'))).toEqual([SHAPE])
    expect(repository.read(FILE)).toBe(text)
  })
})

describe('several changesets of a service since the last release', () => {
  it('adds new lines to the last changeset of a service, without those of the others', async () => {
    const repository = new Repository()
    repository.release('1.2.0')
    repository.edit(addField)
    await write(repository)
    repository.commit('Add a field')
    repository.edit(addField, addOther)
    await write(repository)
    repository.edit(addField, addOther, renameOperation)

    expect(await write(repository, '@concord/specs@1.2.0')).toEqual([
      'refreshed .changeset/contract-parcels-2.md',
    ])

    expect(listOf(repository.read('.changeset/contract-parcels-2.md'))).toEqual([RENAME, SHAPE])
    expect(listOf(repository.read(FILE))).toEqual([COLOR])
  })
})

describe('a changeset that a person has edited', () => {
  const editedBy = async (edit: (text: string) => string): Promise<Repository> => {
    const repository = new Repository()
    repository.edit(addField)
    await write(repository)
    const [written, edited] = [repository.read(FILE), edit(repository.read(FILE))]
    expect(edited).not.toBe(written)
    repository.write(FILE, edited)
    return repository
  }

  it('keeps the text and the position of the list of an edited changeset, and raises its bumps', async () => {
    const repository = await editedBy((text) =>
      `${text}\nSee the guide.\n`.replace(
        'This release changes the contract of parcels.',
        'Parcels have colors.',
      ),
    )
    repository.edit(addField, renameOperation)

    expect(await write(repository)).toEqual([`refreshed ${FILE}`])

    const text = repository.read(FILE)
    expect(text).toContain("'@concord/parcels': major")
    expect(text).toContain('\nParcels have colors.\n')
    expect(text.endsWith('\nSee the guide.\n')).toBe(true)
    expect(listOf(text)).toEqual([COLOR, RENAME])
  })

  it("keeps a reworded line of a changeset, and doesn't restore the original", async () => {
    const repository = await editedBy((text) => text.replace(COLOR, '- Parcels have a color.'))
    repository.edit(addField, addOther)

    await write(repository)

    expect(listOf(repository.read(FILE))).toEqual(['- Parcels have a color.', SHAPE])
  })

  it('removes an untrue line from an edited changeset, and keeps its bumps', async () => {
    const repository = await editedBy((text) => text.replace('This release', 'Our release'))
    repository.edit(addField, renameOperation)
    await write(repository)
    repository.edit(addField)

    await write(repository)

    expect(repository.read(FILE)).toContain("'@concord/parcels': major")
    expect(listOf(repository.read(FILE))).toEqual([COLOR])
  })

  it('keeps a higher bump and an additional package in an edited changeset', async () => {
    const repository = await editedBy((text) =>
      text.replace("'@concord/emulator': minor", "'@concord/emulator': major\n'@concord/runtime': patch"),
    )
    repository.edit(addField, addOther)

    await write(repository)

    expect(repository.read(FILE)).toContain("'@concord/emulator': major\n'@concord/runtime': patch\n")
  })

  it('only raises the bumps of a changeset without the two comments', async () => {
    const repository = await editedBy(
      (text) => `${text.split('---\n').slice(0, 2).join('---\n')}---\n\nColors.\n`,
    )
    repository.edit(addField, renameOperation)

    await write(repository)

    const text = repository.read(FILE)
    expect(text).toContain("'@concord/parcels': major")
    expect(text.endsWith('---\n\nColors.\n')).toBe(true)
  })
})
