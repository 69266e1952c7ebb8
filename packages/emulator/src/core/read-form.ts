import { File as NodeFile } from 'node:buffer'

const OwnFile = NodeFile as unknown as typeof globalThis.File

let turn: Promise<unknown> = Promise.resolve()

/**
 * Reads a form. Node makes its files with the global `File`, and then rejects those of test environments that replace
 * it, such as jsdom. There, forms are read one after the other, with Node's own `File` in its place.
 *
 * @throws TypeError if it isn't a form that can be read.
 */
export function readForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
  const source = new Response(bytes, { headers: { 'content-type': contentType } })
  if (globalThis.File === OwnFile) return source.formData()
  const read = async (): Promise<FormData> => {
    const replacement = globalThis.File
    globalThis.File = OwnFile
    try {
      return await source.formData()
    } finally {
      globalThis.File = replacement
    }
  }
  const form = turn.then(read)
  turn = form.catch(() => undefined)
  return form
}
