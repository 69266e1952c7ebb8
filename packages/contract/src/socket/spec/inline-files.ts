import { dirname, relative, resolve } from 'node:path'

import { ContractError } from '../../errors.ts'
import { escapeToken, isObject, type JsonObject } from '../../spec/json.ts'

/** Where other files stand in a document that was made whole. */
const place = 'x-files'

/**
 * Brings the files that a document refers to into the document itself, so that every reference is a pointer within it.
 *
 * @throws {@link ContractError} when a reference leads to something that is not a file beside it.
 */
export async function inlineFiles(
  document: JsonObject,
  file: string,
  read: (file: string) => Promise<JsonObject>,
): Promise<JsonObject> {
  const root = dirname(file)
  const files: Record<string, unknown> = {}
  const bring = async (path: string): Promise<string> => {
    const name = relative(root, path)
    if (!(name in files)) {
      files[name] = {}
      files[name] = await rewrite(await read(path), path)
    }
    return `#/${place}/${escapeToken(name)}`
  }
  const rewrite = async (node: unknown, from: string): Promise<unknown> => {
    if (Array.isArray(node)) return Promise.all(node.map((one) => rewrite(one, from)))
    if (!isObject(node)) return node
    const entries = Object.entries(node).map(async ([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? await reference(value, from) : await rewrite(value, from),
    ])
    return Object.fromEntries((await Promise.all(entries)) as [string, unknown][])
  }
  const reference = async (value: string, from: string): Promise<string> => {
    const [path = '', pointer = ''] = value.split('#')
    if (/^[a-z][a-z0-9+.-]*:/i.test(path)) {
      throw new ContractError(
        'spec-unsupported',
        `${from} refers to ${path}, which is not a file beside it.`,
        'Keep the documents of a contract in one folder.',
      )
    }
    const target = path === '' ? from : resolve(dirname(from), path)
    return target === file ? `#${pointer}` : `${await bring(target)}${pointer}`
  }
  const whole = (await rewrite(document, file)) as JsonObject
  return Object.keys(files).length > 0 ? { ...whole, [place]: files } : whole
}
