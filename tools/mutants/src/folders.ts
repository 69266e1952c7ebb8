import { existsSync, globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A set of files to mutate. The tests of the package in `packageFolder` must notice the mutants. */
export interface MutatedFolder {
  readonly name: string
  readonly packageFolder: string
  readonly files: readonly string[]
}

const SOURCES_ONLY = ['!src/**/*.test.ts', '!src/**/test-support/**', '!src/gen/**']

const runtime = (folder: string): MutatedFolder => ({
  name: `runtime/${folder}`,
  packageFolder: 'packages/runtime',
  files: [`src/${folder}/**/*.ts`, '!src/*/node/**', ...SOURCES_ONLY],
})

const root = join(import.meta.dirname, '../../..')
const services = globSync('specs/*/openapi.yaml', { cwd: root })
  .map((file) => basename(dirname(file)))
  .filter((name) => existsSync(join(root, 'packages', name)))
  .toSorted()

const client = (name: string): MutatedFolder => ({
  name,
  packageFolder: `packages/${name}`,
  files: ['src/**/*.ts', '!src/index.ts', ...SOURCES_ONLY],
})

const FOLDERS: readonly MutatedFolder[] = [
  ...['retry', 'http', 'poll', 'session', 'device-flow', 'socket'].map(runtime),
  ...services.map(client),
]

/**
 * Finds folders by name. A name can be FOLDER or FOLDER:FILE. FILE is a path or a pattern, relative to the folder's
 * package, such as `src/{a,b}.ts`.
 *
 * @throws Error if a folder doesn't exist, or if no source file matches FILE.
 */
export function selectFolders(names: readonly string[]): readonly MutatedFolder[] {
  if (names.length === 0) return FOLDERS
  return names.map((name) => {
    const [folderName, file] = name.split(':')
    const folder = FOLDERS.find((each) => each.name === folderName)
    if (folder === undefined) {
      const known = FOLDERS.map((each) => each.name).join(', ')
      throw new Error(
        `Unknown folder \`${name}\`. Valid folders: ${known}. To mutate only one file, write FOLDER:FILE.`,
      )
    }
    const selected = file === undefined ? folder : { ...folder, name, files: [file, ...SOURCES_ONLY] }
    if (filesOf(selected).length > 0) return selected
    throw new Error(
      `No source file of ${folder.packageFolder} matches \`${file}\`. For several files, write a pattern, such as src/{a,b}.ts.`,
    )
  })
}

/** Returns the paths of a folder's files, relative to the root of the repository. */
export function filesOf(folder: MutatedFolder): readonly string[] {
  const cwd = join(root, folder.packageFolder)
  const excluded = folder.files.filter((file) => file.startsWith('!')).map((file) => file.slice(1))
  return folder.files
    .filter((file) => !file.startsWith('!'))
    .flatMap((pattern) => globSync(pattern, { cwd, exclude: excluded }))
    .map((file) => join(folder.packageFolder, file))
    .toSorted()
}
