import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { command, lamps, lampsConfig, projectOf } from '../../test/support/command.ts'
import { decodeDocument } from './decode.ts'
import { parseTree } from './source.ts'

const project = (openapi: string) => projectOf({ 'concord.config.json': lampsConfig({ openapi }) })

describe('a contract that is', () => {
  it.each([
    ['a pipe', (path: string) => void spawnSync('mkfifo', [path]), 'it is a pipe or a device, not a file'],
    ['a folder', mkdirSync, 'it is a folder, not a file'],
    ['a symbolic link to itself', (path: string) => symlinkSync(path, path), 'it is a symbolic link that leads back to itself'],
    ['a symbolic link to a device without end', (path: string) => symlinkSync('/dev/zero', path), 'it is a pipe or a device'],
    ['empty', (path: string) => writeFileSync(path, ''), 'the document is empty'],
    ['binary', (path: string) => writeFileSync(path, Buffer.from([0, 159, 146, 150])), "it isn't text in UTF-8"],
    ['in another encoding', (path: string) => writeFileSync(path, 'title: L\u00e4mps', 'latin1'), "it isn't text in UTF-8"],
    ['a web page', (path: string) => writeFileSync(path, '<!doctype html><html></html>'), 'it is an HTML page, not a document in YAML or JSON'],
    ['a list', (path: string) => writeFileSync(path, '- a'), 'the document is a list, but must be an object'],
    ['not YAML', (path: string) => writeFileSync(path, 'a: b: c'), 'openapi.yaml:1 #\n    not valid YAML: Nested mappings are not allowed in compact mappings\nconcord'],
    ['of Swagger 2', (path: string) => writeFileSync(path, 'swagger: "2.0"'), 'Convert it, for example with `npx swagger2openapi FILE --outfile openapi.yaml`'],
    ['of an unknown kind', (path: string) => writeFileSync(path, 'type: object'), 'neither an OpenAPI nor an AsyncAPI document: a member such as'],
    ['of AsyncAPI, with an incomplete version', (path: string) => writeFileSync(path, "asyncapi: '3.0'"), 'the version 3.0 lacks its last number; write `asyncapi: 3.0.0`'],
    ['of a version that is a number', (path: string) => writeFileSync(path, 'openapi: 3.1'), '`openapi: 3.1` is a number; write the whole version, such as `openapi: 3.1.0`'],
    ['of an old version that is a number', (path: string) => writeFileSync(path, 'openapi: 2.0'), 'the version is 2, and only OpenAPI 3.0, 3.1 and 3.2 are read'],
    ['without content', (path: string) => writeFileSync(path, 'openapi: 3.1.0'), 'it has no operations, channels or schemas, so nothing can be generated'],
    ['with an alias that leads back to itself', (path: string) => writeFileSync(path, `${lamps}x-a: &a\n  b: [*a]\n`), 'a YAML alias refers to a value that contains the alias itself'],
    ['nested too deeply', (path: string) => writeFileSync(path, `${lamps}x-a: ${'['.repeat(1e5)}${']'.repeat(1e5)}\n`), 'nested too deeply'],
    ['a bomb of aliases', (path: string) => writeFileSync(path, `a: &a [1]\n${[...'bcdefghijklmnopqrstuvwx'].map((name, index) => `${name}: &${name} [*${'abcdefghijklmnopqrstuvwx'[index]}, *${'abcdefghijklmnopqrstuvwx'[index]}]\n`).join('')}`), 'aliases expand to more than'],
  ])('%s is rejected with a reason', async (_, make, reason) => {
    const folder = project('openapi.yaml')
    make(join(folder, 'openapi.yaml'))
    const { code, errors } = await command(folder, [])
    expect(code).toBe(2)
    expect(errors).toContain(reason)
  }) // prettier-ignore

  it('a file without a size, whose content may never end, is not read', async () => {
    const { errors } = await command(project('/proc/self/maps'), [])
    expect(errors).toContain(process.platform === 'linux' ? 'the document is empty' : 'correct the path')
  })

  it('too large is not read', async () => {
    const { code, errors } = await command(projectOf({ 'concord.config.json': lampsConfig({ openapi: 'https://lamps.example/a.yaml' }) }), [], {
      fetch: async () => new Response(new Uint8Array(64 * 1024 * 1024 + 1)),
    }) // prettier-ignore
    expect({ code, errors }).toEqual({ code: 2, errors: expect.stringContaining('it has more than 64 MiB') })
  })
})

it('a contract may have a byte order mark, be in UTF-16, and end its lines in any way', () => {
  const little = Buffer.from(`\ufeff${lamps}`, 'utf16le')
  for (const bytes of [
    Buffer.from(lamps),
    Buffer.from(`\ufeff${lamps}`),
    little,
    Buffer.from(little).swap16(),
  ])
    expect(decodeDocument(bytes)).toEqual({ text: lamps })
  for (const end of ['\n', '\r\n', '\r']) {
    const { value, place } = parseTree(lamps.replaceAll('\n', end), 'openapi.yaml')
    expect(value).toMatchObject({ info: { title: 'Lamps' } })
    expect(place('#/components/schemas/Lamp').line).toBe(18)
  }
})

describe('files that cannot be written', () => {
  it('are named with the reason, and nothing is written', async () => {
    for (const [words, reason] of [
      [['--out', '/proc/concord'], '/proc/concord/src/gen/api.gen.ts can\'t be written: ENOENT'],
      [['--report', '/proc/concord/report.md'], 'The report /proc/concord/report.md can\'t be written: ENOENT'],
    ] as const) {
      if (process.platform !== 'linux') return
      const { code, errors } = await command(projectOf({ 'openapi.yaml': lamps, 'concord.config.json': lampsConfig() }), [...words])
      expect({ code, errors }).toEqual({ code: 2, errors: expect.stringContaining(reason) })
    }
  }) // prettier-ignore

  it('leave nothing behind if one of several fails; a run that was killed is cleaned up by the next one', async () => {
    const folder = projectOf({
      'openapi.yaml': lamps,
      'concord.config.json': lampsConfig(),
      'src/gen/types.gen.ts/keep.txt': '',
    })
    const failed = await command(folder, [])
    expect(failed.code).toBe(2)
    expect(failed.errors).toContain(
      'types.gen.ts is a folder, but a generated file has to be written at this path',
    )
    expect(readdirSync(join(folder, 'src/gen'))).toEqual(['types.gen.ts'])
    const other = projectOf({
      'openapi.yaml': lamps,
      'concord.config.json': lampsConfig(),
      // No process has this number.
      'src/gen/api.gen.ts.99999999.tmp': 'half of a fi',
      [`src/gen/api.gen.ts.${process.ppid}.tmp`]: 'another run',
    })
    expect((await command(other, [])).code).toBe(0)
    expect(existsSync(join(other, 'src/gen/api.gen.ts.99999999.tmp'))).toBe(false)
    expect(existsSync(join(other, `src/gen/api.gen.ts.${process.ppid}.tmp`))).toBe(true)
  })
})
