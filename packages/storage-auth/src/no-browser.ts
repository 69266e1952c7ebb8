import type { BrowserHost } from './browser-host.ts'

/** Browsers and edge runtimes have no local server. */
export const browserHost: BrowserHost | undefined = undefined
