import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { temporaryFolder } from '../../node/test-support/folder.ts'
import { useFaultyDisk } from '../../node/test-support/faulty-disk.ts'
import type { StoredSession } from '../token-store.ts'

const disk = useFaultyDisk()
const { fileTokenStore } = await import('./file-token-store.ts')

const session = (name: string): StoredSession => ({ accessToken: name, refreshToken: name, obtainedAtMs: 1 })

async function place(): Promise<string> {
  const path = join(await temporaryFolder(), 'session.json')
  await write(path, 'first')
  return path
}

async function write(path: string, name: string): Promise<void> {
  await fileTokenStore(path, { lockWaitMs: 0 }).exclusive((held) => held.write(session(name)))
}

async function read(path: string): Promise<string | undefined> {
  return (await fileTokenStore(path).read())?.accessToken
}

/** Writes, and returns the error. */
async function tryWriting(path: string): Promise<unknown> {
  try {
    return await write(path, 'second').then(
      () => undefined,
      (error: unknown) => error,
    )
  } finally {
    disk.unwatch()
  }
}

/** The operations of a write without faults. */
async function operations(): Promise<readonly string[]> {
  const path = await place()
  const names = disk.record()
  expect(await tryWriting(path)).toBeUndefined()
  expect(names.length).toBeGreaterThan(15)
  return names
}

it('R-41: an error of each operation leaves the old session or the new one, and names the file', async () => {
  for (const code of ['ENOSPC', 'EIO', 'EMFILE', 'EROFS']) {
    for (const [index, name] of (await operations()).entries()) {
      const path = await place()
      const which = `${code} in operation ${index}, ${name}`
      disk.failAt(index, code)
      const error = await tryWriting(path)
      if (error !== undefined) {
        expect(error, which).toMatchObject({ code: 'invalid-options', option: 'store' })
        expect((error as Error).message, which).toContain(path)
      }
      expect(['first', 'second'].slice(error === undefined ? 1 : 0), which).toContain(await read(path))
    }
  }
})

it('R-41: a takeover at each operation keeps the session of the later holder', async () => {
  for (const [index, name] of (await operations()).entries()) {
    const path = await place()
    const which = `takeover before operation ${index}, ${name}`
    disk.watch(async (_name, number) => {
      if (number === index) await takeOver(path)
    })
    const error = await tryWriting(path)
    if (error === undefined) expect(['second', 'third'], which).toContain(await read(path))
    else {
      expect(error, which).toMatchObject({ message: expect.stringContaining(path) as string })
      expect(await read(path), which).toBe('third')
    }
  }
})

/** Another process takes the lock over, as if its holder were dead, and writes. */
async function takeOver(path: string): Promise<void> {
  const lock = join(`${path}.lock`, 'session')
  const [owner] = await readdir(join(lock, 'held')).catch(() => [])
  if (owner !== undefined) await rename(join(lock, 'held', owner), join(lock, `dead-${owner}`))
  await write(path, 'third')
  expect(await read(path)).toBe('third')
}
