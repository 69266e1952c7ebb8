import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { inFolder } from '../../src/corpus/scratch.ts'

const repository = resolve(import.meta.dirname, '../../../..')

/** The paths of packages that exist only in a test. */
type Paths = Readonly<Record<string, string>>

/** Type-checks code beside generated files. Returns the output of the compiler, which is empty without errors. */
export function typeCheck(
  files: ReadonlyMap<string, string>,
  code: string,
  paths: Paths = { '@concord/test-validators': './index.gen.ts' },
): Promise<string> {
  return compile(new Map([...files, ['consumer.ts', code]]), { entries: ['consumer.ts'], paths })
}

/**
 * Type-checks all of some generated files, and returns the errors in them. The runtime is read from its source, which is written for
 * the options of this project only.
 */
export async function errorsIn(
  files: ReadonlyMap<string, string>,
  {
    entries = [...files.keys()],
    paths = {},
    options = {},
  }: { readonly entries?: readonly string[]; readonly paths?: Paths; readonly options?: object } = {},
): Promise<string[]> {
  const lines = (await compile(files, { entries, paths, options })).split('\n')
  return lines.filter((line) => line.includes('error TS') && !line.includes('runtime/src/'))
}

/** Runs this project's compiler with its strict options and the given options. */
function compile(
  files: ReadonlyMap<string, string>,
  { entries, paths, options }: { entries: readonly string[]; paths: Paths; options?: object },
): Promise<string> {
  const runtime = join(repository, 'packages/runtime/src')
  const packages = {
    '@concord/runtime': join(runtime, 'index.ts'),
    '@concord/runtime/internal': join(runtime, 'internal.ts'),
    ...paths,
  }
  const config = {
    extends: join(repository, 'tsconfig.base.json'),
    compilerOptions: {
      noUnusedLocals: true,
      noUnusedParameters: true,
      types: [join(repository, 'node_modules/@types/node')],
      paths: Object.fromEntries(Object.entries(packages).map(([name, path]) => [name, [path]])),
      ...options,
    },
    files: entries,
  }
  return inFolder(files, (folder) => {
    const file = join(folder, 'tsconfig.json')
    writeFileSync(file, JSON.stringify(config))
    const compiler = join(repository, 'node_modules/typescript/bin/tsc')
    try {
      return execFileSync(process.execPath, [compiler, '--noEmit', '-p', file], { encoding: 'utf8' })
    } catch (error) {
      return String((error as { stdout: unknown }).stdout)
    }
  })
}
