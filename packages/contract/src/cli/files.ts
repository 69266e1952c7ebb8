import { access, constants, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { type ContractError, invalidOptions, reasonOf } from '@concord/spec-model'

/** @throws {@link ContractError} */
export async function readInput(path: string, remedy: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw invalidOptions(`${path} could not be read: ${reasonOf(cause)}.`, remedy, { cause })
  }
}

/** Writes a file, completely or not at all, and creates its parent folders. @throws {@link ContractError} */
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

/** Creates the parent folders of a file. @throws {@link ContractError} if the file's folder isn't writable. */
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
    `${path} could not be written: ${reasonOf(cause)}.`,
    'Choose a file in a writable folder.',
    { cause },
  )
}
