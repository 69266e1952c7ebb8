import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { command, filesBelow, projectOf } from '../test/support/command.ts'
import { ownConfig, repository, services } from '../test/support/services.ts'
import { foldersOf } from './services.ts'

const generated = 'packages/extraction-validators/src/gen/schemas.gen.ts'

/** The names of all services, as a summary lists them. */
const names = services.map(({ name }) => name).join(', ')

let out: string
const generate = (...words: string[]) => command(repository, ['--config', ownConfig, '--out', out, ...words])
const read = (file: string) => readFileSync(join(out, file), 'utf8')

beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'concord-cli-'))
})

afterEach(() => {
  rmSync(out, { recursive: true })
})

describe('concord-generate', () => {
  it('writes every file, one line for each, and a summary', async () => {
    const { code, lines } = await generate()
    expect(code).toBe(0)
    for (const line of lines.slice(0, -1))
      expect(line).toMatch(
        /^new {6}packages\/(?:\S+\.gen\.ts|\S+\/README\.md|\S+\/src\/index\.ts) \(\+\d+ -0 lines\)$/,
      )
    expect(lines.at(-1)).toMatch(
      new RegExp(`^concord-generate: wrote ${lines.length - 1} of ${lines.length - 1} files of ${names} `),
    )
    expect(filesBelow(out)).toHaveLength(lines.length - 1)
    expect(read(generated)).toMatch(
      /^\/\/ Generated from specs\/extraction\/openapi\.yaml and .* Do not edit\.\n/,
    )
  })

  it('writes only the files that differ, removes those that are no longer made, and no others', async () => {
    await generate('--service', 'extraction')
    const text = read(generated)
    writeFileSync(join(out, generated), `${text}\n// edited by hand\n`)
    const folder = join(out, 'packages/extraction/src/gen')
    writeFileSync(join(folder, 'channels.gen.ts'), '// Generated\n')
    writeFileSync(join(folder, 'notes.md'), 'mine')
    const past = new Date('2020-01-01')
    const others = filesBelow(out)
      .map((line) => line.split(' ')[0] ?? '')
      .filter((file) => file !== generated && !file.endsWith('channels.gen.ts'))
    for (const file of others) utimesSync(join(out, file), past, past)
    const { code, lines } = await generate('--service', 'extraction')
    expect(code).toBe(0)
    expect(lines.slice(0, -1)).toEqual([
      `changed  ${generated} (+0 -1 lines)`,
      'removed  packages/extraction/src/gen/channels.gen.ts (+0 -1 lines)',
    ])
    expect(read(generated)).toBe(text)
    for (const file of others) expect(statSync(join(out, file)).mtime).toEqual(past)
  })

  it('writes nothing when nothing has changed, and leaves no temporary file behind', async () => {
    await generate('--service', 'extraction')
    const [before, here] = [filesBelow(out), readdirSync(process.cwd())]
    const { code, lines } = await generate('--service', 'extraction')
    expect(code).toBe(0)
    expect(lines).toEqual([
      expect.stringMatching(/^concord-generate: \d+ files of extraction are up to date/),
    ])
    expect(filesBelow(out)).toEqual(before)
    for (const file of before) expect(file).toMatch(/(?:\.gen\.ts|\/README\.md|\/src\/index\.ts) \d/)
    expect(readdirSync(process.cwd())).toEqual(here)
  })
})

describe('concord-generate --check', () => {
  it('prints what differs, writes nothing and exits with 1', async () => {
    await generate('--service', 'extraction')
    writeFileSync(join(out, generated), 'export {}\n')
    rmSync(join(out, 'packages/extraction/src/gen/api.gen.ts'))
    writeFileSync(join(out, 'packages/extraction/src/gen/old.gen.ts'), '// Generated\n')
    const before = filesBelow(out)
    const { code, lines } = await generate('--service', 'extraction', '--check')
    expect(code).toBe(1)
    expect(lines.map((line) => line.split(' (')[0])).toEqual([
      `differs  ${generated}`,
      'missing  packages/extraction/src/gen/api.gen.ts',
      'stale    packages/extraction/src/gen/old.gen.ts',
      expect.stringMatching(/^concord-generate: 3 of \d+ files of extraction differ$/),
    ])
    expect(lines.at(-1)).toContain('Run `npx concord-generate --config')
    expect(filesBelow(out)).toEqual(before)
  })
})

describe('a contract with mistakes', () => {
  const fixtures = join(import.meta.dirname, '../test/fixtures')
  const broken = { name: 'broken', openapi: 'broken/openapi.yaml', output: 'broken', strict: true }
  const good = { name: 'good', openapi: 'parcels/openapi.yaml', output: 'good', strict: true }

  it('changes no file of any service, prints each place and reason, and exits with 2', async () => {
    const folder = projectOf({ 'concord.config.json': { root: fixtures, services: [good, broken] } })
    writeFileSync(join(out, 'untouched.gen.ts'), '')
    const before = filesBelow(out)
    const { code, lines, errors } = await command(folder, ['--out', out])
    expect(code).toBe(2)
    expect(lines).toEqual([])
    expect(errors).toContain('broken/openapi.yaml:10 #/paths/~1things/get\n    `x-retry` is missing')
    expect(errors).toContain('broken/openapi.yaml:20 #/components/schemas/Thing/then\n')
    expect(errors).toMatch(/\nconcord-generate: no generated file was written\.$/)
    expect(filesBelow(out)).toEqual(before)
  })

  it('is reported if the file is missing', async () => {
    const service = { ...broken, openapi: 'missing.yaml' }
    const folder = projectOf({ 'concord.config.json': { root: fixtures, services: [service] } })
    const { code, errors } = await command(folder, ['--out', out])
    expect(code).toBe(2)
    expect(errors).toContain(`missing.yaml #\n    the file doesn't exist in ${fixtures}`)
  })

  it('is reported as JSON with --json', async () => {
    const folder = projectOf({ 'concord.config.json': { root: fixtures, services: [broken] } })
    const { code, lines } = await command(folder, ['--json', '--out', out])
    expect(code).toBe(2)
    expect(JSON.parse(lines.join('\n'))).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([
        {
          place: { file: 'broken/openapi.yaml', line: 20, pointer: '#/components/schemas/Thing/then' },
          reason: expect.any(String),
          strict: true,
        },
      ]),
    })
  })
})

it('the committed files of every service are what their contracts generate', async () => {
  // A copy, so that a broken check cannot write into the repository.
  for (const service of services) {
    for (const path of [...foldersOf(service), service.readme ?? '', service.index ?? ''])
      cpSync(join(repository, path), join(out, path), { recursive: true })
  }
  expect(await generate('--check')).toMatchObject({
    code: 0,
    lines: [expect.stringContaining('are up to date')],
  })
})

it('a reader that stops early causes no error', async () => {
  const program = join(import.meta.dirname, 'cli.ts')
  const child = spawn(process.execPath, ['--conditions=@concord/source', program, '--help'])
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  child.stdout.destroy()
  expect(await once(child, 'close')).toEqual([0, null])
  expect(errors).toBe('')
})
