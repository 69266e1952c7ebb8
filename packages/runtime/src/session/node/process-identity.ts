import { createHash } from 'node:crypto'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'

/** Identifies a process, also against a later one with the same number. */
export interface ProcessIdentity {
  /** The scope of the process number: a machine since its start, or a container on it. */
  readonly host: string
  readonly pid: number
  /** When the process started, in the host's own units; `0` if unknown. */
  readonly started: string
}

/** Whether a process still runs. `unknown` if this process can't see that. */
export type Liveness = 'alive' | 'dead' | 'unknown'

let own: Promise<ProcessIdentity> | undefined

/** This process. */
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

/** Checks whether a process still runs. A process that has ended but was not yet collected counts as dead. */
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

/** Returns the state and start of a process, if the host has them as files (proc(5)). */
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

/** As a file name. */
export function writeIdentity({ host, pid, started }: ProcessIdentity): string {
  return `${host}.${pid}.${started}`
}

/** Reads the result of {@link writeIdentity}, ignoring anything after it. */
export function readIdentity(text: string): ProcessIdentity | undefined {
  const match = /^([0-9a-f]{16})\.(\d+)\.(\d+)(?:\.|$)/.exec(text)
  return match ? { host: match[1]!, pid: Number(match[2]), started: match[3]! } : undefined
}
