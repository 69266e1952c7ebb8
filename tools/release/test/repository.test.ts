import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { moveRepository, repositoryAddress } from '../src/repository.ts'

let folder: string
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'concord-repository-'))
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
  mkdirSync(join(folder, 'packages/a'), { recursive: true })
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
  write(
    'package.json',
    '{ "private": true, "repository": { "url": "git+https://code.example/acme/concord.git" } }',
  )
  write('packages/a/package.json', '{ "name": "a", "license": "MIT", "type": "module" }')
  write(
    'packages/a/README.md',
    '[x](https://code.example/acme/concord/blob/main/docs/a.md) acme/concord-other',
  )
  write('action.md', 'uses: acme/concord/verify@v1')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('derives the members of every manifest from the root package.json', () => {
  expect(moveRepository(folder)).toEqual(['packages/a/package.json'])
  expect(JSON.parse(read('packages/a/package.json'))).toEqual({
    name: 'a',
    homepage: 'https://code.example/acme/concord/tree/main/packages/a#readme',
    bugs: 'https://code.example/acme/concord/issues',
    license: 'MIT',
    repository: { type: 'git', url: 'git+https://code.example/acme/concord.git', directory: 'packages/a' },
    type: 'module',
  })
  expect(moveRepository(folder)).toEqual([])
})

it('changes every mention of the repository to a new URL, even one that contains the old one', () => {
  moveRepository(folder, 'https://code.example/acme/concord-clients')
  expect(repositoryAddress(folder)).toBe('https://code.example/acme/concord-clients')
  expect(read('packages/a/README.md')).toBe(
    '[x](https://code.example/acme/concord-clients/blob/main/docs/a.md) acme/concord-other',
  )
  expect(read('action.md')).toBe('uses: acme/concord-clients/verify@v1')
  expect(JSON.parse(read('packages/a/package.json'))).toMatchObject({
    bugs: 'https://code.example/acme/concord-clients/issues',
  })
})

it.each(['git@code.example:acme/concord.git', 'acme/concord', ''])(
  "changes nothing for %j, which isn't a URL for a browser",
  (address) => {
    expect(() => moveRepository(folder, address)).toThrow('Pass a URL such as https://')
    expect(repositoryAddress(folder)).toBe('https://code.example/acme/concord')
  },
)
