import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './test-support/folder.ts'
import { useFaultyDisk } from './test-support/faulty-disk.ts'

const disk = useFaultyDisk()
const { createClient } = await import('../http/client.ts')
const { download, downloadInto } = await import('../http/download.ts')
const { memoryTransport } = await import('../testing/transports.ts')

const content = 'the whole film'
const sha256 = createHash('sha256').update(content).digest('hex')
const client = createClient({
  servers: { api: 'https://service.test' },
  transport: memoryTransport(() => new Response(content)),
})

const ways = {
  download: (folder: string) => download(client, 'https://files.test/film', join(folder, 'film'), { sha256 }),
  downloadInto: (folder: string) =>
    downloadInto(client, 'https://files.test/film', join(folder, 'new'), { sha256, nameBy: () => 'film' }),
}

/** Downloads into an empty folder. Returns the error, if any, and all files. */
async function run(way: keyof typeof ways) {
  const folder = await temporaryFolder()
  const error: unknown = await ways[way](folder).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  disk.unwatch()
  const paths = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = paths.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  return { error, folder, files: await Promise.all(files.map((path) => readFile(path, 'utf8'))) }
}

it.each(['download', 'downloadInto'] as const)(
  'R-09: an error of each operation of %s leaves the whole file or none, and says what to do',
  async (way) => {
    const names = disk.record()
    expect(await run(way)).toMatchObject({ error: undefined, files: [content] })
    expect(names).toEqual(expect.arrayContaining(['open', 'write', 'sync', 'close', 'rename', 'rm']))
    for (const code of ['ENOSPC', 'EIO', 'EMFILE', 'EACCES']) {
      for (const [index, name] of names.entries()) {
        disk.failAt(index, code)
        const { error, folder, files } = await run(way)
        const which = `${code} in operation ${index}, ${name}`
        if (error !== undefined) {
          const option = way === 'downloadInto' && /^(?:mkdir|open)$/.test(name) ? 'folder' : 'path'
          expect(error, which).toMatchObject({ code: 'invalid-options', option })
          expect((error as Error).message, which).toContain(folder)
        }
        expect(files, which).toEqual(error === undefined ? [content] : [])
      }
    }
  },
)
