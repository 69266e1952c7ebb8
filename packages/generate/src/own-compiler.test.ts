import { join } from 'node:path'

import ts from 'typescript'
import { expect, it } from 'vitest'

import { projectOf } from '../test/support/command.ts'
import { useOwnCompiler } from './own-compiler.ts'

it('hey-api gets the TypeScript of this package, and everything else that of its project', async () => {
  const code = "export { version } from 'typescript'"
  const folder = projectOf({
    'package.json': { type: 'module' },
    'node_modules/typescript/package.json': { type: 'module', exports: './index.js' },
    'node_modules/typescript/index.js': "export const version = 'of the project'",
    'node_modules/@hey-api/openapi-ts/package.json': { type: 'module', exports: './index.js' },
    'node_modules/@hey-api/openapi-ts/index.js': `import ts from 'typescript'\nexport const { version } = ts`,
    'node_modules/other/package.json': { type: 'module', exports: './index.js' },
    'node_modules/other/index.js': code,
  })
  useOwnCompiler()
  const load = async (name: string) =>
    (await import(/* @vite-ignore */ join(folder, 'node_modules', name, 'index.js'))) as object
  expect(await load('@hey-api/openapi-ts')).toMatchObject({ version: ts.version })
  expect(await load('other')).toMatchObject({ version: 'of the project' })
})
