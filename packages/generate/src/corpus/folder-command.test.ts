import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, it, onTestFinished } from 'vitest'

import { readFolderCommand } from './folder-command.ts'

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'concord-folder-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  for (const name of ['d.json', 'b.yaml', 'c.md', 'a.yml']) writeFileSync(join(made, name), '')
  return made
}

it('reads a folder with its documents, every Nth of them, and the flags', () => {
  const path = folder()
  expect(readFolderCommand([path], ['json'])).toMatchObject({
    folder: path,
    files: ['a.yml', 'b.yaml', 'd.json'],
    timeoutMs: 120_000,
  })
  const command = readFolderCommand(['--every', '2', path, '--tsc', '--timeout=7'], ['json', 'tsc'])
  expect(command).toMatchObject({ files: ['a.yml', 'd.json'], timeoutMs: 7000 })
  expect(command.has('tsc')).toBe(true)
  expect(command.has('json')).toBe(false)
})

it.each([
  [[], 'The argument FOLDER is missing.'],
  [['/no/such/folder'], "The folder `/no/such/folder` doesn't exist."],
  [['.', 'other'], 'Unexpected argument `other`: pass only one folder.'],
  [['.', '--wrong'], 'Unknown option `--wrong`.'],
  [['.', '--every', 'x'], '`--every` needs a whole number from 1 to 999999, not `x`.'],
  [['.', '--every', '0'], '`--every` needs a whole number from 1 to 999999, not `0`.'],
  [['.', '--timeout'], '`--timeout` needs a whole number from 1 to 999999, not ``.'],
])('rejects the arguments %j', (words, message) => {
  expect(() => readFolderCommand(words, ['json'])).toThrow(message)
})
