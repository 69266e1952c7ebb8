import { type ChildProcess, spawn } from 'node:child_process'
import { utimesSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { expect, onTestFinished, it } from 'vitest'

import type { Clock } from '../../core/clock.ts'
import { DeadlineError, OptionsError } from '../../core/errors.ts'
import { temporaryFolder } from '../../node/test-support/folder.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'
import { checkPrivate } from './atomic-file.ts'
import { livenessOf, ownIdentity, ProcessLock, readIdentity, writeIdentity } from './process-lock.ts'

const lockFolder = async (): Promise<string> => join(await temporaryFolder(), 'lock')

/** A process that holds the lock. */
async function holder(folder: string, command = 'stay'): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'test-support', 'lock-holder.ts')
  const child = spawn(process.execPath, ['--conditions=@concord/source', script, folder, command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('error', reject)
    child.once('exit', () => reject(new Error('the holder ended before it had the lock')))
  })
  return child
}

const gone = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) =>
    (child.exitCode ?? child.signalCode) === null ? child.once('exit', () => resolve()) : resolve(),
  )

/** A lock that is held by the named owner. */
async function heldBy(folder: string, owner: string): Promise<void> {
  await mkdir(join(folder, 'held', owner), { recursive: true })
}

it.each([
  ['was killed', 'stay'],
  ['left without releasing it', 'exit'],
])('R-42: the lock of a process that %s is taken over at once', async (_what, command) => {
  const folder = await lockFolder()
  const child = await holder(folder, command)
  if (command === 'stay') child.kill('SIGKILL')
  await gone(child)
  await (await new ProcessLock({ folder, waitMs: 0 }).acquire()).release()
  expect(await readdir(folder)).toEqual(['held'])
})

it.runIf(process.platform === 'linux')(
  'R-42: a stopped process is not dead: it keeps its lock, however long it is silent',
  async () => {
    const folder = await lockFolder()
    const child = await holder(folder)
    child.kill('SIGSTOP')
    const clock = virtualClock()
    const failure = await new ProcessLock({ folder, clock }).acquire().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(DeadlineError)
    expect((failure as Error).message).toContain(`the process ${child.pid}`)
    expect(clock.elapsedMs).toBeGreaterThan(180_000)
    expect(await readdir(folder)).toEqual(['held'])
  },
)

it.runIf(process.platform === 'linux')(
  'R-42: a new process with the number of a dead one does not keep its lock',
  async () => {
    const folder = await lockFolder()
    const own = await ownIdentity()
    await heldBy(folder, `${writeIdentity({ ...own, started: String(Number(own.started) - 1) })}.x`)
    await (await new ProcessLock({ folder, waitMs: 0 }).acquire()).release()
  },
)

/** Expects that the lock is taken over after half a minute without a sign of life. */
async function expectTakeover(folder: string): Promise<void> {
  const clock = virtualClock()
  const held = await new ProcessLock({ folder, clock }).acquire()
  expect(clock.elapsedMs).toBeGreaterThanOrEqual(30_000)
  expect(clock.elapsedMs).toBeLessThan(31_000)
  await held.release()
}

it('R-42: an owner that cannot be observed is dead after half a minute without a sign of life', async () => {
  const folder = await lockFolder()
  await heldBy(folder, `${'0'.repeat(16)}.1.1.x`)
  await expectTakeover(folder)
})

it('R-42: the lock of a thread of this process that has ended is taken over after half a minute', async () => {
  const folder = await lockFolder()
  const thread = new Worker(join(import.meta.dirname, 'test-support', 'lock-holder.ts'), {
    argv: [folder, 'stay'],
    execArgv: ['--conditions=@concord/source'],
    stdout: true,
  })
  await new Promise((resolve, reject) => {
    thread.stdout.once('data', resolve)
    thread.once('error', reject)
  })
  await thread.terminate()
  expect((await readdir(join(folder, 'held')))[0]).toContain(`.${process.pid}.`)
  await expectTakeover(folder)
})

it('R-42: an owner that cannot be observed keeps its lock while it sends signs of life', async () => {
  const folder = await lockFolder()
  const owner = `${'0'.repeat(16)}.1.1.x`
  await heldBy(folder, owner)
  const leaping = virtualClock()
  let signAtMs = 0
  const clock: Clock = {
    now: leaping.now,
    monotonic: leaping.monotonic,
    setTimer(callback, delayMs) {
      if (leaping.elapsedMs > signAtMs + 20_000) {
        signAtMs = leaping.elapsedMs
        utimesSync(join(folder, 'held', owner), signAtMs / 1000, signAtMs / 1000)
      }
      return leaping.setTimer(callback, delayMs)
    },
  }
  await expect(new ProcessLock({ folder, clock }).acquire()).rejects.toBeInstanceOf(DeadlineError)
  expect(leaping.elapsedMs).toBeGreaterThan(180_000)
  expect(await readdir(join(folder, 'held'))).toEqual([owner])
})

