import { expect, it } from 'vitest'

import { checkTarball } from '../src/check-tarball.ts'
import { repositoryFields } from '../src/repository.ts'

const address = 'https://code.example/acme/concord'
const origin = {
  address,
  versions: new Map([
    ['@concord/a', '1.2.0'],
    ['@concord/b', '2.0.0'],
  ]),
}
const manifest = {
  name: '@concord/a',
  version: '1.2.0',
  description: 'An example',
  keywords: ['example'],
  license: 'MIT',
  ...repositoryFields(address, 'packages/a'),
  sideEffects: false,
  exports: {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './package.json': './package.json',
  },
  dependencies: { '@concord/b': '^2.0.0', ws: '8.0.0' },
  engines: { node: '>=22.19' },
}
const readme = `[using](${address}/blob/main/docs/using.md) [top](#top) \`[not](a-link)\``
const files = {
  LICENSE: 'MIT',
  'README.md': readme,
  'CHANGELOG.md': '# 1.2.0',
  'dist/index.js': 'export {}',
  'dist/index.d.ts': 'export {}',
}

function problems(changes: { manifest?: object; files?: Record<string, string | undefined> }): string[] {
  const all = {
    'package.json': JSON.stringify({ ...manifest, ...changes.manifest }),
    ...files,
    ...changes.files,
  }
  const entries = Object.entries(all).flatMap(([path, text]) =>
    text === undefined ? [] : [[path, Buffer.from(text)] as const],
  )
  return checkTarball({ name: '@concord/a', folder: 'packages/a', files: new Map(entries) }, origin)
}

it('accepts a package with complete metadata', () => {
  expect(problems({})).toEqual([])
})

it.each([
  [
    'a version of another release',
    { version: '1.1.0' },
    'package.json has version "1.1.0" instead of "1.2.0"',
  ],
  ['another repository', { bugs: 'https://code.example/old/issues' }, 'package.json has bugs'],
  ['no keywords', { keywords: undefined }, 'package.json has no keywords'],
  ['no engines', { engines: undefined }, 'package.json has no engines'],
  ['no sideEffects', { sideEffects: undefined }, 'package.json has no sideEffects'],
  ['a range of the workspace', { dependencies: { ws: 'workspace:^' } }, 'depends on ws as workspace:^'],
  [
    'a package of an earlier release',
    { dependencies: { '@concord/b': '^1.0.0' } },
    'depends on @concord/b ^1.0.0, but this release has 2.0.0',
  ],
  [
    'an entry without a file',
    { main: './dist/index.cjs' },
    "names ./dist/index.cjs, which isn't in the package",
  ],
  ['a missing declaration', { types: 'dist/main.d.ts' }, "names dist/main.d.ts, which isn't in the package"],
  ['a pattern without a file', { exports: { './*.css': './css/*.css' } }, 'names ./css/*.css'],
  [
    'a private package of the workspace',
    { dependencies: { '@concord/kit': '^0.0.0' } },
    "depends on @concord/kit, which isn't published",
  ],
  [
    'a condition of the workspace',
    { exports: { '.': { '@concord/source': './dist/index.js' } } },
    'package.json has the export condition @concord/source',
  ],
])('rejects a manifest with %s', (_what, change, message) => {
  expect(problems({ manifest: change })).toEqual([expect.stringContaining(message)])
})

it.each([
  ['a test', 'src/a.test.ts', '', "has src/a.test.ts, which its users don't need"],
  ['a report', 'reports/junit.xml', '', "has reports/junit.xml, which its users don't need"],
  [
    'the path of a machine',
    'dist/a.js.map',
    '{"sources":["/home/me/a.ts"]}',
    'dist/a.js.map contains a path of the build machine',
  ],
  [
    'a file URL',
    'dist/a.js',
    'import "file:///builds/a.js"',
    'dist/a.js contains a path of the build machine',
  ],
  [
    'a relative link in its README',
    'README.md',
    '[x](../../docs/a.md)',
    'README.md has the relative link ../../docs/a.md',
  ],
  [
    'a link that leaves the package',
    'GUIDE.md',
    '[x](./fixtures)',
    "GUIDE.md links to ./fixtures, which isn't in the package",
  ],
  ['no license', 'LICENSE', undefined, 'has no LICENSE'],
  ['no changelog', 'CHANGELOG.md', undefined, 'has no CHANGELOG.md'],
])('rejects a package with %s', (_what, path, text, message) => {
  expect(problems({ files: { [path]: text } })).toEqual([expect.stringContaining(message)])
})

it('accepts the sources in a folder with the name of a report', () => {
  expect(problems({ files: { 'src/coverage/matrix.ts': '' } })).toEqual([])
})
