import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test, vi } from 'vitest'

import { OptionsError } from '../core/errors.ts'
import { tokenStoreConformance } from '../testing/token-store-conformance.ts'
import { fileTokenStore } from './file-token-store.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'concord-store-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const create = async () => {
  const path = await mkdtemp(join(tmpdir(), 'concord-store-'))
  return {
    open: () => fileTokenStore(join(path, 'session.json')),
    dispose: () => rm(path, { recursive: true, force: true }),
  }
}
for (const { name, run } of tokenStoreConformance({ create })) test(`R-41: in a file, ${name}`, run)

const SESSION = { accessToken: 'access-1', refreshToken: 'refresh-1', obtainedAtMs: 1 }

test('R-41: the file is for its user alone, whatever the umask, and so are the folders that it makes', async () => {
  const path = join(await folder(), 'new', 'deeper', 'session.json')
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

test('R-41: nothing secret is left beside the file', async () => {
  const path = join(await folder(), 'session.json')
  const store = fileTokenStore(path)
  await store.exclusive((held) => held.write(SESSION))
  await store.exclusive((held) => held.write({ ...SESSION, accessToken: 'access-2' }))
  await store.requestLog?.update((record) => ({ record, result: 0 }))
  const names = await readdir(`${path}.lock`, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  expect(files).toEqual([join(`${path}.lock`, 'requests.json')])
  expect(await readFile(files[0]!, 'utf8')).not.toMatch(/access|refresh/)
})

test('R-41: the content is on the disk before it takes its place, and its place before the write is done', async () => {
  const path = join(await folder(), 'session.json')
  const store = fileTokenStore(path)
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

test.each([0o640, 0o604, 0o620, 0o602, 0o601, 0o644])(
  'R-41: a file of mode %o is refused, and neither read nor replaced',
  async (mode) => {
    const path = join(await folder(), 'session.json')
    const store = fileTokenStore(path)
    await store.exclusive((held) => held.write(SESSION))
    const before = await readFile(path, 'utf8')
    await chmod(path, mode)
    await expect(store.read()).rejects.toThrow(/open to other users/)
    await expect(store.exclusive((held) => held.write(SESSION))).rejects.toBeInstanceOf(OptionsError)
    await expect(store.exclusive((held) => held.remove())).rejects.toBeInstanceOf(OptionsError)
    expect(await readFile(path, 'utf8')).toBe(before)
  },
)

test('R-41: a lock folder that others can write to is refused', async () => {
  const path = join(await folder(), 'session.json')
  await mkdir(`${path}.lock`)
  await chmod(`${path}.lock`, 0o777)
  await expect(fileTokenStore(path).exclusive((held) => held.write(SESSION))).rejects.toThrow(/open to other/)
})

test('R-41: a link in place of the file is not followed', async () => {
  const place = await folder()
  const target = join(place, 'target.json')
  await fileTokenStore(target).exclusive((held) => held.write(SESSION))
  const path = join(place, 'session.json')
  await symlink(target, path)
  await expect(fileTokenStore(path).read()).rejects.toThrow(/symbolic link/)
})

test.each([
  ['another file', '{"hosts":{}}', /holds something else than a session/],
  ['text', 'secret notes', /holds something else than a session/],
  ['an empty file', '', /holds something else than a session/],
  ['half a session', '{"concordSession":1,"session":{"accessToken":"a"}}', /not whole/],
  ['the session of a newer version', '{"concordSession":2,"session":{}}', /newer version/],
])('R-42: %s is refused and never overwritten', async (_what, content, message) => {
  const path = join(await folder(), 'session.json')
  await writeFile(path, content, { mode: 0o600 })
  const store = fileTokenStore(path)
  await expect(store.read()).rejects.toThrow(message)
  await expect(store.read()).rejects.not.toThrow(/notes/)
  await expect(store.exclusive((held) => held.write(SESSION))).rejects.toThrow(message)
  expect(await readFile(path, 'utf8')).toBe(content)
})

test('R-41: a process that was taken for dead cannot write any more', async () => {
  const path = join(await folder(), 'session.json')
  const store = fileTokenStore(path)
  const later = { ...SESSION, accessToken: 'access-of-the-next' }
  const failed = await store
    .exclusive(async (held) => {
      await held.write(SESSION)
      // As the next owner does it: the folder of this owner is taken out of the way, in one step.
      const lock = join(`${path}.lock`, 'session', 'held')
      await rm(lock, { recursive: true })
      await fileTokenStore(path).exclusive((next) => next.write(later))
      await held.write({ ...SESSION, accessToken: 'too-late' })
    })
    .catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'ENOENT' })
  expect(await store.read()).toEqual(later)
  const removal = store.exclusive(async (held) => {
    await rm(join(`${path}.lock`, 'session', 'held'), { recursive: true })
    await held.remove()
  })
  await expect(removal).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await store.read()).toEqual(later)
})

test('R-46: a request log that cannot be read counts as empty', async () => {
  const path = join(await folder(), 'session.json')
  const store = fileTokenStore(path)
  const times = () => store.requestLog!.update((record) => ({ record, result: record.timesMs }))
  await times()
  await writeFile(join(`${path}.lock`, 'requests.json'), '{"timesMs":[1,', { mode: 0o600 })
  expect(await times()).toEqual([])
})

test('making a store touches nothing', async () => {
  const place = await folder()
  expect(JSON.stringify(fileTokenStore(join(place, 'a', 'session.json')))).toContain('session.json')
  expect(await readdir(place)).toEqual([])
  expect(() => fileTokenStore('')).toThrow(OptionsError)
})
