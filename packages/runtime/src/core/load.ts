let loading = 0

/**
 * Waits for a module that is loaded only when it is needed: `await load(import('./large.js'))`. The clock of tests
 * stands still meanwhile, as it cannot see what the host is loading.
 *
 * @public
 */
export async function load<Module>(module: Promise<Module>): Promise<Module> {
  loading++
  try {
    return await module
  } finally {
    loading--
  }
}

/** Whether anything is being loaded now. */
export function isLoading(): boolean {
  return loading > 0
}
