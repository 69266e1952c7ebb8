import { execFileSync } from 'node:child_process'
import { chmod, mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, onTestFinished, it, vi } from 'vitest'

import { OptionsError } from '../../core/errors.ts'
import { rejection } from '../../http/test-support/fixtures.ts'
import { temporaryFolder } from '../../node/test-support/folder.ts'
import { tokenStoreConformance } from '../../testing/token-store-conformance.ts'
import { fileTokenStore, type FileTokenStoreOptions } from './file-token-store.ts'
import { explainStoreError } from './atomic-file.ts'

/** A store in a new folder, and its path. */
async function place() {
  const path = join(await temporaryFolder(), 'session.json')
  return { path, store: fileTokenStore(path) }
}

const create = async () => {
  const { path } = await place()
  return { open: () => fileTokenStore(path) }
}
for (const { name, run } of tokenStoreConformance({ create })) it(`R-41: in a file, ${name}`, run)

const SESSION = { accessToken: 'access-1', refreshToken: 'refresh-1', obtainedAtMs: 1 }

it('R-41: file and folders are for this user alone, whatever the umask', async () => {
  const path = join(await temporaryFolder(), 'new', 'deeper', 'session.json')
  const before = process.umask(0)
  try {
    await fileTokenStore(path).exclusive((held) => held.write(SESSION))
  } finally {
    process.umask(before)
  }
  const modes = await Promise.all(
    [path, `${path}.lock`, join(path, '..'), join(path, '..', '..')].map(
      async (each) => (await stat(each)).mode & 0o777,
    ),
  )
  expect(modes).toEqual([0o600, 0o700, 0o700, 0o700])
})

