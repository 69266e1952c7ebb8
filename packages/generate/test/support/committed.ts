import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import type { GeneratedFiles } from '../../src/generate.ts'
import type { Service } from '../../src/services.ts'

const repository = join(import.meta.dirname, '../../../..')

/**
 * The generated files of a service of this repository, as they are committed. Another check makes sure that the
 * generator still writes the same, so tests of what they do needn't generate them again.
 */
export function committedFiles({ validators, client }: Service): GeneratedFiles {
  return new Map(
    [validators.folder, client.folder].flatMap((folder) =>
      readdirSync(join(repository, folder)).map((name): [string, string] => {
        const file = `${folder}/${name}`
        return [file, readFileSync(join(repository, file), 'utf8')]
      }),
    ),
  )
}
