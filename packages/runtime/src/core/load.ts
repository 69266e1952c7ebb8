import { bounded } from './async.ts'
import { ConnectionError } from './errors.ts'

let loading = 0

/** The context of a module's loading, and when to stop waiting for it. @public */
export interface LoadOptions {
  /** The operation to name in the error. */
  readonly operation?: string | undefined
  /** An abort ends the wait with the signal's own reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Waits for a module that is loaded on demand: `await load(import('./large.js'))`. A virtual clock doesn't
 * advance in the meantime, since it can't see what the host is loading.
 *
 * @throws ConnectionError if it fails to load.
 * @public
 */
export async function load<Module>(module: Promise<Module>, options: LoadOptions = {}): Promise<Module> {
  const { operation, signal } = options
  loading++
  try {
    // Anything that isn't an AbortSignal is ignored; option validation reports it later.
    const usable = typeof signal?.addEventListener === 'function' ? signal : undefined
    return await bounded(module, { signals: [usable] })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ConnectionError(
      `${operation === undefined ? '' : `${operation}: `}part of the client failed to load. In a browser, make sure that every ` +
        "file of your build is served, then reload the page: browsers don't retry failed imports.",
      { phase: 'receive', sent: 'no' },
      { cause: error, operation },
    )
  } finally {
    loading--
  }
}

/** Returns whether anything is being loaded now. */
export function isLoading(): boolean {
  return loading > 0
}
