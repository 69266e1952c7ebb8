import { type FSWatcher, existsSync, watch } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/** The next run starts only when nothing has changed for this long, because editors write a file in several steps. */
const SETTLED_MS = 30

/** A run must call `onFile` with each file's path before it reads that file. */
type WatchedRun = (onFile: (path: string) => void) => Promise<void>

/**
 * Calls `run` once, and again after each change of a file that the last run read. Ends when `signal` is aborted.
 *
 * @param root The project's top folder. For each file below it, all folders from `root` down to the file are watched,
 * because any of these folders can be replaced.
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

/** Notices when a file changes after it was passed to {@link add}. */
class WatchedFiles {
  readonly #files = new Set<string>()
  /** Folders are watched instead of files, because most editors replace a file with a new one. */
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
    while (!existsSync(folder)) folder = dirname(folder)
    this.#watch(folder)
    while (folder.startsWith(this.#root + sep)) this.#watch((folder = dirname(folder)))
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return
    const watcher = watch(folder, (_, name) => this.#notice(name === null ? folder : join(folder, name)))
    // Removing a folder ends its watcher with an error.
    watcher.on('error', () => this.#notice(folder))
    this.#watchers.set(folder, watcher)
  }

  /** Forgets all files and changes. Also closes the watchers, because a watched folder may have been replaced. */
  forget(): void {
    this.#files.clear()
    this.#stop()
    this.#isDone = false
  }

  /** Resolves when a file has changed since it was added, or when {@link close} is called. */
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
