import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { temporaryFolder } from './test-support/folder.ts'
import { useFaultyDisk } from './test-support/faulty-disk.ts'

const disk = useFaultyDisk()
const { openRecordFile } = await import('./record-file.ts')

const options = { kind: 'test', version: 1, option: 'journal', lockWaitMs: 0 } as const

/** A file with one line and half of another, as a killed process leaves it, or no file at all. */
async function place(state: 'new' | 'torn' | 'whole'): Promise<string> {
  const path = join(await temporaryFolder(), 'records')
  if (state === 'new') return path
  const file = await openRecordFile(path, options)
  await file.append(['before'])
  await file.close()
  if (state === 'torn') await writeFile(path, '0123 half', { flag: 'a' })
  return path
}

async function read(path: string): Promise<readonly unknown[]> {
  const file = await openRecordFile(path, options)
  await file.close()
  return file.records
}

/** Opens the file, appends twice and closes it. Returns what was acknowledged, and the errors. */
async function write(path: string) {
  const acknowledged: unknown[] = []
  const errors: unknown[] = []
  const note = (error: unknown) => void errors.push(error)
  const file = await openRecordFile(path, options).catch(note)
  for (const record of ['one', 'two']) {
    await file?.append([record]).then(() => acknowledged.push(record), note)
  }
  await file?.close().catch(note)
  disk.unwatch()
  return { acknowledged, errors }
}

/** Counts the operations of a run without faults. */
async function operations(state: 'new' | 'torn' | 'whole'): Promise<readonly string[]> {
  const path = await place(state)
  const names = disk.record()
  expect(await write(path)).toMatchObject({ acknowledged: ['one', 'two'], errors: [] })
  return names
}

const states = ['new', 'torn', 'whole'] as const

it.each(states)('an error of each operation in a file that is %s loses no record', async (state) => {
  const names = await operations(state)
  expect(names.length).toBeGreaterThan(15)
  const before = state === 'new' ? [] : ['before']
  for (const code of ['ENOSPC', 'EIO', 'EMFILE']) {
    for (const [index, name] of names.entries()) {
      const path = await place(state)
      disk.failAt(index, code)
      const { acknowledged, errors } = await write(path)
      const which = `${code} in operation ${index}, ${name}`
      for (const error of errors) {
        expect(error, which).toMatchObject({ code: 'invalid-options', option: 'journal' })
        expect((error as Error).message, which).toContain(path)
      }
      await rm(`${path}.lock`, { recursive: true, force: true })
      const found = await read(path)
      expect(found.slice(0, before.length + acknowledged.length), which).toEqual([...before, ...acknowledged])
      // A record whose write failed may be there, too, in its order.
      expect([...before, 'one', 'two'], which).toEqual(expect.arrayContaining([...found]))
    }
  }
})

it.each(states)('a takeover at each operation in a file that is %s loses no record', async (state) => {
  const names = await operations(state)
  const before = state === 'new' ? [] : ['before']
  for (const [index, name] of names.entries()) {
    const path = await place(state)
    const which = `takeover before operation ${index}, ${name}`
    let next: Promise<void> | undefined
    disk.watch((_name, number) => {
      if (number === index) next = takeOver(path)
      return number === index ? next : undefined
    })
    const { acknowledged, errors } = await write(path)
    await next
    for (const error of errors) {
      expect((error as Error).message, which).toContain(path)
      expect(error, which).toMatchObject({
        name: expect.stringMatching(/^(Options|Deadline)Error$/) as string,
      })
    }
    const found = await read(path)
    expect(found.length, which).toBe(new Set(found).size)
    for (const record of [...before, ...acknowledged, 'next']) expect(found, which).toContain(record)
  }
})

/** Another process takes the lock over, as if its holder were dead, and writes. */
async function takeOver(path: string): Promise<void> {
  const held = join(`${path}.lock`, 'held')
  const [owner] = await readdir(held).catch(() => [])
  if (owner !== undefined) await rename(join(held, owner), join(`${path}.lock`, `dead-${owner}`))
  const file = await openRecordFile(path, options)
  await file.append(['next'])
  await file.close()
  expect(await readFile(path, 'utf8')).toContain('next')
}