it('R-42: an owner sends signs of life only while it holds the lock', async () => {
  const folder = await lockFolder()
  using clock = virtualClock({ autoAdvance: false })
  const held = await new ProcessLock({ folder, clock }).acquire()
  const { stat } = await import('node:fs/promises')
  const before = (await stat(held.folder)).mtimeMs
  await clock.advance(6_000)
  await expect.poll(async () => (await stat(held.folder)).mtimeMs).not.toBe(before)
  expect((await stat(held.folder)).mtimeMs).toBe(clock.now())
  await held.release()
  expect(clock.timers).toBe(0)
})

it('R-42: of many that find a dead owner one gets the lock, and the others their turn', async () => {
  const folder = await lockFolder()
  const dead = writeIdentity({ ...(await ownIdentity()), pid: 2 ** 22 + 1, started: '1' })
  await heldBy(folder, `${dead}.x`)
  await mkdir(join(folder, `try-${dead}.y`, 'z'), { recursive: true })
  let inside = 0
  let most = 0
  let turns = 0
  await Promise.all(
    Array.from({ length: 24 }, async () => {
      const held = await new ProcessLock({ folder }).acquire()
      most = Math.max(most, ++inside)
      await new Promise(setImmediate)
      inside--
      turns++
      await held.release()
    }),
  )
  expect({ most, turns }).toEqual({ most: 1, turns: 24 })
  expect(await readdir(folder, { recursive: true })).toEqual(['held'])
})

it('R-42: an owner whose lock was taken over finds its folder gone, and does not release the lock of the next', async () => {
  const folder = await lockFolder()
  const first = await new ProcessLock({ folder }).acquire()
  await rm(first.folder, { recursive: true }) // As who takes over does, by the owner's name.
  const second = await new ProcessLock({ folder }).acquire()
  await first.release()
  expect(await readdir(join(folder, 'held'))).toHaveLength(1)
  await expect(readdir(first.folder)).rejects.toMatchObject({ code: 'ENOENT' })
  await second.release()
})

it('R-03: an abort ends the wait for a lock and leaves nothing behind', async () => {
  const folder = await lockFolder()
  const held = await new ProcessLock({ folder }).acquire()
  const controller = new AbortController()
  const waiting = new ProcessLock({ folder }).acquire(controller.signal)
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  await held.release()
  expect(await readdir(folder, { recursive: true })).toEqual(['held'])
})

it('R-42: a process recognizes itself, and an unused number', async () => {
  const own = await ownIdentity()
  expect(readIdentity(`${writeIdentity(own)}.more`)).toEqual(own)
  expect(readIdentity('something else')).toBeUndefined()
  expect(await livenessOf({ ...own, pid: 2 ** 22 + 1 })).toBe('dead')
  if (process.platform === 'linux') expect(await livenessOf(own)).toBe('alive')
  expect(await livenessOf({ ...own, host: '0'.repeat(16) })).toBe('unknown')
})

it.runIf(process.platform === 'linux')(
  'R-42: a process that was killed and not yet collected by its parent is dead',
  async () => {
    const parent = spawn('/bin/sh', ['-c', 'sleep 30 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const pid = Number(
      await new Promise<string>((resolve) => parent.stdout.once('data', (data) => resolve(String(data)))),
    )
    // Until it is another program, the shell may collect its children.
    const program = () => readFile(`/proc/${parent.pid}/comm`, 'utf8')
    await expect.poll(program).toBe('sleep\n')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!
    const identity = { ...(await ownIdentity()), pid, started }
    expect(await livenessOf(identity)).toBe('alive')
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => livenessOf(identity)).toBe('dead')
    expect(process.kill(pid, 0)).toBe(true) // It is still listed.
  },
)

it('R-41: a file that another user owns or can access is not private', () => {
  const uid = process.getuid?.() ?? 0
  expect(() => checkPrivate('file', { mode: 0o100600, uid })).not.toThrow()
  if (process.getuid === undefined) return
  expect(() => checkPrivate('file', { mode: 0o100600, uid: uid + 1 })).toThrow(OptionsError)
  expect(() => checkPrivate('file', { mode: 0o100640, uid })).toThrow(/mode 0640/)
})
