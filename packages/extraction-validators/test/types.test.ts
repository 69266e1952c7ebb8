import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'

import { expect, inject, it } from 'vitest'

const folder = resolve(import.meta.dirname, '..')

/** Where the zod of this run really is. */
function zodFolder(): string {
  const [packageName = ''] = inject('zod').split('/')
  return realpathSync(join(folder, 'node_modules', packageName)) + sep
}

/** Runs the compiler over the consumer's file with the zod of this run in the place of `zod`. */
function compile(file: string): { readonly output: string; readonly zodFiles: readonly string[] } {
  const name = inject('zod')
  const [packageName = name, entry] = name.split('/')
  const root = join(folder, 'node_modules', packageName)
  const work = mkdtempSync(join(tmpdir(), 'concord-types-'))
  const config = join(work, 'tsconfig.json')
  writeFileSync(
    config,
    JSON.stringify({
      extends: resolve(folder, '../../tsconfig.base.json'),
      compilerOptions: { types: [], paths: { zod: [join(root, entry ?? '', 'index.d.ts')] } },
      files: [join(folder, 'test', file)],
    }),
  )
  const compiler = join(
    dirname(createRequire(resolve(folder, '../../package.json')).resolve('typescript/package.json')),
    'bin/tsc',
  )
  try {
    const output = execFileSync(process.execPath, [compiler, '--noEmit', '--listFiles', '-p', config], {
      encoding: 'utf8',
    })
    return {
      output: output.replaceAll(/^\/.*\n/gm, ''),
      zodFiles: output.match(/^.*\/zod\/.*\.d\.c?ts$/gm) ?? [],
    }
  } catch (error) {
    return { output: String((error as { stdout: unknown }).stdout), zodFiles: [] }
  } finally {
    rmSync(work, { recursive: true })
  }
}

it('type-checks what a consumer writes, with the inferred types equal to the generated ones', () => {
  const { output, zodFiles } = compile('consumer.ts')
  expect(output).toBe('')
  expect(zodFiles.length).toBeGreaterThan(0)
  expect(zodFiles.filter((path) => !path.startsWith(zodFolder()))).toEqual([])
})
