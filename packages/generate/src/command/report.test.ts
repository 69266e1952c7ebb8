import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { command, filesBelow, lamps, lampsConfig, projectOf } from '../../test/support/command.ts'

/** A contract that is widened at three places, because of two patterns that aren't valid in JavaScript. */
const odd = `${lamps}        name: { type: string, pattern: '(?<bad' }
        label: { type: string, pattern: '(?<bad' }
        code: { type: string, pattern: '(?<worse' }
        note: { type: string, minimum: 1 }
`

/** Adds a word to an operation, and a widened property. */
const overlay = `overlay: 1.0.0
info: { title: Ours, version: 1.0.0 }
actions:
  - target: $.paths.*.get
    update:
      x-retry: { class: safe }
  - target: $.components.schemas.Lamp.properties
    update:
      ours: { type: string, pattern: '(?<bad' }
`

const project = (more: object = {}) =>
  projectOf({
    'openapi.yaml': odd,
    'overlay.yaml': overlay,
    'concord.config.json': lampsConfig({ overlays: ['overlay.yaml'], ...more }),
    'node_modules/x': '',
  })

describe('the fidelity report', () => {
  it('prints all departures of one kind in one row, also when nothing has changed', async () => {
    const folder = project()
    const { lines } = await command(folder, [])
    const report = lines.slice(lines.findIndex((line) => line.startsWith('lamps:')))
    expect(report.slice(0, -1)).toEqual([
      expect.stringMatching(/^lamps: \d\d\.\d % of \d+ places are kept exactly$/),
      expect.stringMatching(/^ {2}widened {2}.*\(\?<bad.* \(openapi\.yaml:23 and 3 more\)$/),
      expect.stringMatching(/^ {2}noted {4}.*`minimum`.* \(openapi\.yaml:26\)$/),
    ])
    expect((await command(folder, [])).lines.slice(0, -1)).toEqual(report.slice(0, -1))
    expect((await command(folder, ['--check'])).lines).toEqual([
      expect.stringMatching(/^concord-generate: \d+ files of lamps are up to date/),
    ])
  })

  it('has pointers, and no line numbers, for a document in one line', async () => {
    const folder = projectOf({
      'openapi.json': JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Lamps', version: '1' },
        paths: {},
        components: { schemas: { Lamp: { type: 'string', pattern: '(?<bad' } } },
      }),
      'concord.config.json': lampsConfig({ openapi: 'openapi.json' }),
    })
    const { lines } = await command(folder, ['--report', 'fidelity.md'])
    expect(lines).toContainEqual(expect.stringMatching(/ \(openapi\.json #\/components\/schemas\/Lamp\S*\)$/))
    expect(readFileSync(join(folder, 'fidelity.md'), 'utf8')).toMatch(/^\| openapi\.json \| `#\/components/m)
    const { errors } = await command(folder, ['--strict'])
    expect(errors).toMatch(/^ {2}openapi\.json #\/components\/schemas\/Lamp/m)
  })

  it('lists every place as JSON and as Markdown; a value from an overlay has the line of the overlay', async () => {
    const folder = project()
    const { code } = await command(folder, ['--report', 'fidelity.md', '--report', 'reports/fidelity.json'])
    expect(code).toBe(0)
    const [markdown, json] = ['fidelity.md', 'reports/fidelity.json'].map((file) =>
      readFileSync(join(folder, file), 'utf8'),
    )
    const { services } = JSON.parse(json ?? '')
    expect(services).toMatchObject([
      { name: 'lamps', title: 'Lamps', contract: 'openapi.yaml', operations: 1, fidelity: { widened: 4 } },
    ])
    const { places, widened, percent } = services[0].fidelity
    expect(percent).toBe(Math.floor((1 - widened / places) * 10_000) / 100)
    expect(services[0].departures.at(-1)).toMatchObject({
      place: {
        file: 'overlay.yaml',
        line: 9,
        pointer: expect.stringMatching(/^#\/actions\/1\/update\/ours/),
      },
      at: [{ file: 'openapi.yaml', pointer: '#/components/schemas/Lamp/properties/ours/pattern' }],
      effect: 'widened',
    })
    expect(services[0].departures[0].at).toBe(undefined)
    expect(markdown).toContain('| lamps | Lamps | ')
    expect(markdown).toMatch(
      /^\| openapi\.yaml:25 \| `#\/components\/schemas\/Lamp\/properties\/code\/?\S*` \| widened \| /m,
    )
    // The same bytes from the same contract.
    await command(folder, ['--report', 'again.md'])
    expect(readFileSync(join(folder, 'again.md'), 'utf8')).toBe(markdown)
  })

  it('names every place in the contract that a value from an overlay is at', async () => {
    const copied = `overlay: 1.0.0
info: { title: Ours, version: 1.0.0 }
actions:
  - target: $.components.schemas
    update: { Lamp2: { type: object, properties: {} } }
  - target: $.components.schemas.*.properties
    update: { ours: { type: string, pattern: '(?<bad' } }
`
    const folder = projectOf({
      'openapi.yaml': lamps,
      'overlay.yaml': copied,
      'concord.config.json': lampsConfig({ overlays: ['overlay.yaml'] }),
    })
    const { lines } = await command(folder, ['--json'])
    const { departures } = JSON.parse(lines.join('\n')).services[0]
    const at = ['Lamp', 'Lamp2'].map((name) => ({
      file: 'openapi.yaml',
      pointer: `#/components/schemas/${name}/properties/ours/pattern`,
    }))
    const widened = departures.filter(({ effect }: { effect: string }) => effect === 'widened')
    expect(widened).toMatchObject([{ place: { file: 'overlay.yaml', line: 7 }, at }])
  })

  it('prevents all writing if it cannot be written itself', async () => {
    const folder = project()
    const { code, errors } = await command(folder, ['--report', 'openapi.yaml/fidelity.md'])
    expect(code).toBe(2)
    expect(errors).toMatch(/The report .* can't be written: .*\n.*no generated file was written/)
    expect(existsSync(join(folder, 'src'))).toBe(false)
  })

  it('escapes the text of a contract in Markdown', async () => {
    const folder = projectOf({
      'openapi.yaml': `${lamps}        name: { type: string, pattern: '(?<|<b>bad' }\n`,
      'concord.config.json': lampsConfig(),
    })
    await command(folder, ['--report', 'fidelity.md'])
    const row =
      readFileSync(join(folder, 'fidelity.md'), 'utf8')
        .split('\n')
        .find((line) => line.includes('bad')) ?? ''
    expect(row.split(/(?<!\\)\|/)).toHaveLength(6)
    expect(row).not.toContain('<b>')
  })

  it('is part of what --json prints', async () => {
    const { lines } = await command(project(), ['--json', '--check'])
    expect(JSON.parse(lines.join('\n'))).toMatchObject({
      ok: false,
      written: false,
      changes: expect.arrayContaining([expect.objectContaining({ file: 'src/gen/api.gen.ts', kind: 'new' })]),
      services: [{ name: 'lamps', fidelity: { widened: 4 } }],
    })
  })

  it('has whether generated files were written, with --json', async () => {
    const folder = project()
    const written = async () =>
      JSON.parse((await command(folder, ['--json'])).lines.join('\n')).written as boolean
    expect([await written(), await written()]).toEqual([true, false])
  })
})

describe('minFidelity', () => {
  it('prevents all writing below the percentage, and the message says why', async () => {
    const folder = project({ minFidelity: 90 })
    const before = filesBelow(folder)
    const { code, lines } = await command(folder, [])
    expect(code).toBe(1)
    expect(lines.join('\n')).toMatch(
      /concord-generate: lamps: \d\d\.\d % of \d+ places are kept exactly, but the config requires 90 % \(`minFidelity`\)/,
    )
    expect(lines.at(-1)).toMatch(/^concord-generate: no generated file was written/)
    expect(filesBelow(folder)).toEqual(before)
  })

  it('allows writing at the percentage', async () => {
    expect((await command(project({ minFidelity: 50 }), [])).code).toBe(0)
  })
})

describe('overlays', () => {
  it('change what is generated, and are named with the contract', async () => {
    const folder = project()
    await command(folder, [])
    const read = (name: string) => readFileSync(join(folder, `src/gen/${name}.gen.ts`), 'utf8')
    expect(read('types')).toContain('ours?: string')
    expect(read('types')).toMatch(/^\/\/ Generated from openapi\.yaml and overlay\.yaml by /)
    expect(read('spec')).toMatch(/'overlay\.yaml': '\w{64}'/)
  })

  it('fail in strict mode where they change nothing, with file and line', async () => {
    const folder = projectOf({
      'openapi.yaml': lamps,
      'overlay.yaml': overlay.replace('$.paths.*.get', '$.paths.*.put'),
      'concord.config.json': lampsConfig({ overlays: ['overlay.yaml'], strict: true }),
    })
    const { code, errors } = await command(folder, [])
    expect(code).toBe(2)
    expect(errors).toContain(
      'overlay.yaml:4 #/actions/0/target\n    `$.paths.*.put` selects nothing, so this action changes nothing',
    )
  })

  it('apply to the AsyncAPI document that `extends` names', async () => {
    const folder = projectOf({
      'openapi.yaml': lamps,
      'asyncapi.yaml': `asyncapi: 3.0.0
info: { title: Light, version: 1.0.0 }
channels: {}
`,
      'overlay.yaml': `overlay: 1.0.0
info: { title: Ours, version: 1.0.0 }
extends: https://lamps.example/contracts/asyncapi.yaml
actions:
  - target: $.channels
    update: { broken: { address: null, messages: { lampBroke: { payload: { type: object } } } } }
`,
      'concord.config.json': lampsConfig({ asyncapi: 'asyncapi.yaml', overlays: ['overlay.yaml'] }),
    })
    const { errors } = await command(folder, [])
    expect(errors).toBe('')
    expect(readFileSync(join(folder, 'src/gen/types.gen.ts'), 'utf8')).toContain('LampBroke')
  })
})
