import { File as NodeFile } from 'node:buffer'

const OwnFile = NodeFile as unknown as typeof globalThis.File

let turn: Promise<unknown> = Promise.resolve()

/**
 * Reads a form. Node makes its files with the global `File`, and then asserts that they are its own. In test environments
 * that replace the global, such as jsdom, forms with files are read again, one after the other, with Node's `File` in its
 * place.
 *
 * @throws TypeError if it isn't a form that can be read.
 */
export async function readForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
  const read = (): Promise<FormData> =>
    new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  try {
    return await read()
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_ASSERTION') throw error
  }
  const form = turn.then(async () => {
    const replacement = globalThis.File
    globalThis.File = OwnFile
    try {
      return await read()
    } finally {
      globalThis.File = replacement
    }
  })
  turn = form.catch(() => undefined)
  return form
}
