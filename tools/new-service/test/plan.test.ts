import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { messageStub, messageToDo } from '../../change/src/messages.ts'
import { stubsFor } from '../../change/src/stubs.ts'
import { generate } from '@concord/generate'

import { servicesIn } from '../../generate/src/services.ts'
import { lintProse } from '../../prose/src/lint.ts'
import { run } from '../src/cli.ts'
import { fill, namesOf } from '../src/names.ts'
import { configurations } from '../src/package-files.ts'
import { planService } from '../src/plan.ts'
import { EDITED } from '../src/registry.ts'
import { carryOut, howToUndo } from '../src/write.ts'
import { root } from './support/repository-copy.ts'

interface Manifest {
  readonly [key: string]: unknown
  readonly exports: Readonly<Record<string, unknown>>
  readonly publishConfig: { readonly exports: Readonly<Record<string, unknown>> }
  readonly devDependencies: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
}

const existing = (path: string) => readFileSync(join(root, path), 'utf8')

/** Returns files of the repository with their content. */
const copied = (files: readonly string[]) => files.map((file) => [file, existing(file)] as const)

/** Creates a folder with these files, which is removed after the test. */
function temporaryFolder(files: Iterable<readonly [file: string, text: string]>): string {
  const folder = mkdtempSync(join(tmpdir(), 'concord-new-service-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}

describe('the name of a service', () => {
  it("derives a form of a service's name for each use", () => {
    expect(namesOf('weather-stations')).toEqual({
      name: 'weather-stations',
      Name: 'WeatherStations',
      camel: 'weatherStations',
      UPPER: 'WEATHER_STATIONS',
      words: 'weather stations',
      Words: 'Weather stations',
    })
  })

  it.each([
    '',
    'Weather',
    'weather_stations',
    'weather--stations',
    '-a',
    'a-',
    '7th',
    'a-7',
    '../a',
    'a'.repeat(41),
  ])('rejects the name %j, and shows a valid one', (name) => {
    expect(() => namesOf(name)).toThrow(
      /can't be the name of a service\. Use .* for example weather-stations\./,
    )
  })

  it.each(['class', 'clock', 'close', 'core', 'media-validators'])(
    'rejects the name %s, which has another meaning',
    (name) => {
      expect(() => namesOf(name)).toThrow('already has another meaning')
    },
  )

  it('fills in the placeholders of templates, and rejects an unknown one', () => {
    expect(fill('{{a}} and {{b}} and {{a}}', { a: '1', b: '2' })).toBe('1 and 2 and 1')
    expect(() => fill('{{c}}', { a: '1' })).toThrow('{{c}}')
  })

  it.each([
    [true, 'a, b\n1\nc\n'],
    [false, 'a\nc\n'],
  ])('includes or leaves out a part of a template: %s', (part, text) => {
    const template = 'a{{#part}}, b{{/part}}\n{{#part}}\n{{one}}\n{{/part}}\nc\n'
    expect(fill(template, { one: '1' }, { part })).toBe(text)
    expect(() => fill(template, { one: '1' })).toThrow('unknown part')
    expect(() => fill('{{#part}}\nb\n', {}, { part })).toThrow('{{#part}}')
  })
})

describe('a plan', () => {
  const plan = planService(root, 'weather-stations')
  const json = (text: string | undefined) => JSON.parse(text ?? '') as Manifest

  it.each(['', '-validators'])('plans a package.json like that of media%s', (suffix) => {
    const made = json(plan.created.get(`packages/weather-stations${suffix}/package.json`))
    const other = json(existing(`packages/media${suffix}/package.json`))
    const { typesVersions: _, ...expected } = other
    expect(Object.keys(made)).toEqual(Object.keys(expected))
    for (const key of [
      'version',
      'license',
      'files',
      'type',
      'sideEffects',
      'main',
      'types',
      'engines',
      'peerDependencies',
    ])
      expect(made[key], key).toEqual(other[key])
    // The scripts that the packages of every service have.
    const scripts = servicesIn(root).map(
      ({ name }) => json(existing(`packages/${name}${suffix}/package.json`)).scripts,
    )
    expect(made.scripts).toEqual(
      Object.fromEntries(
        Object.entries(other.scripts).filter(([name]) => scripts.every((one) => Object.hasOwn(one, name))),
      ),
    )
    expect(Object.keys(made.exports)).toEqual(['.', './package.json'])
    expect(made.exports['.']).toEqual(other.exports['.'])
    expect(made.publishConfig).toEqual({
      ...other.publishConfig,
      exports: {
        '.': other.publishConfig.exports['.'],
        './package.json': './package.json',
      },
    })
    const own = (text: string) => text.replaceAll('weather-stations', 'media')
    expect(JSON.parse(own(JSON.stringify(made.devDependencies)))).toEqual(
      Object.fromEntries(Object.entries(other.devDependencies).filter(([name]) => name !== 'fast-check')),
    )
    for (const key of ['name', 'repository', 'homepage', 'bugs'])
      expect(own(JSON.stringify(made[key])), key).toBe(JSON.stringify(other[key]))
  })

  it.each(['', '-validators'])('plans to build, test and cache a package like media%s', (suffix) => {
    const files = configurations(root, `media${suffix}`)
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'tsdown.config.ts', 'turbo.json', 'vitest.config.ts']),
    )
    for (const file of files) {
      const made = plan.created.get(`packages/weather-stations${suffix}/${file}`)
      const other = existing(`packages/media${suffix}/${file}`)
      expect(made?.replaceAll('weather-stations', 'media'), file).toBe(
        other.replace(`, node: 'src/node.ts'`, ''),
      )
    }
  })

  it('plans every kind of file that the packages of all services have', () => {
    const kinds = (service: string) =>
      [
        'contract/contract.test.ts',
        'contract/mistakes.test.ts',
        'contract/subject.ts',
        'contract/walk.ts',
        'src/client.ts',
        'src/index.ts',
        'src/options.ts',
        'README.md',
      ].map((file) => `packages/${service}/${file}`)
    expect(kinds('media').filter((file) => !existsSync(join(root, file)))).toEqual([])
    expect(kinds('weather-stations').filter((file) => !plan.created.has(file))).toEqual([])
  })

  describe('the entries of the registry', () => {
    const file = 'packages/emulator/src/services.ts'
    const names = namesOf('tide-tables')
    const withoutComments = existing(file).replaceAll(/^ *\/\*\*.*\*\/\n/gm, '')

    it('are added to the declarations, whatever their comments say', () => {
      const edited = EDITED[file]!(withoutComments, names)
      expect(edited).toMatch(/^import type \{ ServiceModule \}.*\nimport \{\n  type EmulatedTideTables,/)
      expect(edited).toMatch(/readonly tideTables: \{.*\}\n\}\n/)
      expect(edited).toMatch(/\n  tideTables: TIDE_TABLES_MODULE,\n\}\n/)
    })

    it.each(['interface Services', 'const SERVICES', 'type { ServiceModule }'])(
      'are not added to a file without %s',
      (declaration) => {
        expect(() => EDITED[file]!(withoutComments.replace(declaration, 'renamed'), names)).toThrow(
          /has changed: .* doesn't match exactly once\. Correct tools\/new-service\/src\/registry\.ts\./,
        )
      },
    )
  })

  it('leaves no placeholder of a template in a planned file', () => {
    for (const [file, text] of [...plan.created, ...plan.edited])
      expect(text, file).not.toMatch(/\{\{\w+\}\}/)
  })

  it('plans files whose English `npm run prose` accepts', async () => {
    const { created } = planService(root, 'tide-tables', { events: true, socket: true })
    for (const [file, text] of created)
      if (/\.(?:md|ts|yaml)$/.test(file)) expect(await lintProse(file, text), file).toEqual([])
  })

  it.each([
    ['media', 'specs/media already exists. Choose another name'],
    ['runtime', 'packages/runtime already exists'],
    ['Weather', 'Use up to 40 lowercase letters'],
  ])('says why %s cannot be a new service, and writes nothing', (name, message) => {
    const lines: string[] = []
    expect(run([name], (line) => lines.push(line))).toBe(2)
    expect(lines.join('\n')).toContain(message)
    expect(lines.join('\n')).toContain('Nothing was written.')
  })

  it.each([
    ['specs', 'specs/package.json already uses the package name @concord/specs'],
    ['bench', 'tools/bench/package.json already uses the package name @concord/bench'],
    ['client', 'packages/client/src/client.ts would use the name Client for two things'],
    ['call', 'packages/call/src/index.ts would use the name CallOptions for two things'],
    ['storage', 'packages/emulator/src/index.ts would use the name StorageSuccess for two things'],
    ['error', 'packages/error/test/client.test.ts would hide the global Error'],
    ['record', 'packages/record/test/client.test.ts would hide the global Record'],
  ])('rejects the name %s, whose files would not compile beside the others', (name, reason) => {
    expect(() => planService(root, name)).toThrow(
      `${name} can't be the name of a service, because ${reason}. Choose another name.`,
    )
  })

  it.each(['notes', 'event', 'fetch', 'x1-y2'])('accepts the name %s', (name) => {
    expect(planService(root, name).names.name).toBe(name)
  })

  it.each([
    [['tide', 'tables'], "Join the words of the service's name with hyphens: tide-tables."],
    [['tides', '--sockets'], "Unknown option '--sockets'.\n"],
  ])('explains the invalid arguments %j', (words, message) => {
    const lines: string[] = []
    expect(run(words, (line) => lines.push(line))).toBe(2)
    expect(lines).toEqual([expect.stringContaining(message)])
  })

  it('shows the usage if there is no name', () => {
    const lines: string[] = []
    expect(run([], (line) => lines.push(line))).toBe(2)
    expect(run(['--help'], (line) => lines.push(line))).toBe(0)
    expect(lines).toEqual([expect.stringContaining('npm run new-service NAME'), lines[0]])
  })

  it.each([
    { events: false, socket: false },
    { events: true, socket: false },
    { events: false, socket: true },
    { events: true, socket: true },
  ])('plans contracts from which code can be generated: %j', async ({ events, socket }) => {
    const { created } = planService(root, 'tide-tables', { events, socket })
    const folder = temporaryFolder([...created].filter(([file]) => file.startsWith('specs/')))
    const [service] = servicesIn(folder)
    expect(service?.asyncapi).toBe(events || socket ? 'specs/tide-tables/asyncapi.yaml' : undefined)
    const { changes } = await generate({ services: servicesIn(folder) }, folder)
    const schemas = changes.find(
      ({ file }) => file === 'packages/tide-tables-validators/src/gen/schemas.gen.ts',
    )?.text
    expect(schemas?.includes('export const noteCreatedEvent')).toBe(events)
    const channels = changes.find(({ file }) => file === 'packages/tide-tables/src/gen/channels.gen.ts')?.text
    expect(channels?.includes('export const dictation') ?? false).toBe(socket)
    const walk = created.get('packages/tide-tables/contract/walk.ts')
    expect(walk?.includes('unreachable:')).toBe(events)
    expect(walk?.includes('socketSteps()')).toBe(socket)
    expect(created.has('packages/emulator/src/tide-tables/channels/dictation.ts')).toBe(socket)
  })

  it('plans an emulator and a walk to which `npm run change` can add stubs of an operation', () => {
    const folder = temporaryFolder(plan.created)
    const operation = { id: 'pinNote', method: 'POST', path: '/v1/notes/{note_id}/pin', statuses: ['200'] }
    expect(stubsFor(folder, 'weather-stations', operation).map(({ file }) => file)).toEqual([
      'packages/emulator/src/weather-stations/handlers/pin-note.ts',
      'packages/emulator/src/weather-stations/service.ts',
      'packages/weather-stations/contract/pin-note.ts',
      'packages/weather-stations/contract/walk.ts',
    ])
  })

  it('plans a walk of WebSockets to which `npm run change` can add the stub of a message', () => {
    const folder = temporaryFolder(planService(root, 'tide-tables', { socket: true }).created)
    const message = { channel: 'dictation', key: 'noteRejected', direction: 'receives' } as const
    expect(messageStub(folder, 'tide-tables', message).map(({ file }) => file)).toEqual([
      'packages/tide-tables/contract/note-rejected-message.ts',
      'packages/tide-tables/contract/walk.ts',
    ])
    expect(messageToDo(folder, 'tide-tables', [message])[0]).toMatchObject({
      file: 'packages/emulator/src/tide-tables/channels/dictation.ts',
    })
  })

  it('names the command that removes the service only if it loses no other edits', () => {
    const folder = temporaryFolder([['a.ts', '']])
    const git = (...words: string[]) => expect(spawnSync('git', words, { cwd: folder }).status).toBe(0)
    git('init', '--quiet')
    git('add', '.')
    git('-c', 'user.name=Test', '-c', 'user.email=test@concord.example', 'commit', '--quiet', '-m', 'Start')
    expect(howToUndo(folder, ['a.ts'])).toBe('git checkout a.ts')
    writeFileSync(join(folder, 'a.ts'), '// the service before')
    expect(howToUndo(folder, ['a.ts'])).toMatch(/^# Delete the service's lines/)
  })

  it('undoes everything if it is interrupted', () => {
    const references = ['', '-validators'].flatMap((suffix) =>
      [...configurations(root, `media${suffix}`), 'package.json'].map(
        (file) => `packages/media${suffix}/${file}`,
      ),
    )
    const folder = temporaryFolder(copied([...Object.keys(EDITED), ...references]))
    // A program instead of pnpm, which also receives the Ctrl-C.
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin/pnpm'), '#!/bin/sh\nls specs >&2\nkill -INT $PPID\nexit 130\n', {
      mode: 0o755,
    })
    const script = `
      import { run } from ${JSON.stringify(join(root, 'tools/new-service/src/cli.ts'))}
      process.exitCode = run(['tide-tables'], console.log, ${JSON.stringify(folder)})
    `
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` },
    })
    expect(ran).toMatchObject({ status: 1, signal: null })
    expect(ran.stdout).toMatch(/pnpm install .*failed:\ntide-tables\n\nEverything was undone\./)
    expect(existsSync(join(folder, 'specs'))).toBe(false)
    for (const file of Object.keys(EDITED))
      expect(readFileSync(join(folder, file), 'utf8'), file).toBe(existing(file))
  })

  it('undoes everything if a later step fails', () => {
    const shared = [...Object.keys(EDITED), 'pnpm-lock.yaml']
    const folder = temporaryFolder(copied(shared))
    expect(() =>
      carryOut(folder, plan, () => {
        expect(existsSync(join(folder, 'packages/weather-stations/src/client.ts'))).toBe(true)
        writeFileSync(join(folder, 'pnpm-lock.yaml'), 'half')
        writeFileSync(join(folder, 'packages/weather-stations/generated.ts'), '')
        throw new Error('no network')
      }),
    ).toThrow('no network')
    for (const file of shared) expect(readFileSync(join(folder, file), 'utf8'), file).toBe(existing(file))
    for (const path of [
      'specs',
      'packages/weather-stations',
      'packages/emulator/src/weather-stations',
      'tools',
    ])
      expect(existsSync(join(folder, path)), path).toBe(false)
  })
})
