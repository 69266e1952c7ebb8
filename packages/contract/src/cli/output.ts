import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ContractError } from '@concord/spec-model'

/** Writes a file, and the folders above it. @throws {@link ContractError} */
export async function writeOut(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  } catch (cause) {
    throw new ContractError(
      'invalid-options',
      `${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
      'Choose a file that can be written.',
      { cause },
    )
  }
}
