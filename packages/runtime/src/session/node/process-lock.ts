import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, readlink, rename, rm, rmdir, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { wait } from '../../core/async.ts'
import { type Clock, type RandomSource, systemClock, type Timer } from '../../core/clock.ts'
import { DeadlineError } from '../../core/errors.ts'

export interface ProcessLockOptions {
  /** A folder that contains only the lock. It is created when the lock is first acquired, and is never removed. */
  readonly folder: string
  /** How long to wait for the lock, in milliseconds. Default 180,000. */
  readonly waitMs?: number
  readonly clock?: Clock | undefined
  readonly random?: RandomSource | undefined
}

export interface HeldLock {
  /**
   * A folder that exists only while the lock is held. Write new files to this folder first, and then move them to
   * their final path: if another process has taken the lock away, the move fails.
   */
  readonly folder: string
  release(): Promise<void>
}

/**
 * How many milliseconds an owner may go without a sign of life (a new modification time of its folder) before it
 * counts as dead. Applies if the owner is on another machine, in another container, on a system without `/proc`, or
 * in this process.
 */
const MAX_SILENCE_MS = 30_000
const SIGN_INTERVAL_MS = MAX_SILENCE_MS / 5
const MIN_WAIT_MS = 2
const MAX_WAIT_MS = 60

/**
 * A lock that has one holder at a time, both across processes and within this process.
 *
 * Everything relies on `rename`, which is atomic:
 *
 * - The lock is the folder `held`. To take the lock, a process prepares a folder with one subfolder, whose name
 *   identifies the owner. Then the process renames the outer folder to `held`. The rename succeeds only while `held`
 *   does not exist or is empty.
 * - The lock is released by removing the owner's folder, which leaves `held` empty.
 * - To take the lock away from a dead owner, a process renames that owner's folder out of `held`. Only one process
 *   can do that. A process that is too late can't take the lock from the next owner by mistake, because the next
 *   owner's folder has another name.
 */
export class ProcessLock {
  readonly #folder: string
  readonly #waitMs: number
  readonly #clock: Clock
  readonly #random: RandomSource
  #swept = false

  constructor(options: ProcessLockOptions) {
    this.#folder = options.folder
    this.#waitMs = options.waitMs ?? 180_000
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? Math.random
  }

