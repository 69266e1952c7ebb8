import { execFileSync, spawnSync } from 'node:child_process'
import { appendFile, chmod, mkdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, it, vi } from 'vitest'

import { OptionsError } from '../core/errors.ts'
import { temporaryFolder } from './test-support/folder.ts'
import { openRecordFile, type RecordFile } from './record-file.ts'

async function open(path: string, own: { readonly version?: number; readonly lockWaitMs?: number } = {}) {
  const file = await openRecordFile(path, {
    kind: 'test',
    version: 1,
    option: 'journal',
    lockWaitMs: 0,
    ...own,
  })
  onTestFinished(() => file.close())
  return file
}

/** Writes records in a separate process. */
async function wrote(path: string, ...writes: readonly (readonly unknown[])[]): Promise<void> {
  const file = await open(path)
  for (const records of writes) await file.append(records)
  await file.close()
}

async function read(path: string): Promise<readonly unknown[]> {
  const file = await open(path)
  await file.close()
  return file.records
}

/** Spies on what makes a write durable, in every open file. */
async function syncOf(path: string) {
  const probe = await (await import('node:fs/promises')).open(path)
  const prototype = Object.getPrototypeOf(probe) as { datasync(): Promise<void> }
  await probe.close()
  const sync = vi.spyOn(prototype, 'datasync')
  onTestFinished(() => sync.mockRestore())
  return sync
}

it('a file returns the records of all earlier writers in order', async () => {
  const path = join(await temporaryFolder(), 'new', 'folder', 'records')
  await wrote(path, [1, { two: 'zwei\n2' }], [[3]])
  await wrote(path, ['four'])
  expect(await read(path)).toEqual([1, { two: 'zwei\n2' }, [3], 'four'])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

it('opening a file changes nothing, and creates none', async () => {
  const path = join(await temporaryFolder(), 'records')
  expect(await read(path)).toEqual([])
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
  await wrote(path, [1])
  await appendFile(path, '0000')
  const before = await readFile(path)
  expect(await read(path)).toEqual([1])
  expect(await readFile(path)).toEqual(before)
})

it('a file that is cut off at any byte keeps the complete writes, and can be appended to', async () => {
  const path = join(await temporaryFolder(), 'records')
  await wrote(path, ['one', 'two'], ['three', { päth: '/' }])
  const whole = await readFile(path)
  const lengths = [...whole.keys()].filter((index) => whole[index] === 0x0a).map((index) => index + 1)
  for (let length = 0; length <= whole.length; length++) {
    await writeFile(path, whole.subarray(0, length))
    const writes = lengths.filter((each) => each <= length).length - 1
    const expected = ['one', 'two', 'three', { päth: '/' }].slice(0, Math.max(0, writes) * 2)
    const file = await open(path)
    expect(file.records, `${length} bytes`).toEqual(expected)
    await file.append(['more'])
    await file.close()
    expect(await read(path), `${length} bytes`).toEqual([...expected, 'more'])
  }
})

it('appends that overlap share a write, keep their order, and are durable when they resolve', async () => {
  const path = join(await temporaryFolder(), 'records')
  const file = await open(path)
  await file.append([0])
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1)
  await Promise.all(numbers.map((number) => file.append([number])))
  const lines = (await readFile(path, 'utf8')).split('\n').length - 1
  expect(lines).toBeLessThanOrEqual(4)
  await file.close()
  expect(await read(path)).toEqual([0, ...numbers])
})

it('an append resolves only after the system has stored it', async () => {
  const path = join(await temporaryFolder(), 'records')
  const file = await open(path)
  await file.append([0])
  const { promise: stored, resolve: store } = Promise.withResolvers<void>()
  const sync = (await syncOf(path)).mockImplementation(() => stored)
  const seen: string[] = []
  const appended = file.append([1]).then(() => seen.push('appended'))
  await vi.waitFor(() => expect(sync).toHaveBeenCalled())
  seen.push('stored')
  store()
  await appended
  expect(seen).toEqual(['stored', 'appended'])
})

const foreign: [what: string, content: string, message: RegExp][] = [
  ['notes', 'milk\nbread\n', /contains something other than records of test/],
  ['notes without a line end', 'milk', /contains something other than records of test/],
  ['JSON', '{"concord":1}\n', /contains something other than records of test/],
  ['one empty line', '\n', /contains something other than records of test/],
]
it.each(foreign)('a file of records rejects %s without overwriting', async (_what, content, message) => {
  const path = join(await temporaryFolder(), 'records')
  await writeFile(path, content)
  await expect(open(path)).rejects.toThrow(message)
  await expect(open(path)).rejects.toBeInstanceOf(OptionsError)
  expect(await readFile(path, 'utf8')).toBe(content)
})

it('a file of records rejects records of another kind or a newer version without overwriting', async () => {
  const path = join(await temporaryFolder(), 'records')
  const other = await openRecordFile(path, { kind: 'other', version: 1, option: 'journal' })
  await other.append([1])
  await other.close()
  await expect(open(path)).rejects.toThrow(/other than records of test/)
  const newer = join(await temporaryFolder(), 'records')
  const file = await open(newer, { version: 2 })
  await file.append([1])
  await file.close()
  await expect(open(newer)).rejects.toThrow(
    /newer version of this package \(format 2; the installed version reads up to format 1\)/,
  )
  expect(await open(newer, { version: 3 }).then(({ records }) => records)).toEqual([1])
})

it('a changed byte in a complete line is reported as damage, and the file stays unchanged', async () => {
  const path = join(await temporaryFolder(), 'records')
  await wrote(path, ['one'], ['two'], ['three'])
  const content = await readFile(path, 'utf8')
  for (const [change, line] of [
    ['"one"', 2],
    ['"three"', 4],
  ] as const) {
    const broken = content.replace(change, change.toUpperCase())
    await writeFile(path, broken)
    await expect(open(path)).rejects.toThrow(`is damaged at line ${line}, and was not changed`)
    expect(await readFile(path, 'utf8')).toBe(broken)
  }
})

it('the error of a second writer says which process has the file open', async () => {
  const path = join(await temporaryFolder(), 'records')
  const file = await open(path)
  await expect(open(path)).rejects.toMatchObject({
    code: 'deadline',
    message: expect.stringContaining(`${path}.lock`),
  })
  await file.close()
  await (await open(path)).close()
})

it('after a failed write, the same process writes nothing more', async () => {
  const path = join(await temporaryFolder(), 'records')
  const file = await open(path)
  await file.append([1])
  const broken = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' })
  ;(await syncOf(path)).mockRejectedValueOnce(broken)
  await expect(file.append([2])).rejects.toMatchObject({
    option: 'journal',
    message: expect.stringContaining('EIO'),
  })
  await expect(file.append([3])).rejects.toMatchObject({ option: 'journal' })
})

/** Appends in a separate process until that fails; prints the number of appends and the error. */
const FILLER = `
import { openRecordFile } from ${JSON.stringify(join(import.meta.dirname, 'record-file.ts'))}
let count = 0
try {
  const file = await openRecordFile(process.argv[1], { kind: 'test', version: 1, option: 'journal', lockWaitMs: 0 })
  for (; count < 1000; count++) await file.append([{ count, text: 'x'.repeat(200) }])
} catch (error) {
  console.log(JSON.stringify({ count, code: error.code, message: error.message }))
}
process.exit()
`
const node = [
  process.execPath,
  '--conditions=@concord/source',
  '--no-warnings',
  '--input-type=module',
  '-e',
  FILLER,
]
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0

it.skipIf(!canMount)(
  'on a full disk, all acknowledged records are kept, and the error says what to do',
  async () => {
    const path = await temporaryFolder()
    const mount =
      'mount -t tmpfs -o size=64k tmpfs "$1" && shift && path=$1 && shift && "$@" "$path" && cat "$path" >&2'
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-rm', 'sh', '-c', mount, 'sh', path, join(path, 'records'), ...node],
      {
        encoding: 'utf8',
        timeout: 20_000,
      },
    )
    const { count, code, message } = JSON.parse(stdout) as { count: number; code: string; message: string }
    expect({ code, message }).toEqual({
      code: 'invalid-options',
      message: expect.stringMatching(
        /`journal` cannot use .*records: the disk is full \(ENOSPC\)\. Make room/,
      ),
    })
    expect(count).toBeGreaterThan(10)
    const copy = join(path, 'copy')
    await writeFile(copy, stderr)
    expect(await read(copy)).toHaveLength(count)
  },
)

