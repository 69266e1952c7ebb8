import type * as FileSystem from 'node:fs/promises'

import { afterAll, afterEach, vi } from 'vitest'

type Operation = (...rest: unknown[]) => Promise<unknown>

/**
 * Runs code before each file system operation. A test can use it to make the operation fail, or to act just before
 * the operation.
 */
interface FaultyDisk {
  /**
   * From now on, each operation first calls `before`. `index` is the number of the operation, starting at 0.
   * Operations inside `before` aren't counted.
   */
  watch(before: (name: string, index: number) => void | Promise<void>): void
  /** Makes the operation with this number fail. */
  failAt(index: number, code: string): void
  /** Returns a list to which the name of each operation is added from now on. */
  record(): readonly string[]
  unwatch(): void
}

const FUNCTIONS = ['copyFile', 'lstat', 'mkdir', 'readdir', 'readFile', 'rename', 'rm', 'stat'] as const
const METHODS = ['appendFile', 'datasync', 'readFile', 'stat', 'sync', 'truncate', 'write', 'writeFile']

/** Uses a faulty disk in the modules that are imported after this call, until the tests of the test file have run. */
export function useFaultyDisk(): FaultyDisk {
  let watching: ((name: string, index: number) => void | Promise<void>) | undefined
  let count = 0
  const step = async (name: string): Promise<void> => {
    const before = watching
    if (before === undefined) return
    watching = undefined
    try {
      await before(name, count++)
    } finally {
      watching = before
    }
  }
  const stepped =
    (name: string, call: Operation): Operation =>
    async (...rest) => {
      await step(name)
      return call(...rest)
    }
  const ofFile = (file: FileSystem.FileHandle): FileSystem.FileHandle =>
    new Proxy(file, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const call = (value as Operation).bind(target)
        // Closes the file first, because a real `close` closes the file even if it reports an error.
        if (name === 'close') return () => call().then(() => step('close'))
        return METHODS.includes(String(name)) ? stepped(String(name), call) : call
      },
    })
  vi.doMock('node:fs/promises', async (load) => {
    const real = await load<typeof FileSystem>()
    return {
      ...real,
      ...Object.fromEntries(FUNCTIONS.map((name) => [name, stepped(name, real[name] as Operation)])),
      open: async (...rest: Parameters<typeof FileSystem.open>) => {
        await step('open')
        return ofFile(await real.open(...rest))
      },
    }
  })
  vi.resetModules()
  afterEach(() => {
    watching = undefined
  })
  afterAll(() => {
    vi.doUnmock('node:fs/promises')
    vi.resetModules()
  })
  const watch: FaultyDisk['watch'] = (before) => {
    count = 0
    watching = before
  }
  return {
    watch,
    failAt(index, code) {
      watch((name, number) => {
        if (number === index) throw systemError(code, name)
      })
    },
    record() {
      const names: string[] = []
      watch((name) => void names.push(name))
      return names
    },
    unwatch() {
      watching = undefined
    },
  }
}

/** Creates a system error like those of `node:fs`. */
function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: simulated, ${syscall}`), { code, syscall })
}
