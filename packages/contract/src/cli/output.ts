import { access, constants, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ContractError, invalidOptions } from '@concord/spec-model'

/** Creates a file, completely or not at all, and its parent folders. @throws {@link ContractError} */
export async function writeOut(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.unfinished`
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(unfinished, text)
    await rename(unfinished, path)
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => undefined)
    throw notWritable(path, cause)
  }
}

/** Creates the parent folders of a file. @throws {@link ContractError} if no file can be written there. */
export async function checkWritable(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await access(dirname(path), constants.W_OK)
  } catch (cause) {
    throw notWritable(path, cause)
  }
}

function notWritable(path: string, cause: unknown): ContractError {
  return invalidOptions(
    `${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
    'Choose a file in a writable folder.',
    { cause },
  )
}