  /** @throws DeadlineError if another holder keeps the lock for too long; on abort the signal's own reason. */
  async acquire(signal?: AbortSignal): Promise<HeldLock> {
    signal?.throwIfAborted()
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const owner = `${writeIdentity(await ownIdentity())}.${randomUUID()}`
    const attempt = join(this.#folder, `try-${owner}`)
    const held = join(this.#folder, 'held')
    await mkdir(join(attempt, owner), { recursive: true, mode: 0o700 })
    try {
      if (!this.#swept) {
        this.#swept = true
        await this.#sweep()
      }
      const watched: Watched = { owner: '', sign: 0, sinceMs: 0 }
      const beganMs = this.#clock.monotonic()
      for (let delayMs = MIN_WAIT_MS; ; delayMs = Math.min(delayMs * 2, MAX_WAIT_MS)) {
        signal?.throwIfAborted()
        if (await this.#take(attempt, held)) return this.#held(join(held, owner), held)
        const inTheWay = await this.#clear(held, watched)
        if (inTheWay === undefined && (await this.#take(attempt, held))) {
          return this.#held(join(held, owner), held)
        }
        const elapsedMs = this.#clock.monotonic() - beganMs
        if (elapsedMs > this.#waitMs) throw this.#tooLong(inTheWay ?? '', elapsedMs)
        // Jitter, so that waiting processes don't all try again at the same time.
        await wait(this.#clock, delayMs * (0.5 + this.#random()), signal === undefined ? [] : [signal])
      }
    } catch (error) {
      await rm(attempt, { recursive: true, force: true })
      throw error
    }
  }

  async #take(attempt: string, held: string): Promise<boolean> {
    try {
      await rename(attempt, held)
      return true
    } catch (error) {
      if (isCode(error, 'ENOTEMPTY', 'EEXIST')) return false
      // Windows can't rename a folder to the name of an existing folder, even if the existing folder is empty.
      if (process.platform === 'win32' && isCode(error, 'EPERM', 'EACCES', 'EBUSY')) return false
      throw error
    }
  }

  /** Takes the lock away if its owner is dead. Returns the owner if it is alive. */
  async #clear(held: string, watched: Watched): Promise<string | undefined> {
    const names = await readdir(held).catch(() => [])
    const [owner] = names
    if (owner === undefined) {
      if (process.platform === 'win32') await rmdir(held).catch(() => undefined)
      return undefined
    }
    if (await this.#isHolderAlive(join(held, owner), owner, watched)) return owner
    const claimed = join(this.#folder, `dead-${writeIdentity(await ownIdentity())}.${randomUUID()}`)
    try {
      await rename(join(held, owner), claimed)
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined // Another process was faster, or the lock was released.
      throw error
    }
    await rm(claimed, { recursive: true, force: true })
    await this.#sweep()
    return undefined
  }

  async #isHolderAlive(folder: string, owner: string, watched: Watched): Promise<boolean> {
    const identity = readIdentity(owner)
    // If the owner is a thread of this process, the thread may have ended although the process still runs.
    const isOwn = owner.startsWith(`${writeIdentity(await ownIdentity())}.`)
    const liveness = identity === undefined || isOwn ? 'unknown' : await livenessOf(identity)
    if (liveness !== 'unknown') return liveness === 'alive'
    // Only a change of the modification time counts, so differences between wall clocks don't matter.
    const sign = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    )
    const nowMs = this.#clock.monotonic()
    if (watched.owner !== owner || watched.sign !== sign) {
      watched.owner = owner
      watched.sign = sign
      watched.sinceMs = nowMs
    }
    return nowMs - watched.sinceMs < MAX_SILENCE_MS
  }

  #held(folder: string, held: string): HeldLock {
    let sign: Timer | undefined
    const sendSign = (): void => {
      sign = this.#clock.setTimer(sendSign, SIGN_INTERVAL_MS)
      const nowS = this.#clock.now() / 1000
      utimes(folder, nowS, nowS).catch(() => undefined)
    }
    sign = this.#clock.setTimer(sendSign, SIGN_INTERVAL_MS)
    return {
      folder,
      release: async () => {
        sign?.cancel()
        await rm(folder, { recursive: true, force: true })
        if (process.platform === 'win32') await rmdir(held).catch(() => undefined)
      },
    }
  }

  /** Removes folders that dead processes left next to `held`. */
  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const identity = readIdentity(name.replace(/^(try|dead)-/, ''))
      if (name === 'held' || identity === undefined || (await livenessOf(identity)) !== 'dead') continue
      await rm(join(this.#folder, name), { recursive: true, force: true })
    }
  }

  #tooLong(owner: string, elapsedMs: number): DeadlineError {
    const identity = readIdentity(owner)
    const who = identity === undefined ? 'another process' : `the process ${identity.pid}`
    return new DeadlineError(
      `The lock ${this.#folder} is held by ${who}, which appears to be running but has not released the lock within ${this.#waitMs} ms. Check what that ` +
        'process is doing. After that process has ended, try again.',
      { limitMs: this.#waitMs, elapsedMs },
    )
  }
}

/** The current owner, its last sign of life, and when this process last saw either of them change. */
interface Watched {
  owner: string
  sign: number
  sinceMs: number
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException | null)?.code ?? '')
}

/** Identifies a process, and distinguishes it from a later process with the same `pid`. */
interface ProcessIdentity {
  /** Identifies the machine or container in which `pid` is unique. On Linux, a reboot changes `host`. */
  readonly host: string
  readonly pid: number
  /** The start time of the process, in units of the operating system, or `0` if the start time is unknown. */
  readonly started: string
}

type Liveness = 'alive' | 'dead' | 'unknown'

let own: Promise<ProcessIdentity> | undefined

export function ownIdentity(): Promise<ProcessIdentity> {
  own ??= identify()
  return own
}

async function identify(): Promise<ProcessIdentity> {
  const [boot, namespace, stat] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => hostname()),
    readlink('/proc/self/ns/pid').catch(() => ''),
    readStat(process.pid),
  ])
  const host = createHash('sha256').update(`${boot.trim()} ${namespace}`).digest('hex').slice(0, 16)
  return { host, pid: process.pid, started: typeof stat === 'object' ? stat.started : '0' }
}

/** A zombie (a process that has ended, but whose parent has not collected it) counts as dead. */
export async function livenessOf(identity: ProcessIdentity): Promise<Liveness> {
  const self = await ownIdentity()
  if (identity.host !== self.host) return 'unknown'
  if (!mayExist(identity.pid)) return 'dead'
  const stat = await readStat(identity.pid)
  if (stat === 'unknown' || identity.started === '0') return 'unknown'
  if (stat === 'gone') return mayExist(identity.pid) ? 'unknown' : 'dead'
  return stat.ended || stat.started !== identity.started ? 'dead' : 'alive'
}

function mayExist(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Reads from `/proc` whether a process has ended, and when it started (proc(5)). */
async function readStat(
  pid: number,
): Promise<{ readonly ended: boolean; readonly started: string } | 'gone' | 'unknown'> {
  if (process.platform !== 'linux') return 'unknown'
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name of the program, in parentheses, and can contain anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [state] = fields
    const started = fields[19]
    return started === undefined ? 'unknown' : { ended: state === 'Z' || state === 'X', started }
  } catch (error) {
    return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'gone' : 'unknown'
  }
}

/** Returns the identity as a string that can be part of a file name. */
export function writeIdentity({ host, pid, started }: ProcessIdentity): string {
  return `${host}.${pid}.${started}`
}

/** Reads the result of {@link writeIdentity}, ignoring anything after it. */
export function readIdentity(text: string): ProcessIdentity | undefined {
  const match = /^([0-9a-f]{16})\.(\d+)\.(\d+)(?:\.|$)/.exec(text)
  return match ? { host: match[1]!, pid: Number(match[2]), started: match[3]! } : undefined
}
