import { type FSWatcher, existsSync, watch } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/** How long files have to be left alone before they are read: editors write a file in several steps. */
const SETTLED_MS = 30

/** One run: it calls `onFile` with the path of each file before it reads it. */
type WatchedRun = (onFile: (path: string) => void) => Promise<void>

/**
 * Runs once, and again whenever a file that the last run read has changed, until `signal` is aborted. A run that fails counts like
 * any other: the next change starts another one.
 *
 * @param root The folder up to which folders are watched, because one of them may be replaced by another.
 */
export async function watchInputs(run: WatchedRun, root: string, signal: AbortSignal): Promise<void> {
  const files = new WatchedFiles(root)
  const stop = () => files.close()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      files.forget()
      await run((path) => files.add(path))
      await files.changed()
    }
  } finally {
    signal.removeEventListener('abort', stop)
    files.close()
  }
}

/** Files whose changes are noticed from the moment in which they are added. */
class WatchedFiles {
  readonly #files = new Set<string>()
  /** Folders are watched instead of files, because most editors replace a file by a new one. */
  readonly #watchers = new Map<string, FSWatcher>()
  #timer: NodeJS.Timeout | undefined
  #isDone = false
  #wake = () => {}

  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  add(file: string): void {
    this.#files.add(file)
    let folder = dirname(file)
    // A folder that doesn't exist yet is noticed by the one that it will be in.
    while (!existsSync(folder)) folder = dirname(folder)
    this.#watch(folder)
    while (folder.startsWith(this.#root + sep)) this.#watch((folder = dirname(folder)))
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return
    const watcher = watch(folder, (_, name) => this.#notice(name === null ? folder : join(folder, name)))
    // A folder that is removed ends its own watch.
    watcher.on('error', () => this.#notice(folder))
    this.#watchers.set(folder, watcher)
  }

  /** Starts over: no file is known, and nothing has changed. A watched folder may have been replaced by another. */
  forget(): void {
    this.#files.clear()
    this.#stop()
    this.#isDone = false
  }

  /** Resolves when a file has changed since it was added, or when everything is closed. */
  async changed(): Promise<void> {
    if (!this.#isDone) await new Promise<void>((resolve) => (this.#wake = resolve))
  }

  close(): void {
    this.#stop()
    this.#finish()
  }

  #stop(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
    clearTimeout(this.#timer)
  }

  #notice(path: string): void {
    const isOurs = [...this.#files].some((file) => file === path || file.startsWith(path + sep))
    if (!isOurs) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#finish(), SETTLED_MS)
  }

  #finish(): void {
    this.#isDone = true
    this.#wake()
  }
}
