import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, it, onTestFinished } from 'vitest'

import { ConfigError } from './config/check-config.ts'
import { type Change, makeFolder, write } from './write.ts'

const names = ['a', 'b', 'c', 'd']
const changes = names.map((name): Change => ({
  file: `gen/${name}.gen.ts`,
  kind: 'changed',
  text: `new ${name}`,
  added: 1,
  removed: 1,
}))

/** A new folder with the old files. */
function oldFiles(): { readonly root: string; readonly folder: string } {
  const root = mkdtempSync(join(tmpdir(), 'concord-write-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'gen')
  makeFolder(folder)
  for (const name of names) writeFileSync(join(folder, `${name}.gen.ts`), `old ${name}`)
  return { root, folder }
}

it.each([0, 2, 3])(
  'a run that is killed at file %i leaves every old file, and the next run completes it',
  (at) => {
    const { root, folder } = oldFiles()
    // The process kills itself when the text of the file is read.
    const program = `
    import { write } from ${JSON.stringify(new URL('write.ts', import.meta.url).href)}
    const changes = ${JSON.stringify(changes)}
    Object.defineProperty(changes[${at}], 'text', { get: () => process.kill(process.pid, 'SIGKILL') })
    write(changes, ${JSON.stringify(root)})`
    const child = spawnSync(process.execPath, [
      '--conditions=@concord/source',
      '--input-type=module',
      '--eval',
      program,
    ])
    expect(child.signal).toBe('SIGKILL')
    for (const name of names) expect(readFileSync(join(folder, `${name}.gen.ts`), 'utf8')).toBe(`old ${name}`)
    expect(readdirSync(folder)).toHaveLength(names.length + at)
    write(changes, root)
    expect(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])).toEqual(
      names.map((name) => [`${name}.gen.ts`, `new ${name}`]),
    )
  },
)

it.skipIf(!existsSync('/dev/full'))(
  'a full disk leaves every old file, and is the reason that is named',
  () => {
    const { root, folder } = oldFiles()
    // Writing to this device always fails, because it has no space.
    symlinkSync('/dev/full', join(folder, `c.gen.ts.${process.pid}.tmp`))
    expect(() => write(changes, root)).toThrow(
      new ConfigError(`${join(folder, 'c.gen.ts')} can't be written: ENOSPC: no space left on device, write`),
    )
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(
      names.map((name) => `old ${name}`),
    )
  },
)
