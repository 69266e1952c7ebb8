import { File as NodeFile } from 'node:buffer'

const OwnFile = NodeFile as unknown as typeof globalThis.File

let turn: Promise<unknown> = Promise.resolve()

/**
 * Parses a form. Node's parser fails if a test environment, such as jsdom, has replaced the global `File`. In that
 * case, this function restores Node's `File` temporarily and parses the form again. These retries run one at a time,
 * because they change a global.
 *
 * @throws TypeError if the form is malformed.
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
