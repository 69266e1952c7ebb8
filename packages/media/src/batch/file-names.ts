import { OptionsError } from '@concord/runtime'

import type { ItemState } from './state.ts'

/** The file names of a batch, without extensions. Ensures that no file replaces a file of another request. */
export class FileNames {
  readonly #requests = new Map<string, number>()

  /** @param items - The states of the requests. Names of files that earlier processes stored are taken too. */
  constructor(items: readonly Pick<ItemState, 'files'>[]) {
    for (const [index, { files }] of items.entries())
      for (const { path } of files) this.#requests.set(withoutExtension(path), index)
  }

  /** Claims a name for a request and returns it. @throws OptionsError if another request has this name. */
  claim(index: number, name: string): string {
    const owner = this.#requests.get(name) ?? index
    if (owner !== index) {
      throw new OptionsError(
        'store.nameOf',
        `\`store.nameOf\` returned the same name for requests[${owner}] and requests[${index}], so one file would replace the other.`,
        'Make the name depend on `request` or `taskId`. Then resume the batch; without a journal, download the outputs ' +
          'through the `handle` of each `unfinished` outcome.',
      )
    }
    this.#requests.set(name, index)
    return name
  }
}

function withoutExtension(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return name.replace(/\.[^.]*$/, '')
}
