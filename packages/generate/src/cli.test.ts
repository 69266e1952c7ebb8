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
import { join, resolve } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { run } from './cli.ts'
import { CONTRACT_LIST, indexOf, readmeOf } from './generate.ts'
import { services } from './services.ts'

const repository = resolve(import.meta.dirname, '../../..')
const generated = 'packages/extraction-validators/src/gen/schemas.gen.ts'

/** The names of all services, as a summary lists them. */
const names = services.map(({ name }) => name).join(', ')

let out: string
let lines: string[]
const generate = (...words: string[]) => run(['--out', out, ...words], (line) => lines.push(line))
const read = (file: string) => readFileSync(join(out, file), 'utf8')

beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'concord-cli-'))
  lines = []
})

afterEach(() => {
  rmSync(out, { recursive: true })
})

/** All files below a folder, with their times. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => `${file.slice(folder.length + 1)} ${statSync(file).mtimeMs}`)
    .sort()
}

describe('generate', () => {
  it('writes every file, one line for each, and a summary', async () => {
    expect(await generate()).toBe(0)
    expect(
      lines
        .slice(0, -1)
        .every((line) =>
          /^new {6}(?:packages|specs)\/(?:\S+\.gen\.ts|\S*README\.md|\S+\/src\/index\.ts) \(\+\d+ -0 lines\)$/.test(
            line,
          ),
        ),
    ).toBe(true)
    expect(lines.at(-1)).toMatch(
      new RegExp(`^generate: ${lines.length - 1} of ${lines.length - 1} files of ${names} written`),
    )
    expect(filesBelow(out)).toHaveLength(lines.length - 1)
    expect(read(generated)).toMatch(
      /^\/\/ Generated from specs\/extraction\/openapi\.yaml and .* Do not edit\.\n/,
    )
  })

  it('writes the same again, and touches nothing, when nothing has changed', async () => {
    await generate()
    const before = filesBelow(out)
    lines = []
    expect(await generate()).toBe(0)
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^generate: \\d+ files of ${names} are up to date`)),
    ])
    expect(filesBelow(out)).toEqual(before)
  })

  it('writes only the file that differs', async () => {
    await generate()
    const text = read(generated)
    writeFileSync(join(out, generated), `${text}\n// edited by hand\n`)
    const past = new Date('2020-01-01')
    const others = filesBelow(out)
      .map((line) => line.split(' ')[0] ?? '')
      .filter((file) => file !== generated)
    for (const file of others) utimesSync(join(out, file), past, past)
    lines = []
    expect(await generate()).toBe(0)
    expect(lines[0]).toBe(`changed  ${generated} (+0 -1 lines)`)
    expect(read(generated)).toBe(text)
    for (const file of others) expect(statSync(join(out, file)).mtime).toEqual(past)
  })

  it('removes generated files that are no longer made, and no others', async () => {
    await generate()
    const folder = join(out, 'packages/extraction/src/gen')
    writeFileSync(join(folder, 'channels.gen.ts'), '// Generated\n')
    writeFileSync(join(folder, 'notes.md'), 'mine')
    lines = []
    expect(await generate()).toBe(0)
    expect(lines[0]).toBe('removed  packages/extraction/src/gen/channels.gen.ts (+0 -1 lines)')
    expect(readdirSync(folder).sort()).toEqual([
      'api.gen.ts',
      'checks.gen.ts',
      'facts.gen.ts',
      'notes.md',
      'operations.gen.ts',
      'spec.gen.ts',
    ])
  })

  it('leaves no temporary file behind, in its folders or in the working folder', async () => {
    const before = readdirSync(process.cwd())
    await generate()
    expect(
      filesBelow(out).filter((file) => !/(?:\.gen\.ts|\/README\.md|\/src\/index\.ts) \d/.test(file)),
    ).toEqual([])
    expect(readdirSync(process.cwd())).toEqual(before)
  })
})

describe('generate --check', () => {
  it('says what differs, writes nothing and ends with 1', async () => {
    await generate()
    writeFileSync(join(out, generated), 'export {}\n')
    rmSync(join(out, 'packages/extraction/src/gen/api.gen.ts'))
    writeFileSync(join(out, 'packages/extraction/src/gen/old.gen.ts'), '// Generated\n')
    const before = filesBelow(out)
    lines = []
    expect(await generate('--check')).toBe(1)
    expect(lines.map((line) => line.split(' (')[0])).toEqual([
      `differs  ${generated}`,
      'missing  packages/extraction/src/gen/api.gen.ts',
      'stale    packages/extraction/src/gen/old.gen.ts',
      expect.stringMatching(/^generate: 3 of \d+ files differ; run `npm run generate`/),
    ])
    expect(filesBelow(out)).toEqual(before)
  })

  it('ends with 0 when all is up to date', async () => {
    await generate()
    expect(await generate('--check')).toBe(0)
  })
})

describe('the command line', () => {
  it('knows the services', async () => {
    expect(await generate('--service', 'extraction')).toBe(0)
    lines = []
    expect(await generate('--service', 'printing')).toBe(2)
    expect(lines[0]).toContain('there is no service "printing"')
  })

  it('rejects unknown words and lists the known ones', async () => {
    expect(await generate('--force')).toBe(2)
    expect(lines[0]).toContain('--check')
    lines = []
    expect(await generate('--help')).toBe(0)
    expect(lines[0]).toContain('--service NAME')
  })
})

describe('a contract that cannot be generated from', () => {
  const root = join(import.meta.dirname, '../test/fixtures')
  const broken = {
    name: 'broken',
    openapi: 'broken/openapi.yaml',
    apiName: 'BrokenApi',
    validators: { packageName: 'v', folder: 'v' },
    client: { packageName: 'c', folder: 'c' },
  }

  it('changes no file, says each place and reason, and ends with 2', async () => {
    writeFileSync(join(out, 'untouched.gen.ts'), '')
    const before = filesBelow(out)
    expect(await run(['--out', out], (line) => lines.push(line), { root, services: [broken] })).toBe(2)
    expect(lines).toEqual([expect.any(String), 'generate: nothing was written.'])
    expect(lines[0]).toContain('broken/openapi.yaml:10 #/paths/~1things/get\n    an operation needs x-retry')
    expect(lines[0]).toContain('broken/openapi.yaml:20 #/components/schemas/Thing/then\n')
    expect(filesBelow(out)).toEqual(before)
  })

  it('keeps the services from being written that could be', async () => {
    const words = ['--out', out]
    const { validators, client } = {
      validators: { packageName: 'v', folder: 'good/v' },
      client: { packageName: 'c', folder: 'good/c' },
    }
    const good = { name: 'good', openapi: 'lamps/openapi.yaml', apiName: 'GoodApi', validators, client }
    expect(await run(words, (line) => lines.push(line), { root, services: [good, broken] })).toBe(2)
    expect(filesBelow(out)).toEqual([])
  })

  it('may be missing', async () => {
    const missing = { ...broken, openapi: 'missing.yaml' }
    expect(await run(['--out', out], (line) => lines.push(line), { root, services: [missing] })).toBe(2)
    expect(lines[0]).toContain('missing.yaml')
  })
})

it('the committed files of every service are what their contracts generate', async () => {
  // A copy, so that a broken check cannot write into the repository.
  cpSync(join(repository, CONTRACT_LIST), join(out, CONTRACT_LIST), { recursive: true })
  for (const service of services) {
    for (const path of [
      service.validators.folder,
      service.client.folder,
      readmeOf(service),
      indexOf(service),
    ])
      cpSync(join(repository, path), join(out, path), { recursive: true })
  }
  expect(await generate('--check')).toBe(0)
})