it.skipIf(process.platform === 'win32')(
  'a file or folder without permission is reported before writing',
  async () => {
    const path = await temporaryFolder()
    const records = join(path, 'records')
    await wrote(records, [1])
    await chmod(path, 0o755)
    // Root may write everywhere, so the test runs as another user.
    const { uid, gid } =
      process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : { uid: undefined, gid: undefined }
    if (uid === undefined) await chmod(path, 0o555)
    const run = () => {
      const [command = '', ...args] = [...node, records]
      return JSON.parse(
        execFileSync(command, args, { encoding: 'utf8', ...(uid && { uid, gid }) }),
      ) as unknown
    }
    expect(run()).toMatchObject({
      count: 0,
      message: expect.stringMatching(/this user lacks the permission \(EACCES\)/),
    })
    await chmod(path, 0o777)
    await rm(`${records}.lock`, { recursive: true, force: true })
    expect(run()).toMatchObject({
      count: 0,
      message: expect.stringMatching(/this user lacks the permission \(EACCES\)/),
    })
    await rm(`${records}.lock`, { recursive: true, force: true })
    expect(await read(records)).toEqual([1])
  },
)

it('a folder in place of a file of records is rejected', async () => {
  const path = join(await temporaryFolder(), 'records')
  await mkdir(path)
  await expect(open(path)).rejects.toThrow(/is not a regular file|cannot use/)
})

it('nothing is written after another program has shortened or removed the file', async () => {
  for (const change of [(path: string) => truncate(path, 10), (path: string) => rm(path)]) {
    const path = join(await temporaryFolder(), 'records')
    await wrote(path, ['one'], ['two'])
    const file: RecordFile = await open(path)
    await change(path)
    await expect(file.append(['three'])).rejects.toThrow(
      `${path} was removed or shortened by another program`,
    )
    await file.close()
    expect(
      await stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ).toBeLessThanOrEqual(10)
  }
})

it('a symbolic link is rejected, since a file with two names would have two locks', async () => {
  const path = join(await temporaryFolder(), 'records')
  await wrote(path, ['one'])
  for (const target of [path, `${path}-missing`]) {
    await symlink(target, `${target}-link`)
    await expect(open(`${target}-link`)).rejects.toThrow(
      /`journal` cannot use .*-link: it is a symbolic link/,
    )
  }
  expect(await read(path)).toEqual(['one'])
})
