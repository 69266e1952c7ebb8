import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { run } from '../src/cli.ts'
import { Repository } from './repository.ts'
import type { Step } from './support.ts'

const addField: Step = ['http', '/components/schemas/Parcel/properties/color', 'set', { type: 'string' }]
const renameOperation: Step = ['http', '/paths/~1parcels/get/operationId', 'set', 'readParcels']
const newText: Step = ['http', '/components/schemas/NewParcel/description', 'set', 'Other words.']

/** Runs the command in a repository. */
async function plan({ root }: Repository, ...words: readonly string[]) {
  let out = ''
  let err = ''
  const code = await run(words, root, { out: (text) => (out += text), err: (text) => (err += text) })
  return { code, out, err }
}

describe('the plan at a terminal', () => {
  it('shows each change with both verdicts, its location and its users, then the releases', async () => {
    const repository = new Repository('0.3.0')
    repository.edit(addField, renameOperation, newText)

    const { code, out } = await plan(repository, '--base', 'HEAD')

    expect(code).toBe(0)
    expect(out).toMatchInlineSnapshot(`
      "Changes to the contracts since HEAD:

      parcels

        wire   TypeScript
        none   major       Renames the operation \`listParcels\` to \`readParcels\`.
                           Code that uses the old name does not compile.
                           specs/parcels/openapi.yaml:15
        minor  minor       Adds the optional response field \`color\` to \`Parcel\`.
                           specs/parcels/openapi.yaml:274, used by createParcel, getParcel, readParcels
        1 description changed.
        \`info.version\` of specs/parcels/openapi.yaml is still 1.0.0: raise it with this change.

      Releases

        package                      needs                      declared
        @concord/specs               minor (major from 1.0 on)  too low: none
        @concord/parcels             minor (major from 1.0 on)  too low: none
        @concord/parcels-validators  minor (major from 1.0 on)  too low: none
        @concord/emulator            minor (major from 1.0 on)  too low: none
      "
    `)
  })

  it('says that the contracts are equivalent', async () => {
    const { out } = await plan(new Repository(), '--base', 'HEAD')

    expect(out).toBe('The contracts are equivalent to those of HEAD.\n')
  })

  it('says that nothing has been released, and how to compare anyway', async () => {
    const { code, out } = await plan(new Repository(), '--check')

    expect(code).toBe(0)
    expect(out).toContain('Nothing has been released yet')
    expect(out).toContain('--base main')
  })
})

describe('the plan for a pull request', () => {
  it('prints the plan as a Markdown comment for a pull request', async () => {
    const repository = new Repository()
    repository.edit(addField, renameOperation)

    const { out } = await plan(repository, '--base', 'HEAD', '--format', 'markdown')

    expect(out).toMatchInlineSnapshot(`
      "## Release plan

      Compared with HEAD.

      ### parcels

      | on the wire | in TypeScript | change |
      |---|---|---|
      | none | **major** | Renames the operation \`listParcels\` to \`readParcels\`. Code that uses the old name does not compile.<br>\`specs/parcels/openapi.yaml:15\` |
      | minor | minor | Adds the optional response field \`color\` to \`Parcel\`.<br>\`specs/parcels/openapi.yaml:274\` |

      \`info.version\` of specs/parcels/openapi.yaml is still 1.0.0: raise it with this change.

      ### Releases

      | package | needs | declared |
      |---|---|---|
      | @concord/specs | major | **too low: none** |
      | @concord/parcels | major | **too low: none** |
      | @concord/parcels-validators | major | **too low: none** |
      | @concord/emulator | major | **too low: none** |

      Run \`npm run plan -- --write\` to draft the missing changesets.
      "
    `)
  })
})

