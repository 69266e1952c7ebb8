import type { Clock } from './clock.ts'
import { ConnectionError } from './errors.ts'

/** The signals and the time limit that can end a wait before the work is done. @public */
export interface Bounds {
  /** If any of these signals is aborted, the wait ends at once and throws the reason of that signal. */
  readonly signals?: readonly (AbortSignal | undefined)[] | undefined
  readonly limit?: TimeLimit | undefined
}

/** A time limit. @public */
export interface TimeLimit {
  readonly clock: Clock
  /** The limit in milliseconds, counted from the start of the wait. `Infinity` means no limit. */
  readonly ms: number
  /** Creates the error to throw when the limit is reached. */
  readonly error: (elapsedMs: number) => unknown
}

/**
 * Waits until the work is done, a signal is aborted, or the time limit is reached, whichever comes first. Leaves no
 * listeners or timers behind.
 *
 * If the work is a function, it receives a signal that is aborted when the wait ends early. If the work is a promise,
 * the work continues after the wait has ended early. Its result or error is then ignored.
 *
 * @example
 * ```ts
 * const link = await bounded((signal) => open(address, signal), {
 *   signals: [callerSignal, closing],
 *   limit: { clock, ms: 10_000, error: (elapsedMs) => new TimeoutError('too slow', { limitMs: 10_000, elapsedMs }) },
 * })
 * ```
 *
 * @throws the error of the work, the reason of the aborted signal, or the error that `limit.error` creates.
 * @public
 */
export function bounded<Result>(
  work: Promise<Result> | ((signal: AbortSignal) => Promise<Result>),
  { signals = [], limit }: Bounds,
): Promise<Result> {
  const followed = signals.filter((signal) => signal !== undefined)
  const hasLimit = limit !== undefined && limit.ms !== Infinity
  if (typeof work !== 'function' && followed.length === 0 && !hasLimit) return work
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const controller = typeof work === 'function' ? new AbortController() : undefined
  const aborted = followed.find((signal) => signal.aborted)
  if (aborted !== undefined) {
    if (typeof work !== 'function') work.catch(() => undefined)
    return Promise.reject(aborted.reason as Error)
  }
  let isOver = false
  const release = (): void => {
    if (isOver) return
    isOver = true
    timer?.cancel()
    for (const signal of followed) signal.removeEventListener('abort', onAbort)
  }
  const end = (error: unknown): void => {
    release()
    controller?.abort(error)
    reject(error)
  }
  const onAbort = (event: Event): void => end((event.target as AbortSignal).reason)
  const beganMs = hasLimit ? limit.clock.monotonic() : 0
  const timer = hasLimit
    ? limit.clock.setTimer(() => end(limit.error(limit.clock.monotonic() - beganMs)), Math.max(0, limit.ms))
    : undefined
  for (const signal of followed) signal.addEventListener('abort', onAbort)
  const begun = controller === undefined ? (work as Promise<Result>) : begin(work as Work<Result>, controller)
  begun.then(resolve, reject).finally(release)
  return promise
}

type Work<Result> = (signal: AbortSignal) => Promise<Result>

/** Turns a synchronous error into a rejection. */
async function begin<Result>(work: Work<Result>, { signal }: AbortController): Promise<Result> {
  return work(signal)
}

export function throwIfAborted(signals: readonly AbortSignal[]): void {
  for (const signal of signals) signal.throwIfAborted()
}

/**
 * Waits for `delayMs`. If a signal is aborted, the wait ends at once and throws the signal's reason. Leaves no timers
 * or listeners behind.
 *
 * @public
 */
export async function wait(
  clock: Clock,
  delayMs: number,
  signals: readonly AbortSignal[] = [],
): Promise<void> {
  throwIfAborted(signals)
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = clock.setTimer(resolve, delayMs)
  try {
    await bounded(promise, { signals })
  } finally {
    timer.cancel()
  }
}

/** Doesn't use `instanceof Promise`, which misses some promises if a library replaces the global `Promise`. */
export function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

let loading = 0

/** Options of {@link load}. @public */
interface LoadOptions {
  /** The operationId to name in the error. */
  readonly operation?: string | undefined
  /** If this signal is aborted, the wait ends and throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Waits for a module that is loaded on demand: `await load(import('./large.js'))`. While a module is loading, a virtual
 * clock doesn't advance.
 *
 * @throws ConnectionError if the module fails to load; the signal's reason if the signal is aborted.
 * @public
 */
export async function load<Module>(module: Promise<Module>, options: LoadOptions = {}): Promise<Module> {
  const { operation, signal } = options
  loading++
  try {
    // Ignore a value that isn't an AbortSignal. The validation of the options reports it later.
    const usable = typeof signal?.addEventListener === 'function' ? signal : undefined
    return await bounded(module, { signals: [usable] })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ConnectionError(
      `${operation === undefined ? '' : `${operation}: `}part of the client failed to load (${String(error)}). In a browser, make ` +
        "sure that every file of your build is served, then reload the page: browsers don't retry failed imports. In Node, check " +
        'the Node version and the installed files.',
      { phase: 'receive', sent: 'no' },
      { cause: error, operation },
    )
  } finally {
    loading--
  }
}

export function isLoading(): boolean {
  return loading > 0
}
