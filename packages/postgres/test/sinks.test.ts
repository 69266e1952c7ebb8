import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { type DownloadableResult, folderSink } from '../src/jobs/sinks.ts'

let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'concord-sinks-'))))
afterEach(() => rm(folder, { recursive: true }))

const job = (name: string) => ({
  batch: name.replace(/-\d+$/, ''),
  index: 0,
  id: 'task',
  name,
  signal: new AbortController().signal,
})

/** A result with files that are empty. */
const files = (count: number): DownloadableResult => ({
  download: async ({ folder, nameOf }) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const path = join(folder, nameOf({ index, count }))
        await writeFile(path, '')
        return { path, sizeBytes: 0 }
      }),
    ),
})

it.each(['a'.repeat(300), '\u6587'.repeat(65), '\uD800'.repeat(150)])(
  'folderSink stores the results of a batch with a long name in different files: %s',
  async (batch) => {
    for (const position of [1, 2, 12]) await folderSink(folder)({ position }, job(`${batch}-${position}`))
    const names = await readdir(folder)
    expect(names).toHaveLength(3)
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(205)
  },
)

it('folderSink keeps the files of a job apart from those of a batch with a similar name', async () => {
  await folderSink(folder)(files(2), job('a-1'))
  await folderSink(folder)(files(1), job('a-1-1'))
  expect((await readdir(folder)).toSorted()).toEqual(['a-1-1', 'a-1_1', 'a-1_2'])
})

it('folderSink says which folder cannot be written, and leaves no file behind', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  const inFile = folderSink(join(file, 'results'))({}, job('a-1'))
  await expect(inFile).rejects.toMatchObject({
    code: 'invalid-options',
    option: 'folder',
    cause: { code: 'ENOTDIR' },
  })
  await mkdir(join(folder, 'a-1.json'))
  await expect(folderSink(folder)({}, job('a-1'))).rejects.toThrow(
    `\`folder\` "${folder}" cannot be written (EISDIR).`,
  )
  expect((await readdir(folder)).toSorted()).toEqual(['a-1.json', 'file'])
})