describe('the plan for programs', () => {
  it('prints the plan as JSON', async () => {
    const repository = new Repository()
    repository.edit(addField)

    const { out } = await plan(repository, '--base', 'HEAD', '--json')

    expect(JSON.parse(out).changes).toEqual([
      {
        kind: 'field-added',
        service: 'parcels',
        message: 'Adds the optional response field `color` to `Parcel`.',
        why: 'Existing programs work as before.',
        wire: 'minor',
        typescript: 'minor',
        reach: 'types',
        named: false,
        place: {
          file: 'specs/parcels/openapi.yaml',
          pointer: '/components/schemas/Parcel/properties/color',
          line: repository.read('specs/parcels/openapi.yaml').split('\n').indexOf('        color:') + 1,
        },
        usedBy: ['createParcel', 'getParcel', 'listParcels'],
      },
    ])
  })

  it('writes SARIF 2.1.0 whose results refer to its rules and to lines that exist', async () => {
    const repository = new Repository()
    repository.edit(addField, renameOperation, ['sockets', '/operations/hearPing', 'remove'])
    const file = join(repository.root, 'plan.sarif')

    const { out } = await plan(repository, '--base', 'HEAD', '--format', 'sarif', '--out', file)

    expect(out).toBe('')
    const log = JSON.parse(repository.read('plan.sarif'))
    expect([log.version, log.runs.length]).toEqual(['2.1.0', 1])
    const [{ tool, results }] = log.runs
    expect(results.map((one: { level: string }) => one.level)).toEqual(['error', 'error', 'note'])
    for (const { ruleId, ruleIndex, message, locations } of results) {
      expect(tool.driver.rules[ruleIndex]).toMatchObject({ id: ruleId })
      expect(message.text).toMatch(/^[A-Z].*\.$/)
      const { artifactLocation, region } = locations[0].physicalLocation
      expect(repository.read(artifactLocation.uri).split('\n').length).toBeGreaterThanOrEqual(
        region.startLine,
      )
      expect(region.startLine).toBeGreaterThan(0)
    }
    for (const { shortDescription } of tool.driver.rules) expect(shortDescription.text).not.toContain('{')
  })
})

describe('--check', () => {
  it('exits with 1 and names package, location and change if a changeset declares too little', async () => {
    const repository = new Repository()
    repository.edit(renameOperation)
    repository.write('.changeset/mine.md', "---\n'@concord/parcels': minor\n---\n\nMine.\n")

    const { code, err } = await plan(repository, '--base', 'HEAD', '--check')

    expect(code).toBe(1)
    expect(err).toContain(
      'plan: @concord/parcels needs a major bump, but the changesets declare minor. specs/parcels/openapi.yaml:',
    )
    expect(err).toContain('Renames the operation `listParcels` to `readParcels`.')
    expect(err).toContain('npm run plan -- --write')
  })

  it('exits with 0 after --write has drafted what is missing', async () => {
    const repository = new Repository()
    repository.edit(renameOperation)

    const { code, err } = await plan(repository, '--base', 'HEAD', '--write', '--check')

    expect(code).toBe(0)
    expect(err).toContain('new       .changeset/contract-parcels.md')
  })

  it('accepts a changeset that declares more', async () => {
    const repository = new Repository()
    repository.edit(addField)
    const front = ['specs', 'parcels', 'parcels-validators', 'emulator'].map(
      (name) => `"@concord/${name}": major\n`,
    )
    repository.write('.changeset/mine.md', `---\n${front.join('')}---\n\nMine.\n`)

    expect(await plan(repository, '--base', 'HEAD', '--check')).toMatchObject({ code: 0, err: '' })
  })
})

describe('wrong use', () => {
  it.each([
    [['--bse', 'HEAD'], "Unknown option '--bse'"],
    [['--format', 'xml'], 'unknown format `xml`; valid formats: text, markdown, json, sarif'],
    [['--out', 'no/such/folder/plan.md'], "The report can't be written"],
    [['--base', 'nowhere'], 'No commit, folder or file is named `nowhere`'],
  ])('exits with 2 for invalid options: %s', async (words, reason) => {
    const { code, out, err } = await plan(new Repository(), ...words)

    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(reason)
  })

  it.each([
    ['No front matter.', '.changeset/mine.md has no front matter'],
    ["---\n'@concord/specs': huge\n---\n", ".changeset/mine.md:2 can't be read: '@concord/specs': huge"],
  ])("exits with 2 if a changeset can't be read", async (text, reason) => {
    const repository = new Repository()
    repository.edit(addField)
    repository.write('.changeset/mine.md', text)

    const { code, err } = await plan(repository, '--base', 'HEAD')

    expect(code).toBe(2)
    expect(err).toContain(reason)
  })
})
