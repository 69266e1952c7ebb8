import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { git } from '../../release-plan/src/git.ts'
import { type OwnService as Service, contractFiles, servicesIn } from '../../generate/src/services.ts'

export { type Service, contractFiles, servicesIn }

export function packagesOf({ name, output }: Service): {
  readonly client: string
  readonly validators: string
} {
  return { client: `@concord/${name}`, validators: output.validatorsPackage }
}

function serviceFolders({ name }: Service): readonly string[] {
  const [client, emulator] = [`packages/${name}`, 'packages/emulator']
  return [
    `specs/${name}`,
    ...['src', 'test', 'contract'].map((folder) => `${client}/${folder}`),
    `${client}-validators/src`,
    `${emulator}/src/${name}`,
    `${emulator}/test/${name}`,
  ]
}

/** Returns whether the generated files are missing, or were generated from another version of the contract. */
export function isStale(root: string, service: Service): boolean {
  const file = join(root, service.output.client, 'spec.gen.ts')
  if (!existsSync(file)) return true
  const generated = readFileSync(file, 'utf8')
  return contractFiles(service).some((contract) => {
    const text = readFileSync(join(root, contract), 'utf8').replaceAll('\r\n', '\n')
    return !generated.includes(createHash('sha256').update(text).update('\0').digest('hex'))
  })
}

/** Returns a digest of those files of the service for which `counts` returns true. */
export function fingerprint(
  root: string,
  service: Service,
  counts: (file: string) => boolean = () => true,
): string {
  const hash = createHash('sha256')
  const files = serviceFolders(service).flatMap((folder) => filesIn(root, folder))
  for (const file of files.filter(counts))
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

/** Returns the files in a folder and its subfolders, relative to the root, in a fixed order. */
export function filesIn(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !file.includes('/node_modules/'))
    .toSorted()
}

/** Returns the paths of the files in `specs` that differ from the last commit. */
export function uncommittedContracts(root: string): ReadonlySet<string> {
  const listed = git(root, ['status', '--porcelain', '--untracked-files=all', '-z', '--', 'specs']) ?? ''
  return new Set(listed.split('\0').map((line) => line.slice(3)))
}
