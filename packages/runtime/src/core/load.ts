import { bounded } from './async.ts'
import { ConnectionError } from './errors.ts'

let loading = 0

/** What a module is loaded for. @public */
export interface LoadOptions {
  /** Named in the error. */
  readonly operation?: string | undefined
  /** An abort ends the waiting, with the signal's own reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Waits for a module that is loaded only when it is needed: `await load(import('./large.js'))`. The clock of tests
 * stands still meanwhile, as it cannot see what the host is loading.
 *
 * @throws ConnectionError when it does not load.
 * @public
 */
export async function load<Module>(module: Promise<Module>, options: LoadOptions = {}): Promise<Module> {
  const { operation, signal } = options
  loading++
  try {
    // What is no signal is refused by whoever reads these options next.
    const usable = typeof signal?.addEventListener === 'function' ? signal : undefined
    return await bounded(module, { signals: [usable] })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ConnectionError(
      `${operation === undefined ? '' : `${operation}: `}a file of the client did not load. In a page, serve all files ` +
        'of its build, and load the page again: a browser does not ask twice.',
      { phase: 'receive', sent: 'no' },
      { cause: error, operation },
    )
  } finally {
    loading--
  }
}

/** Whether anything is being loaded now. */
export function isLoading(): boolean {
  return loading > 0
}