it('R-41: no secret is left beside the file', async () => {
  const { path, store } = await place()
  await store.exclusive((held) => held.write(SESSION))
  await store.exclusive((held) => held.write({ ...SESSION, accessToken: 'access-2' }))
  await store.requestLog?.update((record) => ({ record, result: 0 }))
  const names = await readdir(`${path}.lock`, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  expect(files).toEqual([join(`${path}.lock`, 'requests.json')])
  expect(await readFile(files[0]!, 'utf8')).not.toMatch(/access|refresh/)
})

it('R-41: the content is synced before the rename, and the folder before the write resolves', async () => {
  const { path, store } = await place()
  await store.exclusive((held) => held.write(SESSION))
  const probe = await open(path)
  const prototype = Object.getPrototypeOf(probe) as { sync(): Promise<void> }
  await probe.close()
  const there: (string | undefined)[] = []
  const sync = vi.spyOn(prototype, 'sync').mockImplementation(async () => {
    there.push((await store.read())?.accessToken)
  })
  onTestFinished(() => sync.mockRestore())
  await store.exclusive((held) => held.write({ ...SESSION, accessToken: 'access-2' }))
  expect(there).toEqual(['access-1', 'access-2'])
  await store.exclusive((held) => held.remove())
  expect(there).toEqual(['access-1', 'access-2', undefined])
})

it.each([0o640, 0o604, 0o620, 0o602, 0o601, 0o644])(
  'R-41: a file of mode %o is rejected, and neither read nor replaced',
  async (mode) => {
    const { path, store } = await place()
    await store.exclusive((held) => held.write(SESSION))
    const before = await readFile(path, 'utf8')
    await chmod(path, mode)
    await expect(store.read()).rejects.toThrow(/accessible to other users/)
    await expect(store.exclusive((held) => held.write(SESSION))).rejects.toBeInstanceOf(OptionsError)
    await expect(store.exclusive((held) => held.remove())).rejects.toBeInstanceOf(OptionsError)
    expect(await readFile(path, 'utf8')).toBe(before)
  },
)

it('R-41: a lock folder that others can write to is rejected', async () => {
  const { path, store } = await place()
  await mkdir(`${path}.lock`)
  await chmod(`${path}.lock`, 0o777)
  await expect(store.exclusive((held) => held.write(SESSION))).rejects.toThrow(/accessible to other/)
})

it('R-41: a link in place of the file is not followed', async () => {
  const { path: target, store } = await place()
  await store.exclusive((held) => held.write(SESSION))
  const path = `${target}-link`
  await symlink(target, path)
  await expect(fileTokenStore(path).read()).rejects.toThrow(/symbolic link/)
})

it.each([
  ['another file', '{"hosts":{}}', /does not contain a session/],
  ['text', 'secret notes', /does not contain a session/],
  ['an empty file', '', /session\.json: it is empty\./],
  ['half a session', '{"concordSession":1,"session":{"accessToken":"a"}}', /contains an incomplete session/],
  ['the session of a newer version', '{"concordSession":2,"session":{}}', /newer version/],
])('R-42: %s is rejected and never overwritten', async (_what, content, message) => {
  const { path, store } = await place()
  await writeFile(path, content, { mode: 0o600 })
  await expect(store.read()).rejects.toThrow(message)
  await expect(store.read()).rejects.not.toThrow(/notes/)
  await expect(store.exclusive((held) => held.write(SESSION))).rejects.toThrow(message)
  expect(await readFile(path, 'utf8')).toBe(content)
})

type Unusable = [what: string, make: (place: string) => string | Promise<string>, message: RegExp]
const unusable: Unusable[] = [
  ['a folder', (place: string) => place, /is not a session file\. Pass another path/],
  [
    'a path below a file',
    async (place: string) => {
      await writeFile(join(place, 'notes'), '')
      return join(place, 'notes', 'session.json')
    },
    /session\.json: a part of its path is a file and not a folder \(E\w+\)\. Pass another/,
  ],
  [
    'a name without end',
    (place: string) => join(place, 'a'.repeat(300)),
    /the name is too long \(ENAMETOOLONG\)\. Pass a shorter path/,
  ],
  ...(process.platform === 'linux'
    ? ([
        [
          'a folder that cannot be made',
          () => '/proc/none/deeper/session.json',
          /\/proc\/none\/deeper\/session\.json: the folder does not exist and cannot be created/,
        ],
        [
          'a pipe without a writer',
          (place: string) => {
            execFileSync('mkfifo', ['-m', '600', join(place, 'pipe')])
            return join(place, 'pipe')
          },
          /is not a session file/,
        ],
      ] satisfies Unusable[])
    : []),
]

it.each(unusable)('R-41: %s is explained, with a remedy', async (_what, make, message) => {
  const path = await make(await temporaryFolder())
  const store = fileTokenStore(path)
  const failure = await rejection(store.exclusive((held) => held.write(SESSION)))
  expect(failure).toBeInstanceOf(OptionsError)
  expect((failure as OptionsError).option).toBe('store')
  expect((failure as Error).message).toMatch(message)
})

it('R-41: errors for missing permission, space or file handles say so', () => {
  const of = (code: string) => {
    const error = Object.assign(new Error(code), { code, syscall: 'open' })
    return explainStoreError('session.json', error) as OptionsError
  }
  expect(of('EACCES').message).toBe(
    '`store` cannot use session.json: this user lacks the permission (EACCES). Let this user read and ' +
      'write the file and create files in its folder, or pass another path.',
  )
  for (const code of ['EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO']) {
    expect(of(code)).toBeInstanceOf(OptionsError)
    expect(of(code).message).toContain(`(${code})`)
    expect(of(code).cause).toMatchObject({ code })
  }
  const own = new Error('mine')
  expect(explainStoreError('session.json', own)).toBe(own)
})

it('R-41: an error of the work in a store is passed on unchanged', async () => {
  const failure = Object.assign(new Error('mine'), { code: 'ENOENT', syscall: 'open' })
  const { store } = await place()
  await expect(store.exclusive(() => Promise.reject(failure))).rejects.toBe(failure)
})

it.each([
  ['a misspelled option', 'session.json', { lockWait: 1 }, 'lockWait'],
  ['a time that is a string', 'session.json', { lockWaitMs: '1s' }, 'lockWaitMs'],
  ['a path with NUL', 'a\0b', {}, 'path'],
  ['a path that is a number', 3, {}, 'path'],
])('a file store is not made with %s', (_what, path, options, option) => {
  const make = () => fileTokenStore(path as string, options as FileTokenStoreOptions)
  expect(make).toThrow(OptionsError)
  expect(make).toThrow(expect.objectContaining({ code: 'invalid-options', option }))
})

it('R-41: a process that was mistaken for dead can no longer write or remove', async () => {
  const { path, store } = await place()
  const later = { ...SESSION, accessToken: 'access-of-the-next' }
  await store.exclusive(async (held) => {
    await held.write(SESSION)
    // As the next owner does it: the folder of this owner is taken out of the way, in one step.
    await rm(join(`${path}.lock`, 'session', 'held'), { recursive: true })
    await fileTokenStore(path).exclusive((next) => next.write(later))
    const late = { ...SESSION, accessToken: 'too-late' }
    for (const change of [() => held.write(late), () => held.remove()]) {
      const failure = await rejection(change())
      expect(failure).toBeInstanceOf(OptionsError)
      expect(failure).toMatchObject({
        message: expect.stringContaining(
          `left ${path} unchanged: another process took over the file's lock`,
        ) as string,
        cause: { code: 'ENOENT' },
      })
    }
  })
  expect(await store.read()).toEqual(later)
})

it('R-46: a request log that cannot be read counts as empty', async () => {
  const { path, store } = await place()
  const times = () => store.requestLog!.update((record) => ({ record, result: record.timesMs }))
  await times()
  await writeFile(join(`${path}.lock`, 'requests.json'), '{"timesMs":[1,', { mode: 0o600 })
  expect(await times()).toEqual([])
})

it('R-41: creating a store touches no file', async () => {
  const path = await temporaryFolder()
  expect(JSON.stringify(fileTokenStore(join(path, 'a', 'session.json')))).toContain('session.json')
  expect(await readdir(path)).toEqual([])
  expect(() => fileTokenStore('')).toThrow(OptionsError)
})
